/** A write of many rows takes no more memory of a process than that of a plain client: it asks for as many rows as count one by one. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { extendPrisma } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import { describeOn } from '../../support/describe-databases.js'
import { heardAdapter } from '../../support/heard-adapter.js'
import type { TestDatabase } from '../../support/test-database.js'
import { openClientOfText } from './client-of-text.js'
import type { Models, Work } from './compared-writes.js'
import { RecordingCoordinator } from './recording-coordinator.js'

/** The default of `maxRows`, and one row that shows that there are more. */
const asked = 1_001
/** What the heap may hold more than with a plain client. The ids of 100,000 rows take 25 MB, those of a million 250 MB. */
const mostMb = 8

const models = `
model Shop {
  id    Int    @id
  sales Sale[]
}
model Sale {
  id     Int  @id
  code   Int  @unique
  shopId Int
  state  Int
  shop   Shop @relation(fields: [shopId], references: [id], onDelete: Cascade)
}
`
const tables = `
CREATE TABLE "Shop" (id int PRIMARY KEY);
CREATE TABLE "Sale" (id int PRIMARY KEY, code int NOT NULL, "shopId" int NOT NULL, state int NOT NULL, UNIQUE (code),
  FOREIGN KEY ("shopId") REFERENCES "Shop" (id) ON DELETE CASCADE);
CREATE INDEX by_shop ON "Sale" ("shopId");`

const digit =
  '(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)'

/** Sales of one shop: ten to the power of so many digits. */
const rows = (digits: number): string => {
  const places = Array.from({ length: digits }, (_, place) => `d${place}`)
  const number = places.map((name, place) => `${name}.n * ${10 ** place}`).join(' + ')
  const tables = places.map((name) => `${digit} AS ${name}`).join(' CROSS JOIN ')
  return `DELETE FROM "Sale"; DELETE FROM "Shop"; INSERT INTO "Shop" (id) VALUES (1);
INSERT INTO "Sale" (id, code, "shopId", state) SELECT n, n + 1, 1, 0 FROM (SELECT ${number} AS n FROM ${tables}) AS numbers;`
}

const all = { state: { gte: 0 } }
const data = { state: { increment: 1 } }
const writes: Readonly<Record<string, Work>> = {
  'updateMany by a condition': (_, { sale }) => sale!['updateMany']!({ where: all, data }),
  'updateMany of a key': (_, { sale }) =>
    sale!['updateMany']!({ where: all, data: { code: { multiply: -1 } } }),
  'updateMany in a transaction': (client) =>
    client.$transaction((tx) => (tx as unknown as Models)['sale']!['updateMany']!({ where: all, data }), {
      timeout: 600_000,
    }),
  'an UPDATE in raw SQL': (client, _, sql) =>
    client.$executeRawUnsafe(sql('UPDATE "Sale" SET state = 3 WHERE state <> 3')),
  'deleteMany by a condition': (_, { sale }) => sale!['deleteMany']!({ where: all }),
  'a delete with rows below': (_, { shop }) => shop!['delete']!({ where: { id: 1 } }),
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const heapMb = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

describeOn(['postgresql', 'mysql', 'sqlite', 'sqlite-shared'], 'many rows on $name', (kind) => {
  const inSql = (text: string): string => (kind.provider === 'mysql' ? text.replaceAll('"', '`') : text)
  let database: TestDatabase
  let plain: PrismaClient
  let extended: PrismaClient
  const recorder = new RecordingCoordinator()
  /** The rows that an answer has at most, and the heap while one is held. */
  let most = { rows: 0, mb: 0 }
  beforeAll(async () => {
    database = await kind.create()
    await database.run(inSql(tables))
    const open = (): Promise<PrismaClient> => {
      const answered = (_: string, { length }: readonly unknown[]): void => {
        most = { rows: Math.max(most.rows, length), mb: Math.max(most.mb, heapMb()) }
      }
      return openClientOfText(heardAdapter(database.adapter(2), { answered }), models)
    }
    recorder.caches = { Shop: [['id']], Sale: [['id'], ['code']] }
    ;[plain, extended] = [await open(), extendPrisma(await open(), recorder)]
  })
  afterAll(async () => {
    await plain.$disconnect()
    await extended.$disconnect()
    await database.drop()
  })

  /** What a client gets, and what it holds meanwhile. */
  const measure = async (client: PrismaClient, work: Work, digits: number) => {
    await database.run(inSql(rows(digits)))
    const before = heapMb()
    most = { rows: 0, mb: before }
    const result = await work(client, client as unknown as Models, inSql)
    return { result, rows: most.rows, mb: Math.max(most.mb, heapMb()) - before }
  }

  const compare = async (work: Work, digits: number): Promise<void> => {
    const expected = await measure(plain, work, digits)
    await recorder.take()
    const found = await measure(extended, work, digits)
    const marked = (await recorder.take()).filter((event) => event.includes('markWritten'))
    expect(found.result).toEqual(expected.result)
    expect(marked).toContainEqual(expect.stringMatching(/markWritten all Sale: /))
    expect(marked.join('').length).toBeLessThan(200)
    expect(found.rows).toBeLessThanOrEqual(asked)
    expect(found.mb).toBeLessThan(expected.mb + mostMb)
  }

  it.each(Object.entries(writes))('are not held in memory: %s', (_, work) => compare(work, 5))

  if (kind.name === 'postgresql')
    it('are not held in memory if there are a million', () =>
      compare(writes['updateMany by a condition']!, 6))
})
