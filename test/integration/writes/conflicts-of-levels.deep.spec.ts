/**
 * A transaction that sees a snapshot fails with P2034 if others have written since what it writes or has read. What the library asks for in
 * it makes that no more frequent. A fence keeps rows locked for one round trip to the store, as any question before COMMIT does.
 */
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, type Source, ValkeyStore } from 'model-cache/advanced'
import { type } from 'arktype'
import { Redis } from 'ioredis'
import type { PrismaClient } from '#prisma/client/client.js'
import type { DatabaseKind } from '../../support/databases.js'
import { describeOn } from '../../support/describe-databases.js'
import { patientMs, patientTransactions } from '../../support/patience.js'
import { valkeyUrl } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { Random } from '../differential/random.js'
import { dialects } from '../random-schemas/dialects.js'
import { openClientOfText } from './client-of-text.js'
import type { Models } from './compared-writes.js'

const models = `
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
model Lot {
  id    Int @id
  code  Int @unique
  shelf Int
  count Int
}
`
const items = 32
const shelves = 8
/** As `prisma migrate` creates them. */
function tablesOf({ provider }: DatabaseKind): string {
  const [item, lot, mark, itemId] = ['Item', 'Lot', 'Mark', 'itemId'].map(dialects[provider].quote)
  const numbers = Array.from({ length: items }, (_, n) => n + 1)
  const columns = '(id int PRIMARY KEY, code int NOT NULL UNIQUE, shelf int NOT NULL, count int NOT NULL)'
  const rows = numbers.map((n) => `(${n}, ${n + 1000}, ${n % shelves}, 0)`).join(', ')
  return `
CREATE TABLE ${item} ${columns};
CREATE TABLE ${lot} ${columns};
CREATE TABLE ${mark} (id int PRIMARY KEY, ${itemId} int NOT NULL REFERENCES ${item} (id) ON DELETE CASCADE, count int NOT NULL);
CREATE INDEX by_shelf ON ${item} (shelf);
CREATE INDEX lots_by_shelf ON ${lot} (shelf);
CREATE INDEX by_item ON ${mark} (${itemId});
INSERT INTO ${item} VALUES ${rows};
INSERT INTO ${lot} VALUES ${rows};
INSERT INTO ${mark} VALUES ${numbers.map((n) => `(${n}, ${n}, 0)`).join(', ')};`
}

type Work = (models: Models, random: Random) => Promise<unknown>

const increment = { count: { increment: 1 } }
const idOf = (random: Random): number => 1 + random.below(items)
const codeOf = (random: Random): number => 1000 + idOf(random)

/** Each runs in a transaction, beside others of its kind. */
const oneByOne: readonly Work[] = [
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

/** Rows by one index whose places in another one change, beside rows by that other one: their locks are taken in another order. */
const byTwoIndexes: readonly Work[] = [
  async ({ lot }, random) => {
    await lot!['updateMany']!({ where: { shelf: random.below(shelves) }, data: increment })
  },
  async ({ lot }, random) => {
    await lot!['updateMany']!({ where: { code: codeOf(random) }, data: { shelf: random.below(shelves) } })
  },
  async ({ lot }, random) => {
    const id = idOf(random)
    await lot!['deleteMany']!({ where: { code: 1000 + id } })
    await lot!['create']!({ data: { id, code: 1000 + id, shelf: id % shelves, count: 0 } })
  },
]

const writers = 6
const writesOfRound = 120

let database: TestDatabase
let store: ValkeyStore
let asked: Redis
const writes = new ModelCacheWrites()
const opened: PrismaClient[] = []
const caches: { close(): Promise<void> }[] = []

async function create(kind: DatabaseKind): Promise<void> {
  database = await kind.create()
  await database.run(tablesOf(kind))
  const url = valkeyUrl()
  store = new ValkeyStore({ url, deadlineMs: patientMs })
  await store.connect()
  asked = new Redis(url.replace(/^valkey/, 'redis'))
}
async function drop(): Promise<void> {
  for (const cache of caches.splice(0)) await cache.close()
  await store.close()
  asked.disconnect()
  for (const client of opened.splice(0)) await client.$disconnect()
  await database.drop()
}

async function open(): Promise<PrismaClient> {
  const client = await openClientOfText(database.adapter(writers), models)
  opened.push(client)
  return client
}

/** A client whose rows are cached. */
async function openExtended(): Promise<PrismaClient> {
  const client = extendPrisma(await open(), writes)
  const Item = type({ id: 'number', code: 'number', shelf: 'number', count: 'number' })
  const Mark = type({ id: 'number', itemId: 'number', count: 'number' })
  const { defineModelCache } = modelCaches()
  const shared = { namespace: `levels-${process.pid}`, store, writes }
  const sourceOf = <Row>(model: string, names: readonly string[]): Source<Row, number> => {
    const select = Object.fromEntries(names.map((name) => [name, true]))
    return createPrismaSource(client, { name: model, model, idFields: ['id'], select })
  }
  const item = defineModelCache<typeof Item.infer>()({ model: 'Item', schema: Item, id: 'id', ttl: '1h' })
  const lot = defineModelCache<typeof Item.infer>()({ model: 'Lot', schema: Item, id: 'id', ttl: '1h' })
  const mark = defineModelCache<typeof Mark.infer>()({ model: 'Mark', schema: Mark, id: 'id', ttl: '1h' })
  const names = ['id', 'code', 'shelf', 'count']
  caches.push(
    createModelCache(item, { ...shared, source: sourceOf('Item', names) }),
    createModelCache(lot, { ...shared, source: sourceOf('Lot', names) }),
    createModelCache(mark, { ...shared, source: sourceOf('Mark', ['id', 'itemId', 'count']) }),
  )
  return client
}

const noQuestion = async (): Promise<void> => {}

interface Compared {
  readonly works: readonly Work[]
  readonly isolationLevel: 'RepeatableRead' | 'Serializable'
  readonly rounds: number
}

/** Runs the same transactions by three clients, in turn. Returns how many fail of one that asks something before COMMIT, and of an extended one. */
async function compare({ isolationLevel, rounds, works }: Compared) {
  const clients = {
    plain: { client: await open(), ask: noQuestion, conflicts: 0 },
    asking: { client: await open(), ask: () => asked.ping(), conflicts: 0 },
    extended: { client: await openExtended(), ask: noQuestion, conflicts: 0 },
  }
  const options = { ...patientTransactions, isolationLevel }
  const run = async (of: (typeof clients)['plain' | 'asking'], work: Work, seed: number): Promise<void> => {
    const random = new Random(seed)
    for (let write = 0; write < writesOfRound / writers; write++)
      try {
        await of.client.$transaction(async (tx) => {
          await work(tx as unknown as Models, random)
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
    for (const work of works)
      for (const each of Object.values(clients))
        await Promise.all(
          Array.from({ length: writers }, (_, writer) => run(each, work, round * writers + writer)),
        )
  const { asking, extended, plain } = clients
  process.stdout.write(
    `${isolationLevel}: ${plain.conflicts} of ${rounds * works.length * writesOfRound} writes failed; ${asking.conflicts} with a question; ${extended.conflicts} with the library\n`,
  )
  return { asking: asking.conflicts, extended: extended.conflicts }
}

/** @param most conflicts, beside those of a client that waits as long before COMMIT */
function expectAtMost(most: number, { asking, extended }: Awaited<ReturnType<typeof compare>>): void {
  // Three times the deviation of a quotient of counts.
  const chance = 3 * Math.sqrt(1 / asking + 1 / extended)
  expect(extended / asking).toBeLessThan(most + chance)
}

describeOn(['postgresql'], 'on $name', (kind) => {
  beforeEach(() => create(kind))
  afterEach(drop)

  it.each(['RepeatableRead', 'Serializable'] as const)(
    'transactions of %s fail no more often than those of a plain client that asks something before COMMIT',
    async (isolationLevel) => {
      const counts = await compare({ works: oneByOne, isolationLevel, rounds: 8 })
      expect(counts.asking).toBeGreaterThan(200)
      expectAtMost(1.2, counts)
    },
  )
})

// It keeps a transaction waiting that is about to write what another one has written, and ends one of two that wait for each other.
describeOn(['mysql'], 'on $name', (kind) => {
  beforeEach(() => create(kind))
  afterEach(drop)

  it('transactions that lock rows in different orders seldom end in more deadlocks than those of a plain client', async () => {
    const any: Work = (models, random) => byTwoIndexes[random.below(byTwoIndexes.length)]!(models, random)
    const counts = await compare({ works: [any], isolationLevel: 'RepeatableRead', rounds: 48 })
    // Each deadlock is one of locks that plain writes take as well. They are held for a statement longer.
    expectAtMost(2, counts)
  })
})
