/**
 * A transaction that sees a snapshot fails with P2034 if others have written since what it writes or has read. What the library asks for in
 * it makes that no more frequent. A fence keeps rows locked for one round trip to the store, as any question before COMMIT does.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, type Source, ValkeyStore } from 'model-cache/advanced'
import { type } from 'arktype'
import { Redis } from 'ioredis'
import type { PrismaClient } from '#prisma/client/client.js'
import { patientMs, patientTransactions } from '../../support/patience.js'
import { createDatabase, valkeyUrl } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { Random } from '../differential/random.js'
import { clientOfText } from './client-of-text.js'
import type { Models } from './compared-writes.js'

const schema = `
datasource db {
  provider = "postgresql"
}
model Item {
  id    Int    @id
  code  Int    @unique
  shelf Int
  count Int
  marks Mark[]
}
model Mark {
  id     Int  @id
  itemId Int
  count  Int
  item   Item @relation(fields: [itemId], references: [id], onDelete: Cascade)
}
`
const items = 32
const shelves = 8
const tables = `
CREATE TABLE "Item" (id int PRIMARY KEY, code int NOT NULL UNIQUE, shelf int NOT NULL, count int NOT NULL);
CREATE TABLE "Mark" (id int PRIMARY KEY, "itemId" int NOT NULL REFERENCES "Item" ON DELETE CASCADE, count int NOT NULL);
CREATE INDEX by_shelf ON "Item" (shelf);
CREATE INDEX by_item ON "Mark" ("itemId");
INSERT INTO "Item" SELECT n, n + 1000, n % ${shelves}, 0 FROM generate_series(1, ${items}) AS n;
INSERT INTO "Mark" SELECT n, n, 0 FROM generate_series(1, ${items}) AS n;`

type Work = (models: Models, random: Random) => Promise<unknown>

const increment = { count: { increment: 1 } }
const idOf = (random: Random): number => 1 + random.below(items)
const codeOf = (random: Random): number => 1000 + idOf(random)

/** Each runs in a transaction. */
const kinds: readonly Work[] = [
  async ({ item }, random) => {
    const where = { id: idOf(random) }
    await item!['findUniqueOrThrow']!({ where })
    await item!['update']!({ where, data: increment })
  },
  async ({ item }, random) => {
    const where = { shelf: random.below(shelves) }
    await item!['findMany']!({ where })
    await item!['updateMany']!({ where, data: increment })
  },
  async ({ item, mark }, random) => {
    await item!['update']!({ where: { code: codeOf(random) }, data: increment })
    await mark!['updateMany']!({ where: { itemId: idOf(random) }, data: increment })
  },
  async ({ item }, random) => {
    const marks = { updateMany: { where: { count: { gte: 0 } }, data: increment } }
    await item!['update']!({ where: { code: codeOf(random) }, data: { ...increment, marks } })
  },
  async ({ item }, random) => {
    const code = codeOf(random)
    await item!['findUniqueOrThrow']!({ where: { code } })
    await item!['updateMany']!({ where: { code }, data: { code } })
  },
  async ({ item, mark }, random) => {
    const id = idOf(random)
    await item!['deleteMany']!({ where: { code: 1000 + id } })
    await item!['create']!({ data: { id, code: 1000 + id, shelf: id % shelves, count: 0 } })
    await mark!['create']!({ data: { id, itemId: id, count: 0 } })
  },
]

const writers = 6
const rounds = 8
const writesOfRound = 120
/** Of conflicts beside those of a client that waits as long before COMMIT. */
const most = 1.2

let database: TestDatabase
let store: ValkeyStore
let asked: Redis
const writes = new ModelCacheWrites()
const opened: PrismaClient[] = []
const caches: { close(): Promise<void> }[] = []

beforeEach(async () => {
  database = await createDatabase()
  await database.run(tables)
  const url = valkeyUrl()
  store = new ValkeyStore({ url, deadlineMs: patientMs })
  await store.connect()
  asked = new Redis(url.replace(/^valkey/, 'redis'))
})
afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.close()
  await store.close()
  asked.disconnect()
  for (const client of opened.splice(0)) await client.$disconnect()
  await database.drop()
})

function open(): PrismaClient {
  const client = clientOfText(new PrismaPg({ connectionString: database.url, max: writers }), schema)
  opened.push(client)
  return client
}

/** A client whose rows are cached. */
function openExtended(): PrismaClient {
  const client = extendPrisma(open(), writes)
  const Item = type({ id: 'number', code: 'number', shelf: 'number', count: 'number' })
  const Mark = type({ id: 'number', itemId: 'number', count: 'number' })
  const { defineModelCache } = modelCaches()
  const shared = { namespace: `levels-${process.pid}`, store, writes }
  const sourceOf = <Row>(model: string, names: readonly string[]): Source<Row, number> => {
    const select = Object.fromEntries(names.map((name) => [name, true]))
    return createPrismaSource(client, { name: model, model, idFields: ['id'], select })
  }
  const item = defineModelCache<typeof Item.infer>()({ model: 'Item', schema: Item, id: 'id', ttl: '1h' })
  const mark = defineModelCache<typeof Mark.infer>()({ model: 'Mark', schema: Mark, id: 'id', ttl: '1h' })
  caches.push(
    createModelCache(item, { ...shared, source: sourceOf('Item', ['id', 'code', 'shelf', 'count']) }),
    createModelCache(mark, { ...shared, source: sourceOf('Mark', ['id', 'itemId', 'count']) }),
  )
  return client
}

const noQuestion = async (): Promise<void> => {}

it.each(['RepeatableRead', 'Serializable'] as const)(
  'transactions of %s fail no more often than those of a plain client that asks something before COMMIT',
  async (isolationLevel) => {
    const clients = {
      plain: { client: open(), ask: noQuestion, conflicts: 0 },
      asking: { client: open(), ask: () => asked.ping(), conflicts: 0 },
      extended: { client: openExtended(), ask: noQuestion, conflicts: 0 },
    }
    const options = { ...patientTransactions, isolationLevel }
    const run = async (of: (typeof clients)['plain' | 'asking'], kind: Work, seed: number): Promise<void> => {
      const random = new Random(seed)
      for (let write = 0; write < writesOfRound / writers; write++)
        try {
          await of.client.$transaction(async (tx) => {
            await kind(tx as unknown as Models, random)
            await of.ask()
          }, options)
        } catch (error) {
          const { code, message } = error as { code?: string; message: string }
          // Prisma passes a conflict on that COMMIT finds.
          if (code !== 'P2034' && message !== 'TransactionWriteConflict') throw error
          of.conflicts++
        }
    }
    for (let round = 0; round < rounds; round++)
      for (const kind of kinds)
        for (const each of Object.values(clients))
          await Promise.all(
            Array.from({ length: writers }, (_, writer) => run(each, kind, round * writers + writer)),
          )
    const counts = Object.values(clients).map(({ conflicts }) => conflicts)
    const [plain, asking, extended] = counts as [number, number, number]
    process.stdout.write(
      `${isolationLevel}: ${plain} of ${rounds * kinds.length * writesOfRound} writes failed; ${asking} with a question; ${extended} with the library\n`,
    )
    expect(asking).toBeGreaterThan(200)
    // Three times the deviation of a quotient of counts.
    const chance = 3 * Math.sqrt(1 / asking + 1 / extended)
    expect(extended / asking).toBeLessThan(most + chance)
  },
)
