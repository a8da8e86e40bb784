import { type AnnouncedRows, openAnnouncedRows } from './announced-rows.js'

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

let fixture: AnnouncedRows
beforeAll(async () => {
  fixture = await openAnnouncedRows(schema, tables)
})
beforeEach(() => fixture.refill())
afterAll(() => fixture.close())

describe('a nested update of a single row whose model has a field', () => {
  const updateEvent = (update: object): Promise<unknown> =>
    fixture.prisma.ticket!.update!({ where: { id: 1 }, data: { event: { update } } })
  const updateSensor = (update: object): Promise<unknown> =>
    fixture.prisma.event!.update!({ where: { id: 1 }, data: { sensor: { update } } })

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
    expect(await fixture.changedBy(models, write)).toEqual({ changed: rows, missed: [] })
  })
})
