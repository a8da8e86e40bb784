import { extendPrisma } from 'model-cache'
import pg from 'pg'
import { createDatabase } from '../../support/servers.js'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const schema = `
datasource db {
  provider = "postgresql"
}
model Event {
  id Int @id
  data Json?
  where String?
  title String @default("t")
  posts Post[]
  ticket Ticket?
  sensor Sensor?
}
model Ticket {
  id Int @id
  eventId Int? @unique
  event Event? @relation(fields: [eventId], references: [id])
}
model Post {
  id Int @id
  eventId Int?
  event Event? @relation(fields: [eventId], references: [id])
}
model Sensor {
  id Int @id
  eventId Int @unique
  event Event @relation(fields: [eventId], references: [id])
  data Sample[]
}
model Sample {
  id Int @id
  sensorId Int
  sensor Sensor @relation(fields: [sensorId], references: [id])
}
`
const tables = `
CREATE TABLE "Event" (id int PRIMARY KEY, data jsonb, "where" text, title text NOT NULL DEFAULT 't');
CREATE TABLE "Ticket" (id int PRIMARY KEY, "eventId" int UNIQUE REFERENCES "Event");
CREATE TABLE "Post" (id int PRIMARY KEY, "eventId" int REFERENCES "Event");
CREATE TABLE "Sensor" (id int PRIMARY KEY, "eventId" int NOT NULL UNIQUE REFERENCES "Event");
CREATE TABLE "Sample" (id int PRIMARY KEY, "sensorId" int NOT NULL REFERENCES "Sensor");
INSERT INTO "Event" VALUES (1), (2);
INSERT INTO "Ticket" VALUES (1, 1);
INSERT INTO "Sensor" VALUES (1, 1);`
const models = ['Event', 'Ticket', 'Post', 'Sensor', 'Sample']

type Client = Record<string, Record<string, (args: object) => Promise<unknown>>>

let client: ReturnType<typeof createClientOfText>
let drop: () => Promise<void>
let prisma: Client
let sql: pg.Client
const recorder = new RecordingCoordinator()

beforeAll(async () => {
  const created = await createDatabase()
  drop = created.drop
  sql = new pg.Client({ connectionString: created.url })
  await sql.connect()
  client = createClientOfText(created.url, schema)
  recorder.caches = Object.fromEntries(models.map((model) => [model, [['id']]]))
  prisma = extendPrisma(client, recorder) as never
})
beforeEach(async () => {
  await sql.query(`DROP TABLE IF EXISTS ${models.map((model) => `"${model}"`).join()} CASCADE`)
  await sql.query(tables)
  await recorder.take()
})
afterAll(async () => {
  await client.$disconnect()
  await sql.end()
  await drop()
})

/** All rows as text, by model and id. */
async function rowsOf(): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for (const model of models)
    for (const row of (await sql.query(`SELECT id, t::text AS all FROM "${model}" t`)).rows)
      rows.set(`${model} {"id":${row.id}}`, row.all)
  return rows
}

/** Returns the rows that a write has changed, and those of them that it has not announced. */
async function changedBy(write: () => Promise<unknown>): Promise<{ changed: string[]; missed: string[] }> {
  const before = await rowsOf()
  await write()
  const after = await rowsOf()
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (row) => before.get(row) !== after.get(row),
  )
  const events = await recorder.take()
  const isAnnounced = (row: string): boolean =>
    events.some(
      (event) => event === `markWritten ${row}` || event.startsWith(`markWritten all ${row.split(' ')[0]}:`),
    )
  return { changed, missed: changed.filter((row) => !isAnnounced(row)) }
}

describe('a nested update of a single row whose model has a field', () => {
  const updateEvent = (update: object): Promise<unknown> =>
    prisma.ticket!.update!({ where: { id: 1 }, data: { event: { update } } })
  const updateSensor = (update: object): Promise<unknown> =>
    prisma.event!.update!({ where: { id: 1 }, data: { sensor: { update } } })

  it.each<[string, () => Promise<unknown>, string[]]>([
    ['data', () => updateEvent({ data: { a: 1 } }), ['Event {"id":1}']],
    ['data, beside another one', () => updateEvent({ data: { a: 1 }, title: 'x' }), ['Event {"id":1}']],
    [
      'data, beside rows that it creates',
      () => updateEvent({ data: { a: 1 }, posts: { create: { id: 7 } } }),
      ['Event {"id":1}', 'Post {"id":7}'],
    ],
    [
      'where, beside rows that it creates',
      () => updateEvent({ where: 'here', posts: { create: { id: 8 } } }),
      ['Event {"id":1}', 'Post {"id":8}'],
    ],
    [
      'data, with data around it',
      () => updateEvent({ where: { title: 't' }, data: { data: [1], posts: { create: { id: 9 } } } }),
      ['Event {"id":1}', 'Post {"id":9}'],
    ],
    ['data that is a relation', () => updateSensor({ data: { create: { id: 3 } } }), ['Sample {"id":3}']],
    [
      'data that is a relation, with data around it',
      () => updateSensor({ data: { data: { create: { id: 4 } } } }),
      ['Sample {"id":4}'],
    ],
  ])('%s announces all rows', async (_, write, rows) => {
    expect(await changedBy(write)).toEqual({ changed: rows, missed: [] })
  })
})
