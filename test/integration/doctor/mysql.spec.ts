import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { describeOn } from '../../support/describe-databases.js'
import { eventuallyEqual } from '../../support/eventually.js'
import { valkeyUrl } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { diagnose, findingOf } from './command-line.js'
import { listCache } from './list-cache.js'

describeOn(['mysql'], 'the doctor finds in $name', ({ create }) => {
  let database: TestDatabase
  let name: string
  let admin: Redis
  let namespace: string

  beforeEach(async () => {
    database = await create()
    name = new URL(database.url).pathname.slice(1)
    await database.run('CREATE TABLE Lot (id int PRIMARY KEY)')
    admin = new Redis(valkeyUrl().replace('valkey', 'redis'))
    namespace = `doctor_${randomUUID()}`
  })
  afterEach(async () => {
    admin.disconnect()
    await database.drop()
  })

  async function found(args: readonly string[], url: string = database.url): Promise<string[]> {
    const { findings } = await diagnose(['--database', url, '--namespace', namespace, ...args])
    return findings.flatMap(({ found, id, severity }) =>
      id.startsWith('mysql.') ? [`${severity} ${id}: ${found}`] : [],
    )
  }
  const answers = (): string =>
    `ok mysql.reachable: The database answers at ${new URL(database.url).host}/${name}.`
  const logs = 'ok mysql.binlog: The binlog has whole rows, and names their columns.'
  const follow = (): string[] => ['--valkey', valkeyUrl(), '--follow']

  it('that its log can be followed, if it is to be, and leaves no connection', async () => {
    expect(await found([])).toEqual([answers()])
    expect(await found(['--follow'])).toEqual([answers(), logs])
    expect(await found(follow())).toEqual([answers(), logs])
    await listCache(admin, namespace, { provider: 'mysql', table: 'Lot' })
    expect(await found(follow())).toEqual([answers(), logs])
    const others = `SELECT count(*) AS count FROM information_schema.PROCESSLIST WHERE DB = '${name}' AND ID <> CONNECTION_ID()`
    const connections = async () => Number((await database.rows<{ count: bigint }>(others))[0]!.count)
    await eventuallyEqual(connections, 0)
  })

  it('that a table of a cache is missing', async () => {
    await listCache(admin, namespace, { provider: 'mysql', table: 'Gone' })
    expect(await found(follow())).toEqual([
      answers(),
      logs,
      expect.stringContaining(`warning mysql.table: There is no table \`${name}\`.\`Gone\``),
    ])
  })

  it.each([
    ['code', 'fold', 'utf8mb4_bin'],
    ['word', 'caseSensitive', 'utf8mb4_unicode_ci'],
  ] as const)('that the collation of %s contradicts `%s`', async (column, option, collation) => {
    await database.run(
      'ALTER TABLE Lot ADD code varchar(9) COLLATE utf8mb4_bin, ADD word varchar(9) COLLATE utf8mb4_unicode_ci',
    )
    const options = { provider: 'mysql', table: 'Lot' } as const
    await listCache(admin, namespace, { ...options, by: [column, option] })
    expect(await found(['--valkey', valkeyUrl()])).toEqual([
      answers(),
      `error mysql.collation: Lot.byText has \`${option}\`, but \`Lot\`.\`${column}\` has the collation ${collation}.`,
    ])
    await listCache(admin, namespace, {
      ...options,
      by: [column, option === 'fold' ? 'caseSensitive' : 'fold'],
    })
    expect(await found(['--valkey', valkeyUrl()])).toEqual([
      answers(),
      'ok mysql.collation: The collations of keys compare text as definitions say.',
    ])
  })

  it('that the user may not see the log', async () => {
    const user = `blind_${randomUUID().slice(0, 8)}`
    await database.run(`CREATE USER ${user} IDENTIFIED BY 'secret'; GRANT CREATE ON ${name}.* TO ${user}`)
    try {
      const url = Object.assign(new URL(database.url), { username: user, password: 'secret' }).href
      expect(await found(['--follow'], url)).toEqual([
        answers(),
        expect.stringContaining('error mysql.role: The user may not ask for the binlog: '),
      ])
      const diagnosis = await diagnose(['--database', url, '--follow'])
      expect(findingOf(diagnosis, 'mysql.role').remedy).toContain('GRANT REPLICATION SLAVE')
    } finally {
      await database.run(`DROP USER ${user}`)
    }
  })
})
