import { extendPrisma } from 'model-cache'
import pg from 'pg'
import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { linesOf, RecordingCoordinator } from './recording-coordinator.js'
import { createSensorsClient, type SensorsClient, sensorsSql } from './sensors.js'

const recorder = new RecordingCoordinator()
let database: TestDatabase
let other: pg.Client
let plain: SensorsClient
let prisma: SensorsClient
const statements: string[] = []

beforeAll(async () => {
  database = await createDatabase()
  const { url } = database
  other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query(sensorsSql)
  plain = createSensorsClient(url)
  plain.$on('query' as never, ({ query }: { query: string }) => void statements.push(query))
  prisma = extendPrisma(plain, recorder)
})
afterAll(async () => {
  await plain.$disconnect()
  await other.end()
  await database.drop()
})

beforeEach(async () => {
  await other.query('TRUNCATE sensors, "Reading", "Alarm", "Slot", "Part" RESTART IDENTITY')
  recorder.caches = {}
  await recorder.take()
  statements.length = 0
})

const one = async (sql: string): Promise<unknown> => Object.values((await other.query(sql)).rows[0] ?? {})[0]

const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

const nextTurn = () => new Promise<false>((resolve) => setImmediate(() => resolve(false)))

/** Runs a write, and commits the transaction of `other` once the write waits for it. */
async function meetAtLock(write: Promise<unknown>): Promise<unknown> {
  const over = write.then(
    () => true,
    () => true,
  )
  const isWaiting = async () => (await database.rows(waiting)).length > 0
  while (!(await isWaiting()) && !(await Promise.race([over, nextTurn()]))) await nextTurn()
  await other.query('COMMIT')
  return write
}

describe('rows whose primary key loses microseconds on the way', () => {
  beforeEach(async () => {
    await other.query(`INSERT INTO sensors VALUES (1, NULL, 's')`)
    await other.query(`
      INSERT INTO "Reading" SELECT 1, '2026-01-01 00:00:00.000001Z'::timestamptz + n * '1.000001 s'::interval, n, 0
      FROM generate_series(1, 3) n`)
  })

  it('are updated and deleted in bulk, and announced by the ids of the cache', async () => {
    recorder.caches = { Reading: [['serial']] }
    const where = { serial: { gt: 1 } }
    expect(await prisma.reading.updateMany({ where, data: { value: 7 } })).toEqual({ count: 2 })
    expect(await one('SELECT count(*)::int FROM "Reading" WHERE value = 7')).toBe(2)
    expect(await recorder.take()).toEqual(['markWritten Reading {"serial":2} {"serial":3}', 'fence', 'end'])
    expect(await prisma.reading.deleteMany({ where })).toEqual({ count: 2 })
    expect(await recorder.take()).toEqual(['markWritten Reading {"serial":2} {"serial":3}', 'fence', 'end'])
    expect(await one('SELECT count(*)::int FROM "Reading"')).toBe(1)
  })

  it('are deleted by their other key, and announced by the ids of the cache', async () => {
    recorder.caches = { Reading: [['sensorId', 'serial']] }
    expect(await prisma.reading.deleteMany({ where: { value: 0 } })).toEqual({ count: 3 })
    expect((await recorder.take())[0]).toBe(
      'markWritten Reading {"sensorId":1,"serial":1} {"sensorId":1,"serial":2} {"sensorId":1,"serial":3}',
    )
  })

  it('are announced when their parent is deleted', async () => {
    recorder.caches = { Reading: [['serial']] }
    await prisma.sensor.delete({ where: { id: 1 } })
    expect(await recorder.take()).toEqual(
      linesOf('markWritten Reading {"serial":1} {"serial":2} {"serial":3}'),
    )
  })
})

describe('ids', () => {
  it('that were null are announced by their new value', async () => {
    recorder.caches = { Sensor: [['code']] }
    await other.query(`INSERT INTO sensors VALUES (1, NULL, 's'), (2, 'old', 't')`)
    expect(await prisma.sensor.updateMany({ where: { name: 's' }, data: { code: 'new' } })).toEqual({
      count: 1,
    })
    expect(await recorder.take()).toEqual(['markWritten Sensor {"code":"new"}', 'fence', 'end'])
    await prisma.sensor.updateMany({ where: { name: 't' }, data: { code: null } })
    expect(await recorder.take()).toEqual(['markWritten Sensor {"code":"old"}', 'fence', 'end'])
  })

  it('that differ by a millisecond are announced as they were and as they are', async () => {
    recorder.caches = { Reading: [['sensorId', 'at']] }
    await other.query(`INSERT INTO sensors VALUES (1, NULL, 's')`)
    await other.query(`INSERT INTO "Reading" VALUES (1, '2026-01-01 00:00:00.001Z', 1, 0)`)
    await prisma.reading.update({ where: { serial: 1 }, data: { at: new Date('2026-01-01T00:00:00.002Z') } })
    const [before, after] = [1, 2].map((ms) => `{"sensorId":1,"at":"2026-01-01T00:00:00.00${ms}Z"}`)
    expect(await recorder.take()).toEqual(linesOf(`markWritten Reading ${before} ${after}`))
  })

  it('that are not fields of the model allow every write, and make it affect all rows', async () => {
    recorder.caches = { Sensor: [['handle']] }
    expect(await prisma.sensor.createMany({ data: [{ name: 'a' }, { name: 'b' }] })).toEqual({ count: 2 })
    const select = { name: true }
    expect(await prisma.sensor.update({ where: { id: 1 }, data: { name: 'c' }, select })).toEqual({
      name: 'c',
    })
    expect(await prisma.sensor.create({ data: { name: 'd' }, select })).toEqual({ name: 'd' })
    expect(await prisma.sensor.updateMany({ where: { name: 'b' }, data: { name: 'e' } })).toEqual({
      count: 1,
    })
    expect(await prisma.sensor.deleteMany({ where: { name: 'e' } })).toEqual({ count: 1 })
    const affected = (await recorder.take()).filter((event) => event.includes('markWritten'))
    const [created, all] = ['markWritten created Sensor: unknown', 'markWritten all Sensor: unknown']
    expect(affected.map((event) => event.replace(/^\d: /, ''))).toEqual([created, all, created, all, all])
  })

  it('that another transaction changes meanwhile are announced as they are when the row is written', async () => {
    recorder.caches = { Sensor: [['code']] }
    await other.query(`INSERT INTO sensors VALUES (1, 'old', 's')`)
    for (const write of [
      () => prisma.sensor.update({ where: { id: 1 }, data: { code: 'new' } }),
      () => prisma.sensor.updateMany({ where: { name: 's' }, data: { code: 'newer' } }),
    ]) {
      await other.query(`BEGIN; UPDATE sensors SET code = 'between'`)
      await meetAtLock(write())
      expect((await recorder.take())[0]).toContain('markWritten Sensor {"code":"between"} {"code":"new')
    }
  })

  it('that an upsert changes in a row which another transaction has just created are announced', async () => {
    recorder.caches = { Sensor: [['code']] }
    const upsert = (id: number): Promise<unknown> =>
      prisma.sensor.upsert({
        where: { id },
        create: { id, code: `new ${id}`, name: 's' },
        update: { code: 'n' },
      })
    await other.query(`BEGIN; INSERT INTO sensors VALUES (1, 'old', 's')`)
    expect(await meetAtLock(upsert(1))).toMatchObject({ code: 'n' })
    expect((await recorder.take())[0]).toMatch(/^markWritten (?:all Sensor|Sensor .*"old")/)
    await upsert(2)
    expect(await recorder.take()).toEqual(linesOf('markWritten Sensor {"code":"new 2"}'))
  })

  it('that an upsert of raw SQL changes in such a row are announced beside those that its condition found', async () => {
    recorder.caches = { Sensor: [['code']] }
    await other.query(`INSERT INTO sensors VALUES (7, 'kept', 's')`)
    const upsert = (id: number): Promise<unknown> => prisma.$executeRaw`
      INSERT INTO sensors (sensor_id, code, name) VALUES (${id}, ${`new ${id}`}, 's')
      ON CONFLICT (sensor_id) DO UPDATE SET code = 'n' WHERE sensors.name = 's'`
    await other.query(`BEGIN; INSERT INTO sensors VALUES (1, 'old', 's')`)
    expect(await meetAtLock(upsert(1))).toBe(1)
    expect((await recorder.take())[0]).toMatch(/^markWritten (?:all Sensor|Sensor .*"old")/)
    await upsert(2)
    expect((await recorder.take())[0]).toMatch(/^markWritten Sensor .*"new 2"/)
  })

  it('that change together with the primary key are those of the rows that were locked', async () => {
    recorder.caches = { Slot: [['room', 'hour']] }
    await other.query(`INSERT INTO "Slot" VALUES ('a', 1, 'x'), ('a', 2, 'x')`)
    await prisma.slot.updateMany({ where: { state: 'x' }, data: { room: 'b' } })
    expect(await recorder.take()).toEqual([
      'markWritten Slot {"room":"a","hour":1} {"room":"a","hour":2} {"room":"b","hour":1} {"room":"b","hour":2}',
      'fence',
      'end',
    ])
  })
})

describe('a row that begins to match between the selection and the write', () => {
  const begin = `BEGIN; INSERT INTO "Slot" VALUES ('late', 1, 'x'); LOCK TABLE "Slot" IN SHARE MODE`
  beforeEach(async () => {
    recorder.caches = { Slot: [['room', 'hour']] }
    await other.query(`INSERT INTO "Slot" VALUES ('early', 1, 'x')`)
  })

  it('is updated and announced', async () => {
    await other.query(begin)
    const write = prisma.slot.updateMany({ where: { state: 'x' }, data: { state: 'y' } })
    expect(await meetAtLock(write)).toEqual({ count: 2 })
    expect(await recorder.take()).toEqual(
      linesOf('markWritten Slot {"room":"early","hour":1} {"room":"late","hour":1}'),
    )
  })

  it('is deleted and announced', async () => {
    await other.query(begin)
    const write = prisma.slot.deleteMany({ where: { state: 'x' } })
    expect(await meetAtLock(write)).toEqual({ count: 2 })
    expect(await one('SELECT count(*)::int FROM "Slot"')).toBe(0)
    expect(await recorder.take()).toEqual(
      linesOf('markWritten Slot {"room":"early","hour":1} {"room":"late","hour":1}'),
    )
  })

  it('cascades to its children, all of which count as written', async () => {
    recorder.caches = { Alarm: [['id']] }
    await other.query(`
      INSERT INTO sensors VALUES (1, NULL, 'x');
      INSERT INTO "Alarm" VALUES (1, 'a', 1)`)
    await other.query(`
      BEGIN;
      INSERT INTO sensors VALUES (2, NULL, 'x');
      INSERT INTO "Alarm" VALUES (2, 'b', 2);
      LOCK TABLE sensors IN SHARE MODE`)
    const write = prisma.sensor.deleteMany({ where: { name: 'x' } })
    expect(await meetAtLock(write)).toEqual({ count: 2 })
    expect(await one('SELECT count(*)::int FROM "Alarm"')).toBe(0)
    expect(await recorder.take()).toEqual(['markWritten all Alarm: cascade', 'fence', 'end'])
  })
})

describe('a referential action', () => {
  it.each([
    ['id', { id: 1 }],
    ['code', { code: 'c' }],
  ])('reaches a child that is added before its parent is deleted, by %s', async (_, where) => {
    recorder.caches = { Alarm: [['id']] }
    await other.query(`INSERT INTO sensors VALUES (1, 'c', 's')`)
    await other.query(`BEGIN; INSERT INTO "Alarm" VALUES (5, 'a', 1)`)
    await meetAtLock(prisma.sensor.delete({ where }))
    expect(await one('SELECT count(*)::int FROM "Alarm"')).toBe(0)
    expect(await recorder.take()).toEqual(['markWritten Alarm {"id":5}', 'fence', 'end'])
  })

  it('reaches a child whose id is changed before its parent is deleted', async () => {
    recorder.caches = { Alarm: [['code']] }
    await other.query(`INSERT INTO sensors VALUES (1, 'c', 's'); INSERT INTO "Alarm" VALUES (5, 'a', 1)`)
    await other.query(`BEGIN; UPDATE "Alarm" SET code = 'b'`)
    await meetAtLock(prisma.sensor.delete({ where: { id: 1 } }))
    expect(await recorder.take()).toEqual(['markWritten Alarm {"code":"b"}', 'fence', 'end'])
  })

  it('affects all rows if the role may not lock rows, and the write succeeds', async () => {
    recorder.caches = { Alarm: [['id']] }
    await other.query(`
      DROP ROLE IF EXISTS deleter; CREATE ROLE deleter LOGIN PASSWORD 'deleter';
      GRANT SELECT, DELETE ON sensors TO deleter; GRANT SELECT ON "Alarm" TO deleter;
      INSERT INTO sensors VALUES (1, NULL, 's'); INSERT INTO "Alarm" VALUES (1, 'a', 1)`)
    const url = new URL(database.url)
    url.username = 'deleter'
    url.password = 'deleter'
    const limited = createSensorsClient(url.href)
    try {
      await extendPrisma(limited, recorder).sensor.delete({ where: { id: 1 } })
      expect(await recorder.take()).toEqual(['markWritten all Alarm: cascade', 'fence', 'end'])
      expect(await one('SELECT count(*)::int FROM "Alarm"')).toBe(0)
    } finally {
      await limited.$disconnect()
      await other.query('DROP OWNED BY deleter; DROP ROLE deleter')
    }
  })
})

describe('updateMany of many rows by compound keys', () => {
  const insert = `INSERT INTO "Slot" SELECT 'r' || n, n, 'x' FROM generate_series(1, 120) n`
  beforeEach(() => {
    recorder.caches = { Slot: [['room', 'hour']] }
  })

  it('is announced from its arguments, and runs as it is', async () => {
    await other.query(insert)
    const keys = Array.from({ length: 120 }, (_, n) => ({ room: `r${n + 1}`, hour: n + 1 }))
    const write = prisma.slot.updateMany({ where: { OR: keys, state: 'x' }, data: { state: 'y' } })
    expect(await write).toEqual({ count: 120 })
    expect(statements).toHaveLength(1)
    const [written, ...others] = await recorder.take()
    expect(written!.split(' ')).toHaveLength(122)
    expect(others).toEqual(['fence', 'end'])
  })
})

describe('deleteMany', () => {
  beforeEach(() => {
    recorder.caches = { Part: [['id']], Slot: [['room', 'hour']] }
  })

  it('deletes no row that matches only because others were deleted', async () => {
    await other.query('INSERT INTO "Part" VALUES (1, NULL), (2, 1), (3, 2)')
    expect(await prisma.part.deleteMany({ where: { parts: { none: {} } } })).toEqual({ count: 1 })
    expect(await recorder.take()).toEqual(['markWritten Part {"id":3}', 'fence', 'end'])
  })

  it('that reads its own table deletes what Prisma deletes', async () => {
    await other.query('INSERT INTO "Part" VALUES (1, NULL), (2, NULL), (3, 2)')
    // Part 2 has no parts any more once this is committed.
    await other.query('BEGIN; DELETE FROM "Part" WHERE id = 3; UPDATE "Part" SET id = id WHERE id = 1')
    const where = { parts: { none: {} } }
    expect(await meetAtLock(prisma.part.deleteMany({ where }))).toEqual({ count: 1 })
    expect(await recorder.take()).toEqual(['markWritten Part {"id":1}', 'fence', 'end'])
  })

  it('of many rows runs as it is', async () => {
    await other.query(`INSERT INTO "Slot" SELECT 'r' || n, n, 'x' FROM generate_series(1, 250) n`)
    expect(await prisma.slot.deleteMany({ where: { state: 'x' } })).toEqual({ count: 250 })
    const parameters = statements.map((sql) => sql.match(/\$\d+/g)?.length ?? 0)
    expect(Math.max(...parameters)).toBeLessThan(10)
    expect(statements.filter((sql) => sql.startsWith('DELETE'))).toHaveLength(1)
    const [written, ...others] = await recorder.take()
    expect(written!.split(' ')).toHaveLength(252)
    expect(others).toEqual(['fence', 'end'])
  })

  it('of many rows announces those that it has deleted, not those that it would have', async () => {
    await other.query(`INSERT INTO "Slot" SELECT 'r' || n, n, 'x' FROM generate_series(1, 100) n`)
    await other.query(
      `BEGIN; INSERT INTO "Slot" VALUES ('late', 1, 'x'); UPDATE "Slot" SET state = 'y' WHERE hour = 50`,
    )
    const write = prisma.slot.deleteMany({ where: { state: 'x' } })
    expect(await meetAtLock(write)).toEqual({ count: 99 })
    const [written] = await recorder.take()
    expect(written!.split(' ')).toHaveLength(101)
    expect(written).not.toContain('"r50"')
  })

  it('and updateMany take more rows than a statement has parameters', async () => {
    const client = createSensorsClient(database.url)
    const big = extendPrisma(client, recorder, { maxRows: 40_000 })
    await other.query(`INSERT INTO "Part" SELECT n, NULL FROM generate_series(1, 33000) n`)
    recorder.caches = { Sensor: [['id']] }
    await other.query(`INSERT INTO sensors SELECT n, NULL, 's' FROM generate_series(1, 33000) n`)
    expect(await big.sensor.updateMany({ where: { name: 's' }, data: { name: 't' } })).toEqual({
      count: 33_000,
    })
    expect((await recorder.take())[0]!.split(' ')).toHaveLength(33_002)
    expect(await big.sensor.deleteMany({ where: { name: 't' } })).toEqual({ count: 33_000 })
    expect((await recorder.take())[0]!.split(' ')).toHaveLength(33_002)
    await client.$disconnect()
  })
})
