import { AsyncLocalStorage } from 'node:async_hooks'
import { captured, extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, ValkeyStore } from 'model-cache/advanced'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { type Prisma, PrismaClient } from '../differential/derived/sqlite/client.js'
import { eventually } from '../../support/eventually.js'
import { heardAdapter } from '../../support/heard-adapter.js'
import { patientMs, patientTransactions } from '../../support/patience.js'
import { ReconnectingLibSql } from '../../support/reconnecting-libsql.js'
import { valkeyUrl } from '../../support/servers.js'
import { sharedSqlite } from '../../support/shared-sqlite.js'
import { createSqliteDatabase } from '../../support/sqlite-database.js'
import type { TestDatabase } from '../../support/test-database.js'
import { linesOf, RecordingCoordinator } from './recording-coordinator.js'

const tables = `
PRAGMA journal_mode = WAL;
CREATE TABLE "Label" (name TEXT PRIMARY KEY, colour TEXT NOT NULL,
  "parentName" TEXT REFERENCES "Label" (name) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE "Day" (date DATETIME PRIMARY KEY, label TEXT NOT NULL UNIQUE);
CREATE TABLE "Hour" (at DATETIME PRIMARY KEY, label TEXT NOT NULL UNIQUE, date DATETIME REFERENCES "Day" (date));`

const recorder = new RecordingCoordinator()
let database: TestDatabase
const opened: PrismaClient[] = []
const pathOf = ({ url }: TestDatabase): string => url.replace('file:', '')
/** None of them waits for a lock. */
const openers = {
  separate: () => database.adapter(),
  shared: () => sharedSqlite(pathOf(database), 0),
}

type Transaction = Awaited<
  ReturnType<Awaited<ReturnType<SqlDriverAdapterFactory['connect']>>['startTransaction']>
>

function openClient(connections: keyof typeof openers, hooks?: TransactionHooks): PrismaClient {
  const adapter = openers[connections]()
  const client = new PrismaClient({
    adapter: hooks ? watchingTransactions(adapter, hooks) : adapter,
    transactionOptions: patientTransactions,
  })
  opened.push(client)
  return client
}

interface TransactionHooks {
  readonly afterBegin?: (transaction: Transaction) => Promise<void>
  readonly afterSelect?: () => Promise<void>
}

function watchingTransactions(
  factory: SqlDriverAdapterFactory,
  { afterBegin, afterSelect }: TransactionHooks,
): SqlDriverAdapterFactory {
  const connect = async () => {
    const adapter = await factory.connect()
    const start = adapter.startTransaction.bind(adapter)
    const startTransaction: typeof start = async (level) => {
      const transaction = await start(level)
      await afterBegin?.(transaction)
      const queryRaw = transaction.queryRaw.bind(transaction)
      return Object.assign(transaction, {
        async queryRaw(query: Parameters<typeof queryRaw>[0]) {
          const rows = await queryRaw(query)
          if (query.sql.startsWith('SELECT')) await afterSelect?.()
          return rows
        },
      })
    }
    return Object.assign(adapter, { startTransaction })
  }
  return { provider: 'sqlite', adapterName: factory.adapterName, connect }
}

async function begin(connections: keyof typeof openers): Promise<void> {
  database = await createSqliteDatabase(connections === 'shared' ? 'shared' : 'libsql')
  await database.run(tables)
  await database.run(`INSERT INTO "Label" VALUES ('a', 'red', NULL), ('b', 'blue', 'a'), ('c', 'red', NULL)`)
  await database.run(`INSERT INTO "Day" VALUES ('2026-01-01T00:00:00.000+00:00', 'old')`)
  recorder.caches = { Label: [['name']] }
  recorder.look = async () => undefined
  await recorder.take()
}
afterEach(async () => {
  for (const client of opened.splice(0)) await client.$disconnect()
  await database.drop()
})

/** As another process would, by the same copy of SQLite: two copies do not see each other's locks within a process. */
async function run(connections: keyof typeof openers, sql: string): Promise<void> {
  const connection = await openers[connections]().connect()
  try {
    await connection.executeRaw({ sql, args: [], argTypes: [] })
  } finally {
    await connection.dispose()
  }
}

const colourOf = async (name: string): Promise<unknown> =>
  (await database.rows<{ colour: string }>(`SELECT colour FROM "Label" WHERE name = '${name}'`))[0]?.colour

describe.each(['separate', 'shared'] as const)(
  'on SQLite with %s connections of transactions',
  (connections) => {
    beforeEach(() => begin(connections))

    const hours = { create: { at: new Date('2026-01-01T12:00:00Z'), label: 'noon' } }
    const nested = { where: { date: new Date('2026-01-01') }, data: { hours } }
    const upsert = {
      where: { label: 'old' },
      create: { date: new Date(0), label: '1970' },
      update: { label: 'new' },
    }
    type Run = (operation: string, model: string, args: object) => (tx: PrismaClient) => Promise<unknown>
    const alone: Run = (operation, model, args) => (prisma) =>
      (prisma[model as 'label'][operation as 'deleteMany'] as (args: object) => Promise<object>)(args)
    const inCallback: Run = (operation, model, args) => (prisma) =>
      prisma.$transaction((tx) => alone(operation, model, args)(tx as PrismaClient))
    const inArray: Run = (operation, model, args) => (prisma) =>
      prisma.$transaction([alone(operation, model, args)(prisma) as never])
    it('an update of nothing reads a view in a transaction, which has no rows to lock', async () => {
      await database.run(
        `ALTER TABLE "Label" RENAME TO "Labels"; CREATE VIEW "Label" AS SELECT * FROM "Labels"; INSERT INTO "Labels" VALUES ('v', 'blue', NULL)`,
      )
      const prisma = extendPrisma(openClient(connections), recorder)
      const write = inCallback('update', 'label', { where: { name: 'v' }, data: {} })
      expect(await write(prisma)).toMatchObject({ colour: 'blue' })
    })

    it.each([
      ['deleteMany with a cascade', 'alone', alone('deleteMany', 'label', { where: { colour: 'red' } })],
      ['a nested write', 'alone', alone('update', 'day', nested)],
      ['a nested write', 'in a callback', inCallback('update', 'day', nested)],
      ['a nested write', 'in an array', inArray('update', 'day', nested)],
      ['an upsert by another key', 'alone', alone('upsert', 'day', upsert)],
      ['a create', 'in a callback', inCallback('create', 'label', { data: { name: 'd', colour: 'red' } })],
      [
        'raw SQL',
        'in a callback',
        (prisma: PrismaClient) =>
          prisma.$transaction((tx) => tx.$executeRaw`DELETE FROM "Label" WHERE name = 'b'`),
      ],
    ])('%s %s takes the write lock before any row is selected', async (_what, _where, write) => {
      recorder.caches.Day = [['date']]
      const attempts: unknown[] = []
      const afterSelect = async (): Promise<void> => {
        const write = run(connections, `UPDATE "Label" SET colour = 'other' WHERE name = 'c'`)
        attempts.push(await write.catch((error: { cause?: object }) => error.cause))
      }
      const prisma = extendPrisma(openClient(connections, { afterSelect }), recorder)
      await write(prisma)
      expect(attempts).toEqual(attempts.map(() => expect.objectContaining({ kind: 'SocketTimeout' })))
      expect(attempts.length).toBeGreaterThan(0)
    })

    it('takes it for an update although a trigger of DELETE names a table that is gone', async () => {
      await database.run(`CREATE TABLE "Gone" (name TEXT);
        CREATE TRIGGER keep AFTER DELETE ON "Label" BEGIN DELETE FROM "Gone"; END; DROP TABLE "Gone"`)
      let isTaken = false
      const afterSelect = async (): Promise<void> => {
        const other = run(connections, `UPDATE "Label" SET colour = 'other' WHERE name = 'c'`)
        isTaken = await other.then(
          () => false,
          () => true,
        )
      }
      const prisma = extendPrisma(openClient(connections, { afterSelect }), recorder)
      const write = prisma.label.updateMany({ where: { colour: 'red' }, data: { colour: 'new' } })
      expect(await write).toEqual({ count: 2 })
      expect(isTaken).toBe(true)
    })

    it('repeats its own transaction if another process has written after its first read, and before its lock', async () => {
      let begun = 0
      const afterBegin = async (transaction: Transaction): Promise<void> => {
        if (begun++ > 0) return
        await transaction.queryRaw({ sql: 'SELECT * FROM "Label"', args: [], argTypes: [] })
        await run(connections, `UPDATE "Label" SET colour = 'red' WHERE name = 'b'`)
      }
      const prisma = extendPrisma(openClient(connections, { afterBegin }), recorder)
      const write = prisma.label.updateMany({ where: { colour: 'red' }, data: { colour: 'new' } })
      expect(await write).toEqual({ count: 3 })
      expect(begun).toBe(2)
    })

    it.each([
      [
        'an update',
        'alone',
        alone('updateMany', 'label', { where: { colour: 'red' }, data: { colour: 'new' } }),
      ],
      ['an update of all', 'in a callback', inCallback('updateMany', 'label', { data: { colour: 'new' } })],
      ['a delete', 'alone', alone('deleteMany', 'hour', {})],
    ])('%s %s of more rows than `maxRows` asks for none of them', async (_what, _where, write) => {
      await database.run(`INSERT INTO "Hour" VALUES (1, 'a', NULL), (2, 'b', NULL), (3, 'c', NULL)`)
      recorder.caches.Hour = [['at']]
      const returning: string[] = []
      const sent = (sql: string): void => void (/RETURNING/.test(sql) && returning.push(sql))
      const client = new PrismaClient({ adapter: heardAdapter(openers[connections](), { sent }) })
      opened.push(client)
      const { count } = (await write(extendPrisma(client, recorder, { maxRows: 1 }))) as { count: number }
      expect(count).toBeGreaterThan(1)
      expect(returning).toEqual([])
      expect(await recorder.take()).toContainEqual(expect.stringMatching(/^markWritten all \w+: unbounded$/))
    })

    it('marks what a statement has written before the next one of the same write failed', async () => {
      recorder.caches = { Day: [['date']] }
      const prisma = extendPrisma(openClient(connections), recorder)
      const at = new Date('2026-01-01T12:00:00Z')
      await prisma.hour.create({ data: { at, label: 'taken' } })
      await recorder.take()
      await prisma.$transaction(async (tx) => {
        const hours = { create: { at: new Date('2026-01-01T13:00:00Z'), label: 'taken' } }
        const write = tx.day.update({ where: { label: 'old' }, data: { label: 'half', hours } })
        await expect(write).rejects.toMatchObject({ code: 'P2002' })
      })
      expect(await prisma.day.findFirst()).toMatchObject({ label: 'half' })
      expect(await recorder.take()).toEqual(linesOf('markWritten Day {"date":"2026-01-01T00:00:00.000Z"}'))
    })
  },
)

describe('on SQLite by libsql', () => {
  beforeEach(() => begin('separate'))

  it('a callback is refused if something around `captured` begins its transaction in another context', async () => {
    const outside = AsyncLocalStorage.snapshot()
    const adapter = captured(openers.separate())
    const connect = adapter.connect.bind(adapter)
    adapter.connect = async () => {
      const connection = await connect()
      const start = connection.startTransaction.bind(connection)
      const startTransaction: typeof start = (level) => outside(() => start(level))
      return Object.assign(connection, { startTransaction })
    }
    const client = new PrismaClient({ adapter, transactionOptions: patientTransactions })
    opened.push(client)
    const prisma = extendPrisma(client, recorder)
    const write = { where: { name: 'a' }, data: { colour: 'new' } }
    await expect(prisma.$transaction((tx) => tx.label.update(write))).rejects.toMatchObject({
      code: 'E_ADAPTER',
      message: expect.stringContaining('captured(wrapped(adapter))') as unknown,
    })
    expect(await colourOf('a')).toBe('red')
    await prisma.label.update(write)
    expect(await colourOf('a')).toBe('new')
  })

  it.each(['alone', 'in a transaction'])(
    'an adapter that connects again commits the next write, %s, after one that found the file locked',
    async (where) => {
      const client = new PrismaClient({ adapter: new ReconnectingLibSql({ url: database.url }) })
      opened.push(client)
      const { label } = extendPrisma(client, recorder)
      const holder = await openers.separate().connect()
      const holding = await holder.startTransaction()
      await holding.executeRaw({ sql: 'DELETE FROM "Label" WHERE 0', args: [], argTypes: [] })
      const write = (condition: Prisma.LabelWhereInput) =>
        label.updateMany({ where: { name: 'a', ...condition }, data: { colour: 'new' } })
      await expect(write({})).rejects.toMatchObject({ code: 'P1008' })
      await holding.rollback()
      await holder.dispose()
      await write(where === 'alone' ? {} : { colour: 'red' })
      expect(await colourOf('a')).toBe('new')
    },
  )
})

describe('on SQLite with one connection for all transactions', () => {
  beforeEach(() => begin('shared'))

  it('a write that runs while a transaction is open ends with it, and belongs to its rows', async () => {
    const prisma = extendPrisma(openClient('shared'), recorder)
    recorder.look = () => colourOf('c')
    await prisma.$transaction(async (tx) => {
      await tx.label.update({ where: { name: 'a' }, data: { colour: 'new' } })
      await prisma.label.update({ where: { name: 'c' }, data: { colour: 'new' } })
      expect(await colourOf('c')).toBe('red')
    })
    expect(await recorder.take()).toEqual(
      linesOf(['markWritten Label {"name":"a"}', 'markWritten Label {"name":"c"}'], 'red', 'new'),
    )
  })

  it('a write whose COMMIT is refused fails as without a transaction, and leaves no lock', async () => {
    await database.run(`DROP TABLE "Label"; CREATE TABLE "Label" (name TEXT PRIMARY KEY, colour TEXT NOT NULL,
      "parentName" TEXT REFERENCES "Label" (name) DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO "Label" VALUES ('a', 'red', NULL)`)
    const { label } = extendPrisma(openClient('shared'), recorder)
    const write = label.updateMany({ where: { colour: 'red' }, data: { parentName: 'none' } })
    await expect(write).rejects.toMatchObject({ code: 'P2003' })
    await run('shared', `UPDATE "Label" SET colour = 'new'`)
    expect(await colourOf('a')).toBe('new')
  })

  it('a write that a transaction overtakes while its rows are fenced ends with that transaction', async () => {
    const prisma = extendPrisma(openClient('shared'), recorder)
    await prisma.label.findFirst()
    const hold = Promise.withResolvers<void>()
    let holding: Promise<unknown> | undefined
    recorder.look = async () => {
      if (holding) return
      const begun = Promise.withResolvers<void>()
      holding = prisma.$transaction(async () => {
        begun.resolve()
        await hold.promise
      })
      await begun.promise
    }
    await prisma.label.update({ where: { name: 'a' }, data: { colour: 'new' } })
    await recorder.ended()
    const marked = recorder.events.findLast((event) => event.includes('markWritten'))!
    const unit = /^(?:\d+: )?/.exec(marked)![0]
    expect(recorder.events).not.toContain(`${unit}end`)
    hold.resolve()
    await holding
    expect(await recorder.take()).toContain(`${unit}end`)
    expect(await colourOf('a')).toBe('new')
  })

  it('a write of another client in a callback does not wait for the transaction that it is in', async () => {
    const prisma = extendPrisma(openClient('shared'), recorder)
    await prisma.$transaction(async (tx) => {
      await tx.label.update({ where: { name: 'a' }, data: { colour: 'new' } })
      expect(await prisma.label.updateMany({ where: { colour: 'red' }, data: { colour: 'new' } })).toEqual({
        count: 1,
      })
    })
    expect(await recorder.take()).toContain('markWritten Label {"name":"c"}')
  })

  it('a row that is loaded while a transaction is open is not stored', async () => {
    const writes = new ModelCacheWrites()
    const client = extendPrisma(openClient('shared'), writes)
    const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
    await store.connect()
    const schema = type({ name: 'string', colour: 'string' })
    const cache = createModelCache(
      modelCaches().defineModelCache<typeof schema.infer>()({
        model: 'Label',
        schema,
        id: 'name',
        ttl: '1h',
      }),
      {
        namespace: `sqlite-${process.pid}`,
        store,
        writes,
        source: createPrismaSource(client, {
          name: 'Label',
          model: 'Label',
          idFields: ['name'],
          select: { name: true, colour: true },
        }),
      },
    )
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>()
    const transaction = client.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE "Label" SET colour = 'never' WHERE name = 'a'`
      written()
      await isRead
      throw new Error('rolled back')
    })
    await isWritten
    // As without the cache.
    expect(await cache.get('a')).toEqual({ name: 'a', colour: 'never' })
    await cache.drain()
    read()
    await expect(transaction).rejects.toThrow('rolled back')
    // The unit of the transaction has ended.
    await eventually(async () => {
      await cache.get('a')
      return (await cache.explain('a')).stored.isHit
    })
    expect(await cache.get('a')).toEqual({ name: 'a', colour: 'red' })
    await cache.drain()
    await database.run(`UPDATE "Label" SET colour = 'unseen' WHERE name = 'a'`)
    expect(await cache.get('a')).toEqual({ name: 'a', colour: 'red' })
    await cache.close()
    await store.close()
  })
})
