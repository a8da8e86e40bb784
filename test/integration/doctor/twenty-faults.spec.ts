import { Redis } from 'ioredis'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.js'
import { type ServerProxy, startServerProxy } from '../../support/server-proxy.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { type Diagnosis, findingOf, useCommandLine } from './command-line.js'
import { createProject, faultyProject } from './faulty-project.js'

const { diagnose, run } = useCommandLine()

let valkey: ValkeyServer
let proxy: ServerProxy
let postgres: PostgresServer
let project: ReturnType<typeof createProject>
let args: string[]
let options: Parameters<typeof diagnose>[1]

beforeAll(async () => {
  project = createProject(faultyProject)
  ;[valkey, postgres] = await Promise.all([
    startValkey({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] }),
    startPostgres({ wal_level: 'replica', max_replication_slots: '1' }),
  ])
  proxy = await startServerProxy(valkey.port)
  // Above the deadline that the doctor is given, however quick this machine is.
  proxy.delayMs = 20
  const admin = new Redis({ port: valkey.port })
  const rules = '+@all -mget -publish ~mc:* &mc:*'.split(' ')
  await admin.call('ACL', 'SETUSER', 'app', 'on', '>s3cret', ...rules)
  await admin.hset('mc:{catalogue}', {
    '=epoch': 'lost',
    'User:f:1': '0;0;{"v":99,"model":"User","dependsOn":[]}',
    'Lot:f:1': `0;0;${JSON.stringify({
      v: 6,
      model: 'Lot',
      dependsOn: [],
      id: [{ name: 'id', kind: 'number' }],
      buckets: 1,
      lookups: [],
      tables: {
        provider: 'postgresql',
        models: [
          {
            model: 'Lot',
            schema: 'public',
            name: 'Lot',
            columns: [{ field: 'id', column: 'id', type: 'Int' }],
          },
        ],
        joins: [],
      },
    })}`,
  })
  admin.disconnect()

  const sql = new pg.Client({ connectionString: postgres.url })
  await sql.connect()
  await sql.query(`CREATE TABLE "Lot" (id int PRIMARY KEY, name text); ALTER TABLE "Lot" REPLICA IDENTITY NOTHING;
    CREATE ROLE app LOGIN PASSWORD 's3cret'; REVOKE CREATE ON DATABASE postgres FROM PUBLIC`)
  await sql.query(`SELECT pg_create_physical_replication_slot('taken')`)
  await sql.end()

  const url = new URL(postgres.url)
  url.username = 'app'
  url.password = 's3cret'
  args = [
    '--valkey',
    `valkey://app:s3cret@127.0.0.1:${proxy.port}`,
    '--database',
    url.href,
    '--follow',
    '--deadline-ms',
    '10',
  ]
  const clock = 'const now = Date.now; Date.now = () => now() + 60_000'
  options = {
    cwd: project.folder,
    node: ['--import', `data:text/javascript,${encodeURIComponent(clock)}`],
  }
})

afterAll(async () => {
  await proxy.stop()
  await Promise.all([valkey.stop(), postgres.stop()])
  project.remove()
})

describe('the doctor', () => {
  let diagnosis: Diagnosis & { readonly code: number }
  beforeAll(async () => {
    diagnosis = await diagnose(args, options)
  })

  it('finds all of the planted faults', () => {
    const faults = diagnosis.findings
      .filter(({ severity }) => severity !== 'ok')
      .map(({ id, severity }) => `${severity} ${id}`)
    expect(faults.toSorted()).toEqual(
      [
        'warning valkey.password',
        'warning valkey.eviction',
        'error valkey.latency',
        'warning valkey.clock',
        'error valkey.rights',
        'warning valkey.channels',
        'warning caches.epoch',
        'warning caches.version',
        'warning follow.running',
        'warning postgres.statement-timeout',
        'error postgres.wal-level',
        'error postgres.slots',
        'error postgres.role',
        'error postgres.replica-identity',
        'warning postgres.unknown-tables',
        'error postgres.publication',
        'error project.prisma-version',
        'error project.prisma-engine',
        'error project.peer-version',
        'warning project.prisma-mismatch',
      ].toSorted(),
    )
    expect(diagnosis.code).toBe(1)
  })

  it('says by how much a clock is wrong', () => {
    const { found } = findingOf(diagnosis, 'valkey.clock')
    expect(found).toMatch(/is (59|60)\.\d s behind that of this machine/)
  })

  it('says of each what it means, and of nearly all what mends it', () => {
    const faults = diagnosis.findings.filter(({ severity }) => severity !== 'ok')
    expect(faults.filter(({ meaning }) => !meaning)).toEqual([])
    expect(faults.filter(({ remedy }) => !remedy)).toEqual([])
  })

  it('shows no password', () => {
    expect(JSON.stringify(diagnosis)).not.toContain('s3cret')
  })

  it('prints it for people, grouped, without colours where there is no terminal', async () => {
    const { code, errors, output } = await run(['doctor', ...args], options)
    expect({ code, errors }).toEqual({ code: 1, errors: '' })
    const titles = output.split('\n').filter((line) => /^[A-Z]/.test(line))
    expect(titles).toEqual(['Valkey', 'Caches', 'Following', 'PostgreSQL', 'Project'])
    const { error, warning } = diagnosis.summary
    expect(output.trimEnd().split('\n').at(-1)).toBe(`${error} errors, ${warning} warnings`)
    expect(output).toContain(`  warning  127.0.0.1:${proxy.port} evicts keys`)
    expect(output).not.toContain('\u001B')
    expect(output).not.toContain('s3cret')
  })

  it.each([
    ['pg', 'postgres.package', () => postgres.url],
    ['mysql2', 'mysql.package', () => 'mysql://127.0.0.1:1/shop'],
  ])('names the package %s if it is missing, and checks the rest', async (name, id, url) => {
    const without =
      `import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) {` +
      ` if (name.split('/')[0] === '${name}') throw new Error("Cannot find package '${name}'"); return next(name, context) } })`
    const found = await diagnose(['--database', url()], {
      ...options,
      node: ['--import', `data:text/javascript,${encodeURIComponent(without)}`],
    })
    expect(findingOf(found, id).remedy).toBe(`npm install ${name}`)
    const ids = found.findings.map((finding) => finding.id)
    expect(ids).toContain('valkey.url')
    expect(ids).toContain('project.prisma-version')
    expect(ids.filter((other) => other.endsWith('.reachable'))).toEqual([])
  })
})
