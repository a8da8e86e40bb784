import { type AnnouncedRows, openAnnouncedRows } from './announced-rows.js'

/** Threads have messages, and messages have threads that reply to them. Accounts and teams are two ways to that circle. */
const schema = `
datasource db {
  provider = "postgresql"
}
model Account {
  id Int @id
  threads Thread[]
  teams Team[]
}
model Team {
  id Int @id
  accountId Int
  account Account @relation(fields: [accountId], references: [id], onDelete: Cascade)
  threads Thread[]
}
model Thread {
  id Int @id
  accountId Int?
  teamId Int?
  messageId Int?
  account Account? @relation(fields: [accountId], references: [id], onDelete: Cascade)
  team Team? @relation(fields: [teamId], references: [id], onDelete: Cascade)
  message Message? @relation("replies", fields: [messageId], references: [id], onDelete: Cascade)
  messages Message[] @relation("messages")
}
model Message {
  id Int @id
  threadId Int
  thread Thread @relation("messages", fields: [threadId], references: [id], onDelete: Cascade)
  replies Thread[] @relation("replies")
}
`
const tables = `
CREATE TABLE "Account" (id int PRIMARY KEY);
CREATE TABLE "Team" (id int PRIMARY KEY, "accountId" int NOT NULL REFERENCES "Account" ON DELETE CASCADE);
CREATE TABLE "Thread" (
  id int PRIMARY KEY, "accountId" int REFERENCES "Account" ON DELETE CASCADE, "teamId" int REFERENCES "Team" ON DELETE CASCADE, "messageId" int
);
CREATE TABLE "Message" (id int PRIMARY KEY, "threadId" int NOT NULL REFERENCES "Thread" ON DELETE CASCADE ON UPDATE CASCADE);
ALTER TABLE "Thread" ADD FOREIGN KEY ("messageId") REFERENCES "Message" ON DELETE CASCADE;
INSERT INTO "Account" VALUES (1), (2);
INSERT INTO "Team" VALUES (1, 1), (2, 2);
INSERT INTO "Thread" VALUES (1, 1, NULL, NULL), (2, NULL, 1, NULL), (9, 2, NULL, NULL);
INSERT INTO "Message" VALUES (1, 1), (2, 2), (9, 9);
INSERT INTO "Thread" VALUES (3, NULL, NULL, 1), (4, NULL, NULL, 2);
INSERT INTO "Message" VALUES (3, 3), (4, 4);
INSERT INTO "Thread" VALUES (5, NULL, NULL, 3);
INSERT INTO "Message" VALUES (5, 5);`

let fixture: AnnouncedRows
beforeAll(async () => {
  fixture = await openAnnouncedRows(schema, tables)
})
beforeEach(() => fixture.refill())
afterAll(() => fixture.close())

describe('a delete that the database passes on in a circle of models', () => {
  const writes: readonly [string, () => Promise<unknown>, threads: readonly number[]][] = [
    ['of a row in it', () => fixture.prisma.thread!.delete!({ where: { id: 1 } }), [1, 3, 5]],
    [
      'of several rows in it',
      () => fixture.prisma.thread!.deleteMany!({ where: { id: { in: [1, 4] } } }),
      [1, 3, 4, 5],
    ],
    ['of a row of the other model', () => fixture.prisma.message!.delete!({ where: { id: 1 } }), [3, 5]],
    ['on one way to it', () => fixture.prisma.team!.delete!({ where: { id: 1 } }), [2, 4]],
    ['on two ways to it', () => fixture.prisma.account!.delete!({ where: { id: 1 } }), [1, 2, 3, 4, 5]],
    ['of all', () => fixture.prisma.account!.deleteMany!({}), [1, 2, 3, 4, 5, 9]],
    [
      'in a nested write',
      () => fixture.prisma.account!.update!({ where: { id: 1 }, data: { teams: { delete: { id: 1 } } } }),
      [2, 4],
    ],
  ]
  const caches = [['Message'], ['Thread'], ['Thread', 'Message'], ['Team', 'Message']]
  it.each(
    writes.flatMap(([name, write, threads]) => caches.map((cached) => ({ name, cached, write, threads }))),
  )('$name announces the rows of $cached', async ({ cached, threads, write }) => {
    const { changed, missed } = await fixture.changedBy(cached, write)
    const changedThreads = changed.filter((row) => row.startsWith('Thread'))
    expect({ changedThreads, missed }).toEqual({
      changedThreads: cached.includes('Thread') ? threads.map((id) => `Thread {"id":${id}}`) : [],
      missed: [],
    })
  })
})
