import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createPostgresDatabase, type PostgresServer, startPostgres } from '../../support/postgres-server.js'
import { Redis } from 'ioredis'
import { valkeyUrl } from '../../support/servers.js'
import { diagnose, type Diagnosis, faultsIn, findingOf } from './command-line.js'

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

/** Lists a cache of the table, by one of its columns. */
async function listCache(table: string, id = 'id'): Promise<void> {
  const description = {
    v: 4,
    model: 'Lot',
    dependsOn: [],
    id: [[id, id === 'id' ? 'number' : 'string']],
    buckets: 1,
    lookups: [],
    tables: {
      provider: 'postgresql',
      models: [{ model: 'Lot', table: ['public', table], columns: [[id, id, 'Int']] }],
      joins: [],
    },
  }
  const epoch = { '=word': 'epoch', 'Lot:f:1': `0;0;${JSON.stringify(description)}` }
  await admin.hset(`${namespace}:{catalogue}`, epoch)
  await admin.set(`${namespace}:{catalogue}:word`, 'epoch')
}

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
    await listCache('Lot')
    const diagnosis = await check()
    expect(faults(diagnosis)).toEqual([])
    const { remedy, severity } = findingOf(diagnosis, 'postgres.publication')
    expect(severity).toBe('note')
    await sql.query(remedy!)
    expect(findingOf(await check(), 'postgres.publication').severity).toBe('ok')
  })

  it('a publication that lacks tables, changes and rows, with the statements that mend it', async () => {
    await listCache('Lot')
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
    await listCache(table, id)
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

  it('a statement_timeout that is not below fenceMs', async () => {
    const diagnosis = await diagnose(['--database', databaseUrl, '--fence-ms', '5000'])
    expect(faultsIn(diagnosis)).toEqual(['warning postgres.statement-timeout'])
    const role = new URL(databaseUrl).username
    const { remedy } = findingOf(diagnosis, 'postgres.statement-timeout')
    expect(remedy).toBe(`ALTER ROLE "${role}" SET statement_timeout = '4000ms';`)
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

  it('WAL senders that are all in use', async () => {
    const crowded = await startPostgres({ wal_level: 'logical', max_wal_senders: '1' })
    const sender = new pg.Client({
      connectionString: crowded.url,
      replication: 'database',
    } as pg.ClientConfig)
    await sender.connect()
    const { found, remedy, severity } = findingOf(await check(crowded.url), 'postgres.senders')
    expect([severity, found]).toEqual(['error', 'All 1 WAL senders are in use.'])
    expect(remedy).toContain('ALTER SYSTEM SET max_wal_senders = 6;')
    await sender.end()
    await crowded.stop()
  })
})
