/** Tables of SQLite that say themselves what becomes of a row which is in the way: it is replaced, or the transaction ends. */
import { extendPrisma } from 'model-cache'
import { describeOn } from '../../support/describe-databases.js'
import { openClientOfText } from './client-of-text.js'
import { type Models, useComparedWrites, type Work } from './compared-writes.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const models = `
model Seat {
  id      Int      @id
  code    Int      @unique
  place   Int
  tickets Ticket[]
}
model Ticket {
  id     Int  @id
  seatId Int
  seat   Seat @relation(fields: [seatId], references: [id], onDelete: Cascade)
}
`
const tablesWith = (resolution: string): string => `
CREATE TABLE "Seat" (id int PRIMARY KEY, code int NOT NULL, place int NOT NULL, UNIQUE (code) ON CONFLICT ${resolution});
CREATE TABLE "Ticket" (id int PRIMARY KEY, "seatId" int NOT NULL REFERENCES "Seat" (id) ON DELETE CASCADE);`
const rows = `
DELETE FROM "Ticket"; DELETE FROM "Seat";
INSERT INTO "Seat" (id, code, place) VALUES (1, 10, 1), (2, 20, 1), (3, 30, 1);
INSERT INTO "Ticket" (id, "seatId") VALUES (1, 1), (2, 2), (3, 3);`

const writes: readonly (readonly [what: string, work: Work])[] = [
  ['an INSERT', (_, { seat }) => seat!['create']!({ data: { id: 4, code: 20, place: 1 } })],
  ['an INSERT of several', (_, { seat }) => seat!['createMany']!({ data: [{ id: 4, code: 20, place: 1 }] })],
  ['an UPDATE by id', (_, { seat }) => seat!['update']!({ where: { id: 1 }, data: { code: 20 } })],
  [
    'an UPDATE by a condition',
    (_, { seat }) => seat!['updateMany']!({ where: { code: 10 }, data: { code: 30 } }),
  ],
  [
    'an UPDATE that fails half-way',
    (_, { seat }) => seat!['updateMany']!({ data: { code: { increment: 10 } } }),
  ],
  [
    'an upsert',
    (_, { seat }) =>
      seat!['upsert']!({
        where: { id: 1 },
        create: { id: 1, code: 20, place: 1 },
        update: { code: 20 },
      }),
  ],
]

describe.each(['REPLACE', 'FAIL'])('ON CONFLICT %s of a table', (resolution) => {
  describeOn(['sqlite', 'sqlite-shared'], 'on $name', (kind) => {
    const tables = tablesWith(resolution)
    const compare = useComparedWrites(kind, { models, tables, rows, lookups: { Seat: [['place']] } })

    it.each(writes)('does what it does without the library, and is announced: %s', async (_, work) => {
      await compare(work)
    })
  })
})

/** libsql sends nothing more in a transaction that has ended. */
describeOn(['sqlite-shared'], 'ON CONFLICT ROLLBACK of a table on $name', (kind) => {
  it('has what a callback goes on to write fenced before it is sent', async () => {
    const database = await kind.create()
    await database.run(`${tablesWith('ROLLBACK')} ${rows}`)
    const client = await openClientOfText(database.adapter(2), models)
    const recorder = new RecordingCoordinator()
    recorder.caches = { Seat: [['id']] }
    const place = async (): Promise<unknown> =>
      Number((await database.rows<{ place: unknown }>('SELECT place FROM "Seat" WHERE id = 1'))[0]!.place)
    recorder.look = place
    const prisma = extendPrisma(client, recorder)
    const work = prisma.$transaction(async (tx) => {
      const { seat } = tx as unknown as Models
      await expect(seat!['update']!({ where: { id: 2 }, data: { code: 30 } })).rejects.toMatchObject({
        code: 'P2002',
      })
      await recorder.take()
      await seat!['update']!({ where: { id: 1 }, data: { place: 2 } })
      expect(await place()).toBe(2)
      expect(await recorder.take()).toEqual(['markWritten Seat {"id":1}', 'fence seeing 1'])
    })
    await expect(work).rejects.toThrow('no transaction is active')
    await client.$disconnect()
    await database.drop()
  })
})

describeOn(['sqlite', 'sqlite-shared'], 'a constraint whose error a callback catches, on $name', (kind) => {
  it.each([
    ['by its rows, if nothing of what has failed stays', '', ['markWritten Seat {"id":1} {"id":3}', 'fence']],
    [
      'by all rows, before it is sent, if a trigger may have ended the transaction',
      `CREATE TRIGGER ended BEFORE DELETE ON "Ticket" WHEN OLD.id < 0 BEGIN SELECT RAISE(ROLLBACK, 'ended'); END;`,
      ['markWritten all Seat: unknown', 'markWritten all Seat: unknown', 'fence'],
    ],
  ])('has the next write announced %s', async (_, trigger, expected) => {
    const database = await kind.create()
    await database.run(`${tablesWith('ABORT')} ${rows} ${trigger}`)
    const client = await openClientOfText(database.adapter(2), models)
    const recorder = new RecordingCoordinator()
    recorder.caches = { Seat: [['id']] }
    const prisma = extendPrisma(client, recorder)
    await prisma.$transaction(async (tx) => {
      const { seat } = tx as unknown as Models
      const work = seat!['updateMany']!({ where: { place: 1 }, data: { code: 30 } })
      await expect(work).rejects.toMatchObject({ code: 'P2002' })
      await seat!['updateMany']!({ where: { code: { not: 20 } }, data: { place: 2 } })
    })
    expect(await recorder.take()).toEqual([...expected, 'end'])
    await client.$disconnect()
    await database.drop()
  })
})
