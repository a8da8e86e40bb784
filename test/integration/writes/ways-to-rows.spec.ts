import { extendPrisma } from 'model-cache'
import type { TestDatabase } from '../../support/test-database.ts'
import { createDatabase } from '../../support/servers.js'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

/** The database deletes a stall along with its row, and changes it along with its sign: both go with their market. */
const schema = `
model Market {
  id Int @id
  name String
  rows Row[]
  signs Sign[]
}
model Row {
  id Int @id
  marketId Int
  market Market @relation(fields: [marketId], references: [id], onDelete: Cascade, onUpdate: Cascade)
  stalls Stall[]
}
model Sign {
  id Int @id
  marketId Int
  market Market @relation(fields: [marketId], references: [id], onDelete: Cascade, onUpdate: Cascade)
  stalls Stall[]
}
model Stall {
  id Int @id
  rowId Int
  signId Int?
  nextId Int?
  row Row @relation(fields: [rowId], references: [id], onDelete: Cascade)
  sign Sign? @relation(fields: [signId], references: [id], onDelete: SetNull)
  next Stall? @relation("next", fields: [nextId], references: [id], onDelete: SetNull, onUpdate: Cascade)
  previous Stall[] @relation("next")
}
`
const tables = `
CREATE TABLE "Market" (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE "Row" (id int PRIMARY KEY, "marketId" int NOT NULL REFERENCES "Market" ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE "Sign" (id int PRIMARY KEY, "marketId" int NOT NULL REFERENCES "Market" ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE "Stall" (
  id int PRIMARY KEY, "rowId" int NOT NULL REFERENCES "Row" ON DELETE CASCADE, "signId" int REFERENCES "Sign" ON DELETE SET NULL,
  "nextId" int REFERENCES "Stall" ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE SEQUENCE picks;
CREATE FUNCTION pick() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT ((nextval('picks') - 1) / 3)::int + 1 $$;`
const rows = `
TRUNCATE "Market", "Row", "Sign", "Stall"; ALTER SEQUENCE picks RESTART;
INSERT INTO "Market" VALUES (1, 'one'), (2, 'two'), (3, 'two');
INSERT INTO "Row" VALUES (1, 1), (2, 2);
INSERT INTO "Sign" VALUES (1, 1);
INSERT INTO "Stall" VALUES (1, 1, 1, NULL), (2, 2, 1, 1), (3, 2, NULL, 2);`

type Model = Record<'delete' | 'deleteMany' | 'updateMany', (args: object) => Promise<unknown>>

let database: TestDatabase
let client: ReturnType<typeof createClientOfText>
let prisma: { market: Model; stall: Model; $executeRawUnsafe(sql: string): Promise<number> }
const recorder = new RecordingCoordinator()
beforeAll(async () => {
  database = await createDatabase()
  await database.run(tables)
  client = createClientOfText(database.url, schema)
  prisma = extendPrisma(client, recorder) as unknown as typeof prisma
})
beforeEach(async () => {
  await database.run(rows)
  const caches = Object.fromEntries(['Market', 'Row', 'Stall'].map((model) => [model, [['id']]]))
  const lookups = { Stall: [{ key: ['signId'], fields: ['signId', 'id'], through: undefined }] }
  Object.assign(recorder, { caches, lookups })
  await recorder.take()
})
afterAll(async () => {
  await recorder.ended()
  await client.$disconnect()
  await database.drop()
})

describe('rows that the database changes on several ways', () => {
  it('are announced by their ids if one way deletes them', async () => {
    await prisma.market.delete({ where: { id: 1 } })
    expect(await database.rows('SELECT id, "signId", "nextId" FROM "Stall" ORDER BY id')).toEqual([
      { id: 2, signId: null, nextId: null },
      { id: 3, signId: null, nextId: 2 },
    ])
    const marks = await recorder.take()
    expect(marks.filter((mark) => mark.startsWith('markWritten all'))).toEqual([])
    for (const row of ['Market {"id":1}', 'Row {"id":1}']) expect(marks).toContain(`markWritten ${row}`)
    expect(marks).toContainEqual(expect.stringMatching(/^markWritten Stall .*\{"id":1\}/))
    expect(marks).toContainEqual(expect.stringMatching(/^markWritten Stall .*\{"id":2\}/))
  })

  it('are announced by their ids if the statement deletes them', async () => {
    await prisma.stall.deleteMany({ where: { id: { in: [1, 2] } } })
    const marks = await recorder.take()
    expect(marks.filter((mark) => mark.startsWith('markWritten'))).toEqual([
      expect.stringMatching(/^markWritten Stall \{"id":1\} \{"id":2\}.* \{"id":3\}/),
    ])
  })
})

describe('rows that get other keys', () => {
  it('are announced by their ids, also under a limit', async () => {
    expect(await prisma.market.updateMany({ where: { name: 'two' }, data: { id: 9 }, limit: 1 })).toEqual({
      count: 1,
    })
    const marks = await recorder.take()
    expect(marks).toContainEqual(expect.stringMatching(/^markWritten Market \{"id":[23]\} \{"id":9\}$/))
    expect(marks.filter((mark) => mark.startsWith('markWritten all'))).toEqual([])
  })

  it('are not announced if there are none', async () => {
    await prisma.stall.updateMany({ where: { id: 7 }, data: { id: 9, nextId: 2 } })
    expect(await recorder.take()).toEqual([])
  })

  // A condition is evaluated twice: for the lock, and by the statement.
  it.each([`(SELECT nextval('picks'))`, 'pick()'])(
    'are announced if %s matches others than before',
    async (picked) => {
      await prisma.$executeRawUnsafe(`UPDATE "Market" SET id = id + 100 WHERE id = ${picked}`)
      const moved = await database.rows<{ id: number }>('SELECT id - 100 AS id FROM "Market" WHERE id > 100')
      const marks = await recorder.take()
      for (const { id } of moved)
        expect(marks).toContainEqual(
          expect.stringMatching(new RegExp(`^markWritten (?:all Market|Market .*\\{"id":${id}\\})`)),
        )
      expect(moved).toHaveLength(1)
    },
  )
})
