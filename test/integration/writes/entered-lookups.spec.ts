import { extendPrisma } from 'model-cache'
import type { WatchedLookup } from 'model-cache/advanced'
import pg from 'pg'
import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const models = `
model Sale {
  id   String @id
  slug String @unique
  lots Lot[]
}
model Lot {
  id     Int    @id @default(autoincrement())
  saleId String @default("unsold")
  number Int    @default(7)
  state  String @default("open")
  sale   Sale   @relation(fields: [saleId], references: [id], onDelete: SetDefault, onUpdate: Cascade)
  bids   Bid[]
}
model Bid {
  id     Int  @id
  lotId  Int?
  amount Int
  lot    Lot? @relation(fields: [lotId], references: [id], onDelete: SetNull)
}
`
const tables = `
CREATE TABLE "Sale" (id TEXT PRIMARY KEY, slug TEXT NOT NULL UNIQUE);
CREATE TABLE "Lot" (
  id SERIAL PRIMARY KEY, number INT NOT NULL DEFAULT 7, state TEXT NOT NULL DEFAULT 'open',
  "saleId" TEXT NOT NULL DEFAULT 'unsold' REFERENCES "Sale" ON DELETE SET DEFAULT ON UPDATE CASCADE
);
CREATE TABLE "Bid" (id INT PRIMARY KEY, "lotId" INT REFERENCES "Lot" ON DELETE SET NULL ON UPDATE CASCADE, amount INT NOT NULL);
CREATE FUNCTION close() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.state = 'full'; RETURN NEW; END $$;
CREATE TRIGGER close BEFORE INSERT OR UPDATE ON "Lot" FOR EACH ROW WHEN (NEW.number > 99) EXECUTE FUNCTION close();
`

type Delegate = Record<string, (args: object) => PromiseLike<unknown>>
type Client = Record<'sale' | 'lot' | 'bid', Delegate> & {
  $transaction(work: unknown): Promise<unknown>
  $extends(extension: object): Client
  $disconnect(): Promise<void>
}

const recorder = new RecordingCoordinator()
let database: TestDatabase
let other: pg.Client
let prisma: Client

const openClient = (): Client => createClientOfText(database.url, models) as unknown as Client

beforeAll(async () => {
  database = await createDatabase()
  await database.run(tables)
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
  prisma = extendPrisma(openClient(), recorder)
})
afterAll(async () => {
  await Promise.all([prisma.$disconnect(), other.end()])
  await database.drop()
})

const lookup = (key: string, ...watched: string[]): WatchedLookup => ({
  key: key.split(' '),
  fields: [...key.split(' '), ...watched],
  through: undefined,
})

beforeEach(async () => {
  await other.query(`
    TRUNCATE "Sale", "Lot", "Bid" RESTART IDENTITY;
    INSERT INTO "Sale" VALUES ('unsold', 'unsold'), ('s', 'spring'), ('t', 'autumn');
    INSERT INTO "Lot" ("saleId", number) VALUES ('s', 1), ('s', 2);
    INSERT INTO "Bid" VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30);
  `)
  recorder.caches = { Lot: [['id']], Bid: [['id']] }
  recorder.lookups = { Lot: [lookup('saleId state', 'number')], Bid: [lookup('lotId', 'amount')] }
  await recorder.take()
})

/** Runs a write, and commits the transaction of `other` once the write waits for it. */
async function meetAtLock(write: PromiseLike<unknown>): Promise<unknown> {
  const progress = { isOver: false }
  const ended = Promise.resolve(write).finally(() => (progress.isOver = true))
  ended.catch(() => {})
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while (!progress.isOver && (await database.rows(waiting)).length === 0);
  await other.query('COMMIT')
  return ended
}

describe('the key of a row that enters a lookup', () => {
  it('is that of the created row, with its defaults and triggers, and the caller gets what it selects', async () => {
    const select = { number: true }
    expect(await prisma.lot.create!({ data: { saleId: 's' }, select })).toEqual({ number: 7 })
    expect(await prisma.lot.create!({ data: { saleId: 's', number: 100 }, select })).toEqual({ number: 100 })
    expect(await prisma.lot.createMany!({ data: [{ saleId: 't' }, { state: 'new' }] })).toEqual({ count: 2 })
    expect(await recorder.take()).toEqual([
      'markWritten Lot {"id":3}',
      'markJoined Lot {"saleId":"s","state":"open"}',
      'fence',
      'end',
      '2: markWritten Lot {"id":4}',
      '2: markJoined Lot {"saleId":"s","state":"full"}',
      '2: fence',
      '2: end',
      '3: markWritten Lot {"id":5} {"id":6}',
      '3: markJoined Lot {"saleId":"t","state":"open"} {"saleId":"unsold","state":"new"}',
      '3: fence',
      '3: end',
    ])
  })

  it('is that of a row that a trigger has changed along with the one it refers to', async () => {
    await other.query(
      `SET session_replication_role = replica; UPDATE "Lot" SET number = 100 WHERE id = 1; RESET session_replication_role`,
    )
    recorder.lookups = { Lot: [lookup('state')] }
    await prisma.sale.update!({ where: { id: 's' }, data: { id: 'r' } })
    const events = await recorder.take()
    expect(events.filter((event) => event.startsWith('markJoined'))).toEqual([
      'markJoined Lot {"state":"open"} {"state":"full"} by state',
    ])
  })

  it('is unknown if a trigger may have changed a column of which the writer has no field', async () => {
    recorder.lookups = { Lot: [{ key: undefined, fields: ['grade'], through: undefined }] }
    await prisma.sale.update!({ where: { id: 's' }, data: { id: 'r' } })
    await prisma.lot.update!({ where: { id: 1 }, data: { number: 5 } })
    const events = await recorder.take()
    expect(events.filter((event) => event.includes('markJoined'))).toEqual([
      'markJoined Lot {} {} by grade',
      '2: markJoined Lot {} by grade',
    ])
  })

  it('is that of the updated row, with its increments and triggers', async () => {
    await prisma.lot.update!({ where: { id: 1 }, data: { number: { increment: 99 } }, select: { id: true } })
    await prisma.lot.updateMany!({ where: { number: 2 }, data: { saleId: 't' } })
    expect(await recorder.take()).toEqual([
      'markWritten Lot {"id":1}',
      'markJoined Lot {"saleId":"s","state":"full"} by number, saleId, state',
      'fence',
      'end',
      '2: markWritten Lot {"id":2}',
      '2: markJoined Lot {"saleId":"t","state":"open"} by number, saleId, state',
      '2: fence',
      '2: end',
    ])
  })

  it.each([
    ['update', { id: 1 }],
    ['update', { id: 1, saleId: { in: ['s', 't'] } }],
    ['updateMany', { id: 1 }],
    ['upsert', { id: 1 }],
  ])('is that after another transaction has moved the row: %s by %j', async (operation, where) => {
    await other.query(`BEGIN; UPDATE "Lot" SET "saleId" = 't' WHERE id = 1`)
    const data = { number: 5 }
    const create = { saleId: 's', state: 'x' }
    const args = operation === 'upsert' ? { where, update: data, create } : { where, data }
    await meetAtLock(prisma.lot[operation]!(args))
    expect((await recorder.take()).join()).toContain('{"saleId":"t","state":"open"}')
  })

  it('is not the one that its condition names, if another transaction takes it away before', async () => {
    recorder.lookups = { Lot: [lookup('saleId')] }
    await other.query(`BEGIN; UPDATE "Lot" SET "saleId" = 't' WHERE id = 1`)
    // The row moves back.
    await meetAtLock(prisma.lot.update!({ where: { id: 1 }, data: { saleId: 's' } }))
    expect(await recorder.take()).toContain('markJoined Lot {"saleId":"s"} by saleId')
  })
})

describe('nested rows', () => {
  it('enter the key of their parent, whether the arguments or the database give it', async () => {
    await prisma.lot.update!({
      where: { id: 2 },
      data: { bids: { create: { id: 4, amount: 1 }, connect: { id: 1 } } },
    })
    await prisma.lot.create!({ data: { saleId: 's', state: 'new', bids: { create: { id: 5, amount: 1 } } } })
    expect(await recorder.take()).toEqual([
      'markWritten Bid {"id":4}',
      'markJoined Bid {"lotId":2}',
      'markWritten Bid {"id":1}',
      'markJoined Bid {"lotId":2} by lotId',
      'fence',
      'end',
      '2: markWritten Lot {"id":3}',
      '2: markJoined Lot {"saleId":"s","state":"new"}',
      '2: markWritten Bid {"id":5}',
      '2: markJoined Bid {"lotId":3}',
      '2: fence',
      '2: end',
    ])
  })
})

describe('a referential action', () => {
  it('enters the new value of the key: of a cascaded update, and the default', async () => {
    await prisma.sale.update!({ where: { id: 's' }, data: { id: 'z' } })
    await prisma.sale.delete!({ where: { id: 'z' } })
    expect(await recorder.take()).toEqual([
      'markWritten Lot {"id":1} {"id":2}',
      'markJoined Lot {"saleId":"z","state":"open"} {"saleId":"z","state":"open"} by number, saleId, state',
      'fence',
      'end',
      '2: markWritten Lot {"id":1} {"id":2}',
      '2: markJoined Lot {"saleId":"unsold","state":"open"} {"saleId":"unsold","state":"open"} by number, saleId, state',
      '2: fence',
      '2: end',
    ])
  })

  it('that sets null enters no key, but lookups that watch the field', async () => {
    await prisma.lot.delete!({ where: { id: 2 } })
    recorder.lookups = { Bid: [lookup('amount', 'lotId')] }
    await prisma.lot.delete!({ where: { id: 1 } })
    expect(await recorder.take()).toEqual([
      'markWritten Lot {"id":2}',
      'markWritten Bid {"id":3}',
      'fence',
      'end',
      '2: markWritten Lot {"id":1}',
      '2: markWritten Bid {"id":1} {"id":2}',
      '2: markJoined Bid {"amount":10} {"amount":20} by lotId',
      '2: fence',
      '2: end',
    ])
  })
})

it('a transaction announces the entries of each of its writes before its end', async () => {
  await prisma.$transaction([
    prisma.lot.create!({ data: { saleId: 's' } }),
    prisma.lot.update!({ where: { id: 3 }, data: { state: 'sold', saleId: 't' } }),
  ])
  expect(await recorder.take()).toEqual([
    'markWritten Lot {"id":3}',
    'markJoined Lot {"saleId":"s","state":"open"}',
    'markWritten Lot {"id":3}',
    'markJoined Lot {"saleId":"t","state":"sold"} by number, saleId, state',
    'fence',
    'end',
  ])
})
