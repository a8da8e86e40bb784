import { extendPrisma } from 'model-cache'
import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.ts'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const schema = `
datasource db {
  provider = "postgresql"
}
model Hall {
  id Int @id
  seats Seat[]
}
model Seat {
  row Int
  place Int
  hallId Int
  hall Hall @relation(fields: [hallId], references: [id])
  @@id([row, place])
}
`
type Update = (args: object) => Promise<unknown>

let database: TestDatabase
let client: ReturnType<typeof createClientOfText>
let update: Update
const recorder = new RecordingCoordinator()
beforeAll(async () => {
  database = await createDatabase()
  await database.run(`
    CREATE TABLE "Hall" (id int PRIMARY KEY);
    CREATE TABLE "Seat" (row int, place int, "hallId" int NOT NULL REFERENCES "Hall", PRIMARY KEY (row, place));
    INSERT INTO "Hall" VALUES (1);`)
  client = createClientOfText(database.url, schema)
  update = (extendPrisma(client, recorder) as unknown as { hall: { update: Update } }).hall.update
})
afterAll(async () => {
  await recorder.ended()
  await client.$disconnect()
  await database.drop()
})

describe('a row whose compound key changes', () => {
  const seat = { row_place: { row: 1, place: 1 } }
  it.each<[string, object, object, readonly string[]]>([
    [
      'by one part of a write',
      { update: { where: seat, data: { row: 2, place: 3 } } },
      { row: 2, place: 3 },
      ['markWritten Seat {"row":1,"place":1} {"row":2,"place":3}'],
    ],
    [
      'by two parts of a write',
      { update: { where: seat, data: { row: 2 } }, updateMany: { where: {}, data: { place: 3 } } },
      { row: 2, place: 3 },
      [
        'markWritten Seat {"row":1,"place":1} {"row":2,"place":1}',
        'markWritten Seat {"row":2,"place":1} {"row":2,"place":3}',
      ],
    ],
  ])('%s is announced under its new key', async (_, seats, expected, announced) => {
    await database.run('DELETE FROM "Seat"; INSERT INTO "Seat" VALUES (1, 1, 1);')
    recorder.caches = { Seat: [['row', 'place']] }
    await recorder.take()
    await update({ where: { id: 1 }, data: { seats } })
    expect(await database.rows('SELECT row, place FROM "Seat"')).toEqual([expected])
    expect(await recorder.take()).toEqual(expect.arrayContaining([...announced]))
  })
})
