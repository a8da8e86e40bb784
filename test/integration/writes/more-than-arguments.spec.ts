/** Writes that change other rows than their arguments name, or more of them. */
import { extendPrisma } from 'model-cache'
import pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import { describeOn } from '../../support/describe-databases.js'
import { eventually } from '../../support/eventually.js'
import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { createClientOfText, openClientOfText } from './client-of-text.js'
import { inTransaction, type Models, useComparedWrites, type Work } from './compared-writes.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const models = `
model Counter {
  id   Int    @id @default(autoincrement())
  name String
}
model Thread {
  id    Int    @id
  title String
  posts Post[]
}
model Post {
  id       Int    @id
  threadId Int
  thread   Thread @relation(fields: [threadId], references: [id], onDelete: Cascade)
}
model Desk {
  row   Int
  place Int
  items Item[]
  @@id([row, place])
}
model Item {
  id    Int    @id
  row   Int?
  place Int?
  name  String
  desk  Desk?  @relation(fields: [row, place], references: [row, place])
}
`
const generated = {
  postgresql: 'serial PRIMARY KEY',
  mysql: 'int AUTO_INCREMENT PRIMARY KEY',
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
}
const tablesOn = (provider: keyof typeof generated): string => `
CREATE TABLE "Counter" (id ${generated[provider]}, name varchar(5) NOT NULL);
CREATE TABLE "Thread" (id int PRIMARY KEY, title varchar(50) NOT NULL);
CREATE TABLE "Post" (id int PRIMARY KEY, "threadId" int NOT NULL, FOREIGN KEY ("threadId") REFERENCES "Thread" (id) ON DELETE CASCADE);
CREATE TABLE "Desk" ("row" int, "place" int, PRIMARY KEY ("row", "place"));
CREATE TABLE "Item" (id int PRIMARY KEY, "row" int, "place" int, name varchar(50) NOT NULL,
  FOREIGN KEY ("row", "place") REFERENCES "Desk" ("row", "place"));`
const posts = Array.from({ length: 1_600 }, (_, i) => `(${i}, ${i % 2})`)
const rowsOn = (provider: string): string => `
DELETE FROM "Counter"; ${provider === 'mysql' ? 'ALTER TABLE "Counter" AUTO_INCREMENT = 1;' : ''} DELETE FROM "Post"; DELETE FROM "Thread"; DELETE FROM "Item"; DELETE FROM "Desk";
INSERT INTO "Counter" (id, name) VALUES (1, 'one');
INSERT INTO "Thread" (id, title) VALUES (0, 'even'), (1, 'odd');
INSERT INTO "Post" (id, "threadId") VALUES ${posts.join()};
INSERT INTO "Desk" ("row", "place") VALUES (1, 1), (1, 2), (2, 1), (2, 2);
INSERT INTO "Item" (id, "row", "place", name) VALUES (11, 1, 1, 'a'), (12, 1, 2, 'a'), (21, 2, 1, 'a'), (22, 2, 2, 'a'), (23, 2, 2, 'b');`
const ids = posts.map((_, i) => i).filter((i) => i % 8 > 0)
const where = { row_place: { row: 1, place: 1 } }
const both = {
  OR: [
    { row: 1, place: 2 },
    { row: 2, place: 1 },
  ],
}

/** On all databases, unless they name one. */
const writes: readonly [what: string, work: Work, on?: string][] = [
  [
    'more parameters than a statement may select by',
    async (_, { post }) => [
      await post!['updateMany']!({ where: { id: { in: ids } }, data: { threadId: 1 } }),
      await post!['deleteMany']!({ where: { id: { in: ids } } }),
    ],
  ],
  ['a cascade to more rows than that', (_, { thread }) => thread!['deleteMany']!()],
  [
    '0 for a generated id',
    (_, { counter }) => counter!['create']!({ data: { id: 0, name: 'zero' }, select: { name: true } }),
  ],
  [
    '0 for one of several',
    (_, { counter }) =>
      counter!['createMany']!({
        data: [
          { id: 0, name: 'zero' },
          { id: 7, name: 'seven' },
        ],
      }),
  ],
  [
    'values that are cut',
    (_, { counter }) =>
      counter!['createMany']!({ data: [{ id: 7, name: 'longer than five' }], skipDuplicates: true }),
    'mysql',
  ],
  [
    'a nested updateMany by a compound key',
    (_, { desk }) =>
      desk!['update']!({ where, data: { items: { updateMany: { where: {}, data: { name: 'n' } } } } }),
  ],
  [
    'a nested deleteMany by a compound key',
    (_, { desk }) => desk!['update']!({ where, data: { items: { deleteMany: {} } } }),
  ],
  [
    'a nested set by a compound key',
    (_, { desk }) => desk!['update']!({ where, data: { items: { set: [{ id: 22 }] } } }),
  ],
  [
    'a condition on a compound key',
    (_, { item }) => item!['updateMany']!({ where: { desk: both }, data: { name: 'n' } }),
  ],
]

describeOn(['postgresql', 'mysql', 'sqlite', 'sqlite-shared'], 'a write on $name', (kind) => {
  const { provider } = kind
  const compare = useComparedWrites(kind, {
    models,
    tables: tablesOn(provider),
    rows: rowsOn(provider),
    lookups: { Counter: [['name']], Item: [['name'], ['row', 'place']] },
    keys: { Desk: ['row', 'place'] },
  })

  it.each(writes.filter(([, , on = provider]) => on === provider))(
    'announces all that it changes: %s',
    async (_, work) => {
      await compare(work)
      await compare(inTransaction(work))
    },
  )
})

describeOn(['postgresql', 'mysql', 'sqlite', 'sqlite-shared'], 'a delete of many rows on $name', (kind) => {
  const { provider } = kind
  const inSql = (text: string): string => (provider === 'mysql' ? text.replaceAll('"', '`') : text)
  let database: TestDatabase
  let client: PrismaClient
  const recorder = new RecordingCoordinator()
  beforeAll(async () => {
    database = await kind.create()
    await database.run(inSql(tablesOn(provider)))
    client = extendPrisma(await openClientOfText(database.adapter(2), models), recorder, { maxRows: 40_000 })
    recorder.caches = { Thread: [['id']], Post: [['id']] }
  })
  afterAll(async () => {
    await client.$disconnect()
    await database.drop()
  })

  it.each([
    [32_000, 'as many parameters as a statement may have', false],
    [33_000, 'more than that', true],
  ])('finds the rows below by their %d keys, which are %s', async (count, _, areAll) => {
    const numbers = Array.from({ length: count }, (_, i) => i)
    await database.run(inSql(`INSERT INTO "Thread" VALUES ${numbers.map((i) => `(${i}, '')`).join()}`))
    await database.run(inSql(`INSERT INTO "Post" VALUES (1, 1), (2, ${count - 1})`))
    await recorder.take()
    const { thread } = client as unknown as Models
    expect(await thread!['deleteMany']!()).toEqual({ count })
    const posts = (await recorder.take()).filter((event) => event.includes(' Post'))
    expect(posts).toEqual([areAll ? 'markWritten all Post: cascade' : 'markWritten Post {"id":1} {"id":2}'])
  })
})

describe('a relation without a foreign key, whose actions Prisma sends', () => {
  const schema = `
datasource db {
  provider = "postgresql"
  relationMode = "prisma"
}
model Thread {
  id    Int    @id
  posts Post[]
}
model Post {
  id       Int    @id
  threadId Int
  thread   Thread @relation(fields: [threadId], references: [id], onDelete: Cascade)
}
`
  it('announces a child that is created while its parent is deleted', async () => {
    const database = await createDatabase()
    await database.run(`CREATE TABLE "Thread" (id int PRIMARY KEY); CREATE TABLE "Post" (id int PRIMARY KEY, "threadId" int);
      INSERT INTO "Thread" VALUES (1); INSERT INTO "Post" VALUES (1, 1)`)
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    const recorder = new RecordingCoordinator()
    recorder.caches = { Thread: [['id']], Post: [['id']] }
    const client = extendPrisma(createClientOfText(database.url, schema), recorder)
    await other.query('BEGIN; SELECT FROM "Thread" FOR UPDATE')
    const deleting = Promise.resolve(
      (client as unknown as Models)['thread']!['delete']!({ where: { id: 1 } }),
    )
    const blocked = 'SELECT pid FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0'
    await eventually(async () => (await database.rows(blocked)).length > 0)
    await other.query('INSERT INTO "Post" VALUES (2, 1); COMMIT')
    await deleting
    expect(await database.rows('SELECT FROM "Post"')).toEqual([])
    expect(await recorder.take()).toContain('markWritten Post {"id":1} {"id":2}')
    await Promise.all([client.$disconnect(), other.end()])
    await database.drop()
  })
})
