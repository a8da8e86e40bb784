import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { createPostgresDatabase, type PostgresServer, startPostgres } from '../../support/postgres-server.js'
import { Redis } from 'ioredis'
import { valkeyUrl } from '../../support/servers.js'
import { eventuallyEqual } from '../../support/eventually.js'
import { diagnose, type Diagnosis, faultsIn, findingOf } from './command-line.js'
import { listCache } from './list-cache.js'

let postgres: PostgresServer
let sql: pg.Client
let databaseUrl: string
let namespace: string
let admin: Redis
let drop: () => Promise<void>

beforeAll(async () => {
  postgres = await startPostgres({ wal_level: 'logical', statement_timeout: '8s' })
  admin = new Redis(valkeyUrl().replace('valkey', 'redis'))
})
afterAll(async () => {
  admin.disconnect()
  await postgres.stop()
})

beforeEach(async () => {
  ;({ url: databaseUrl, drop } = await createPostgresDatabase(postgres.url))
  sql = new pg.Client({ connectionString: databaseUrl })
  await sql.connect()
  await sql.query('CREATE TABLE "Lot" (id int PRIMARY KEY, slug text NOT NULL UNIQUE)')
  namespace = `doctor_${randomUUID().replaceAll('-', '')}`
})
afterEach(async () => {
  await sql.end()
  await drop()
})

const check = (url = databaseUrl, ...args: string[]): Promise<Diagnosis> =>
  diagnose(['--database', url, '--valkey', valkeyUrl(), '--namespace', namespace, '--follow', ...args])

/** Only of PostgreSQL: nobody follows in these tests. */
const faults = (diagnosis: Diagnosis): string[] =>
  faultsIn(diagnosis).filter((fault) => fault.includes(' postgres.'))

it('shows no part of a password that is not percent-encoded', async () => {
  const { host, pathname } = new URL(databaseUrl)
  for (const password of ['12/34', '12?34', '12#34', 'x@12/34']) {
    const diagnosis = await check(`postgres://localhost:${password}@${host}${pathname}`)
    const { found } = findingOf(diagnosis, 'postgres.reachable')
    expect(found).toContain('Percent-encode')
    expect(found).not.toMatch(/\b(12|34)\b/)
  }
})

describe('the doctor finds in PostgreSQL', () => {
  it('nothing if the log can be followed, and a note of what the follower will do', async () => {
    await listCache(admin, namespace, { table: 'Lot' })
    const diagnosis = await check()
    expect(faults(diagnosis)).toEqual([])
    const { remedy, severity } = findingOf(diagnosis, 'postgres.publication')
    expect(severity).toBe('note')
    await sql.query(remedy!)
    expect(findingOf(await check(), 'postgres.publication').severity).toBe('ok')
  })

  it('a publication that lacks tables, changes and rows, with the statements that mend it', async () => {
    await listCache(admin, namespace, { table: 'Lot' })
    const name = `model_cache_${namespace.slice(0, 20)}`
    await sql.query(`CREATE PUBLICATION ${name} FOR TABLE "Lot" WHERE (id > 7) WITH (publish = 'insert')`)
    const diagnosis = await check(databaseUrl, '--publication', name)
    expect(faults(diagnosis)).toEqual(['error postgres.row-filter', 'warning postgres.publication'])
    await sql.query(/DROP TABLE|ALTER[^;]+;/.exec(findingOf(diagnosis, 'postgres.row-filter').remedy!)![0])
    await sql.query(findingOf(diagnosis, 'postgres.publication').remedy!)
    const mended = await check(databaseUrl, '--publication', name)
    expect(faults(mended)).toEqual([])
    await sql.query(findingOf(mended, 'postgres.publication').remedy!)
    expect(findingOf(await check(databaseUrl, '--publication', name), 'postgres.publication').severity).toBe(
      'ok',
    )
  })

  it.each([
    ['that is missing', 'Gone', 'id', '', 'error postgres.table'],
    ['that is not logged', 'Lot', 'id', 'ALTER TABLE "Lot" SET UNLOGGED', 'error postgres.table'],
    [
      'without a replica identity',
      'Lot',
      'id',
      'ALTER TABLE "Lot" REPLICA IDENTITY NOTHING',
      'error postgres.replica-identity',
    ],
    [
      'whose replica identity lacks the id of a cache',
      'Lot',
      'slug',
      '',
      'warning postgres.replica-identity',
    ],
  ])('a table %s', async (_, table, id, statement, fault) => {
    await listCache(admin, namespace, { table, id })
    await sql.query(statement)
    expect(faults(await check())).toEqual([fault])
  })

  it('a slot that nobody reads and that has no limit, also without following', async () => {
    const name = namespace.slice(0, 30)
    await sql.query(`SELECT pg_create_logical_replication_slot('${name}', 'pgoutput')`)
    const diagnosis = await diagnose(['--database', databaseUrl])
    expect(faultsIn(diagnosis)).toEqual(['warning postgres.slot-retention'])
    await sql.query(/SELECT[^;]+;/.exec(findingOf(diagnosis, 'postgres.slot-retention').remedy!)![0])
    expect(faultsIn(await diagnose(['--database', databaseUrl]))).toEqual([])
  })

  it.each([
    ['that sends transactions before they are committed', `'pgoutput', false, true`, 'has two_phase, so'],
    ['of another plugin', `'test_decoding'`, 'has the plugin test_decoding, not pgoutput.'],
  ])('a slot %s', async (_, made, problem) => {
    const name = namespace.slice(0, 30)
    await sql.query(`SELECT pg_create_logical_replication_slot('${name}', ${made})`)
    const diagnosis = await check(databaseUrl, '--slot', name)
    await sql.query('SELECT pg_drop_replication_slot($1)', [name])
    expect(findingOf(diagnosis, 'postgres.slot')).toMatchObject({
      severity: 'error',
      found: expect.stringContaining(`The replication slot "${name}" ${problem}`),
    })
    expect(faults(await check(databaseUrl, '--slot', name))).toEqual([])
  })

  it('a slot that another program reads than the follower of the namespace', async () => {
    await listCache(admin, namespace, { table: 'Lot' })
    const options = { replication: 'database', application_name: 'another' }
    const reader = new pg.Client({ connectionString: databaseUrl, ...options } as pg.ClientConfig)
    await reader.connect()
    await reader.query('CREATE_REPLICATION_SLOT taken TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT')
    const diagnosis = await check(databaseUrl, '--slot', 'taken')
    await reader.end()
    expect(faults(diagnosis)).toEqual(['error postgres.slot'])
    expect(findingOf(diagnosis, 'postgres.slot').found).toContain('is read by another program, "another"')
  })

  it('a statement_timeout that is not below fenceMs', async () => {
    const diagnosis = await diagnose(['--database', databaseUrl, '--fence-ms', '5000'])
    expect(faultsIn(diagnosis)).toEqual(['warning postgres.statement-timeout'])
    const role = new URL(databaseUrl).username
    const { remedy } = findingOf(diagnosis, 'postgres.statement-timeout')
    expect(remedy).toBe(`ALTER ROLE "${role}" SET statement_timeout = '4000ms';`)
  })

  it.each([
    [0, 'warning', 'statement_timeout of the role postgres is off, and fenceMs is 5000 ms.'],
    [5_000, 'warning', 'statement_timeout of the role postgres is 5000 ms, and fenceMs is 5000 ms.'],
    [4_999, 'ok', 'statement_timeout is 4999 ms, below fenceMs (5000 ms).'],
  ])('a statement_timeout of %s ms with a fenceMs of 5000: %s', async (ms, severity, found) => {
    const database = new URL(databaseUrl).pathname.slice(1)
    await sql.query(`ALTER DATABASE "${database}" SET statement_timeout = ${ms}`)
    const diagnosis = await diagnose(['--database', databaseUrl, '--fence-ms', '5000'])
    expect(findingOf(diagnosis, 'postgres.statement-timeout')).toMatchObject({ severity, found })
  })

  /** Without the project. */
  const ofPostgres = ({ findings }: Diagnosis): string[] =>
    findings.flatMap(({ found, id, severity }) =>
      id.startsWith('postgres.') ? [`${severity} ${id}: ${found}`] : [],
    )
  const answers = (url: string): string => {
    const { host, pathname } = new URL(url)
    return `ok postgres.reachable: PostgreSQL answers at ${host}${pathname}.`
  }

  it('what following needs, also without Valkey, and leaves no connection', async () => {
    expect(ofPostgres(await diagnose(['--database', databaseUrl]))).toEqual([
      answers(databaseUrl),
      'ok postgres.statement-timeout: statement_timeout is 8000 ms, below fenceMs (10000 ms).',
    ])
    expect(
      ofPostgres(await diagnose(['--database', databaseUrl, '--namespace', 'shop', '--follow'])),
    ).toEqual([
      answers(databaseUrl),
      'ok postgres.statement-timeout: statement_timeout is 8000 ms, below fenceMs (10000 ms).',
      "ok postgres.wal-level: wal_level is 'logical'.",
      `ok postgres.role: The role ${new URL(databaseUrl).username} may replicate.`,
      'note postgres.publication: There is no publication model_cache_shop.',
    ])
    const others = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    await eventuallyEqual(async () => (await sql.query(others)).rows, [{ count: 0 }])
  })

  it('that the settings of a server do not let its log be followed', async () => {
    const unset = await startPostgres({ wal_level: 'replica', max_replication_slots: '0' })
    const diagnosis = await diagnose(['--database', unset.url, '--namespace', 'shop', '--follow'])
    await unset.stop()
    expect(ofPostgres(diagnosis)).toEqual([
      answers(unset.url),
      'warning postgres.statement-timeout: statement_timeout of the role postgres is off, and fenceMs is 10000 ms.',
      "error postgres.wal-level: wal_level is 'replica'.",
      'error postgres.slots: All 0 replication slots are in use.',
      'ok postgres.role: The role postgres may replicate.',
      'note postgres.publication: There is no publication model_cache_shop.',
    ])
    expect(findingOf(diagnosis, 'postgres.slots').remedy).toBe(
      'Drop one that nobody reads, or raise max_replication_slots.',
    )
  })

  it('a server that is not there, without its password', async () => {
    const url = 'postgresql://app:s3cret@127.0.0.1:1/shop'
    const diagnosis = await diagnose(['--database', url])
    expect(faultsIn(diagnosis)).toEqual(['error postgres.reachable'])
    expect(findingOf(diagnosis, 'postgres.reachable').found).toContain('127.0.0.1:1/shop')
    expect(JSON.stringify(diagnosis)).not.toContain('s3cret')
  })

  it('that another database cannot be checked', async () => {
    const diagnosis = await diagnose([
      '--database',
      'sqlserver://db:1433;database=shop;user=app;password=s3cret',
    ])
    expect(findingOf(diagnosis, 'postgres.url').severity).toBe('note')
    expect(JSON.stringify(diagnosis)).not.toContain('s3cret')
  })

  it('WAL senders and slots that are all in use, where the log has all that is needed', async () => {
    const settings = { wal_level: 'logical', max_wal_senders: '1', max_replication_slots: '0' }
    const crowded = await startPostgres(settings)
    const sender = new pg.Client({
      connectionString: crowded.url,
      replication: 'database',
    } as pg.ClientConfig)
    await sender.connect()
    const diagnosis = await check(crowded.url)
    const { found, remedy, severity } = findingOf(diagnosis, 'postgres.senders')
    expect([severity, found]).toEqual(['error', 'All 1 WAL senders are in use.'])
    expect(remedy).toContain('ALTER SYSTEM SET max_wal_senders = 6;')
    const severityOf = (id: string): string => findingOf(diagnosis, id).severity
    expect(['postgres.slots', 'postgres.wal-level'].map(severityOf)).toEqual(['error', 'ok'])
    await sender.end()
    await crowded.stop()
  })

  it('no lack of WAL senders and slots where the follower of the namespace has the last ones', async () => {
    const settings = { wal_level: 'logical', max_wal_senders: '1', max_replication_slots: '1' }
    const crowded = await startPostgres(settings)
    await listCache(admin, namespace, { table: 'Lot' })
    // As it names itself in pg_stat_activity.
    const key = createHash('sha256').update(`${namespace}:epoch`).digest('hex').slice(0, 16)
    const options = { replication: 'database', application_name: `model-cache follower ${key}` }
    const follower = new pg.Client({ connectionString: crowded.url, ...options } as pg.ClientConfig)
    await follower.connect()
    await follower.query('CREATE_REPLICATION_SLOT own TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT')
    expect(faults(await check(crowded.url)).filter((fault) => /slots|senders/.test(fault))).toEqual([])
    await follower.end()
    await crowded.stop()
  })
})
