/** What the application sees of a write is what it sees of a plain client, also where the database does more than the statement says. */
import { extendPrisma } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { createClientOfText } from './client-of-text.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const schema = `
model Doc {
  id    Int    @id
  owner String
  state String
}
model Box {
  id   Int    @id
  name String
  slug String? @unique
}
model Note {
  id      Int     @id
  text    String
  deleted Boolean @default(false)
}
model Tag {
  id    Int    @id
  name  String
  code  String @unique
  uses  Use[]
}
model Use {
  id   Int    @id
  code String
  tag  Tag    @relation(fields: [code], references: [code], onUpdate: Cascade)
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
`
const tables = `
CREATE TABLE "Doc" (id int PRIMARY KEY, owner text NOT NULL, state text NOT NULL);
CREATE TABLE "Box" (id int PRIMARY KEY, name text NOT NULL, slug text UNIQUE GENERATED ALWAYS AS (lower(name)) STORED);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER audit AFTER DELETE ON "Box" FOR EACH ROW EXECUTE FUNCTION audit();
CREATE TABLE "Note" (id int PRIMARY KEY, text text NOT NULL, deleted boolean NOT NULL DEFAULT false);
CREATE FUNCTION soft_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE "Note" SET deleted = true WHERE id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER soft_delete BEFORE DELETE ON "Note" FOR EACH ROW EXECUTE FUNCTION soft_delete();
CREATE TABLE "Tag" (id int PRIMARY KEY, name text NOT NULL, code text NOT NULL UNIQUE);
CREATE TABLE "Use" (id int PRIMARY KEY, code text NOT NULL REFERENCES "Tag" (code) ON UPDATE CASCADE);
CREATE FUNCTION code_of_name() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.code := upper(NEW.name); RETURN NEW; END $$;
CREATE TRIGGER code_of_name BEFORE INSERT OR UPDATE ON "Tag" FOR EACH ROW EXECUTE FUNCTION code_of_name();
CREATE TABLE "Thread" (id int PRIMARY KEY, title text NOT NULL);
CREATE TABLE "Post" (id int PRIMARY KEY, "threadId" int NOT NULL REFERENCES "Thread" ON DELETE CASCADE);
CREATE ROLE narrow LOGIN PASSWORD 'narrow';
CREATE ROLE writer LOGIN PASSWORD 'writer';
GRANT SELECT, INSERT, UPDATE, DELETE ON "Doc" TO narrow;
GRANT INSERT, UPDATE (state) ON "Doc" TO writer;
GRANT INSERT ON "Box" TO writer;
CREATE POLICY seen ON "Doc" FOR SELECT TO narrow USING (owner = 'me');
CREATE POLICY written ON "Doc" FOR UPDATE TO narrow USING (true);
CREATE POLICY added ON "Doc" FOR INSERT TO narrow WITH CHECK (true);
CREATE POLICY removed ON "Doc" FOR DELETE TO narrow USING (true);
CREATE POLICY all_of_writer ON "Doc" TO writer USING (true) WITH CHECK (true);
`
const reset = `
TRUNCATE "Doc", "Box", "Note", "Tag", "Use", "Thread", "Post";
INSERT INTO "Doc" VALUES (1, 'me', 'a'), (2, 'other', 'a'), (3, 'me', 'b');
INSERT INTO "Box" VALUES (1, 'One'), (2, 'Two');
INSERT INTO "Note" VALUES (1, 'one'), (2, 'two');
INSERT INTO "Tag" (id, name) VALUES (1, 'one'), (2, 'two');
INSERT INTO "Use" VALUES (1, 'ONE'), (2, 'TWO');
INSERT INTO "Thread" VALUES (1, 'one'), (2, 'two');
INSERT INTO "Post" SELECT n, 1 + n % 2 FROM generate_series(1, 2200) n;
`

type Method = (args?: object) => Promise<unknown>
type Client = Record<'doc' | 'box' | 'note' | 'tag' | 'thread' | 'post', Record<string, Method>> &
  PrismaClient

const recorder = new RecordingCoordinator()
let database: TestDatabase
const clients: Record<string, { readonly plain: Client; readonly extended: Client }> = {}

beforeAll(async () => {
  database = await createDatabase()
  await database.run(`DROP ROLE IF EXISTS narrow; DROP ROLE IF EXISTS writer; ${tables}`)
  recorder.caches = Object.fromEntries(
    ['Doc', 'Box', 'Note', 'Use', 'Thread', 'Post'].map((model) => [model, [['id']]]),
  )
  recorder.lookups = { Box: [{ key: ['slug'], fields: ['slug'], through: undefined }] }
  for (const role of ['owner', 'narrow', 'writer']) {
    const url = new URL(database.url)
    if (role !== 'owner') Object.assign(url, { username: role, password: role })
    const open = (): PrismaClient => createClientOfText(url.href, schema)
    clients[role] = { plain: open() as Client, extended: extendPrisma(open(), recorder) as Client }
  }
})
afterAll(async () => {
  for (const { extended, plain } of Object.values(clients)) {
    await extended.$disconnect()
    await plain.$disconnect()
  }
  await database.run('DROP OWNED BY narrow, writer; DROP ROLE narrow, writer')
  await database.drop()
})
beforeEach(() => database.run(reset + 'ALTER TABLE "Doc" DISABLE ROW LEVEL SECURITY'))

async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  const result = await work().catch(({ code, message }: { code?: string; message: string }) => [
    code,
    message.trimEnd().split('\n').at(-1),
  ])
  const stored: unknown[] = []
  for (const table of ['Doc', 'Box', 'Note', 'Tag', 'Use', 'Thread'])
    stored.push(await database.rows(`SELECT * FROM "${table}" ORDER BY id`))
  return { result, stored, posts: await database.rows('SELECT count(*) FROM "Post"') }
}

/** Runs the same writes with both clients, and returns what the extended one has announced. */
async function compare(
  role: string,
  work: (client: Client) => Promise<unknown>,
  before = '',
): Promise<readonly string[]> {
  const { extended, plain } = clients[role]!
  await database.run(reset + before)
  const expected = await outcomeOf(() => work(plain))
  await database.run(reset + before)
  await recorder.take()
  expect(await outcomeOf(() => work(extended))).toEqual(expected)
  return (await recorder.take()).filter((event) => event.startsWith('mark'))
}

const rowLevelSecurity = 'ALTER TABLE "Doc" ENABLE ROW LEVEL SECURITY'
const setState = { data: { state: 'c' } }

describe('under row-level security that shows fewer rows than it lets write', () => {
  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['updateMany of all rows', ({ doc }) => doc['updateMany']!(setState)],
    ['updateMany by a condition', ({ doc }) => doc['updateMany']!({ where: { state: 'a' }, ...setState })],
    ['deleteMany', ({ doc }) => doc['deleteMany']!()],
    ['createMany', ({ doc }) => doc['createMany']!({ data: [{ id: 4, owner: 'other', state: 'a' }] })],
    ['create of a hidden row', ({ doc }) => doc['create']!({ data: { id: 4, owner: 'other', state: 'a' } })],
    ['update of a hidden row', ({ doc }) => doc['update']!({ where: { id: 2 }, ...setState })],
    ['a transaction', (client) => client.$transaction([client.doc['updateMany']!(setState) as never])],
  ])('%s writes, returns and fails as with a plain client', async (_, work) => {
    const marked = await compare('narrow', work, rowLevelSecurity)
    expect(marked.length).toBeGreaterThan(0)
  })

  it('marks all rows where they cannot be asked for', async () => {
    expect(await compare('narrow', ({ doc }) => doc['updateMany']!(setState), rowLevelSecurity)).toEqual([
      'markWritten all Doc: unknown',
    ])
  })
})

describe('a role that may only write', () => {
  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['createMany', ({ doc }) => doc['createMany']!({ data: [{ id: 4, owner: 'me', state: 'a' }] })],
    ['createMany of a generated key', ({ box }) => box['createMany']!({ data: [{ id: 4, name: 'Four' }] })],
    ['updateMany', ({ doc }) => doc['updateMany']!(setState)],
    ['a refused delete', ({ doc }) => doc['deleteMany']!()],
  ])('writes and fails as with a plain client: %s', async (_, work) => {
    await compare('writer', work)
  })
})

describe('a database that does more than the statement says', () => {
  it('deletes softly, by a trigger', async () => {
    const marked = await compare('owner', ({ note }) => note['deleteMany']!({ where: { text: 'one' } }))
    expect(marked).not.toEqual([])
    await compare('owner', ({ note }) => note['delete']!({ where: { id: 1 } }))
  })

  it('generates a column that is a key', async () => {
    const marked = await compare('owner', ({ box }) =>
      box['update']!({ where: { id: 1 }, data: { name: 'Other' } }),
    )
    expect(marked).toContainEqual(expect.stringMatching(/^markJoined Box .*"slug":"other"/))
    const created = await compare('owner', ({ box }) => box['create']!({ data: { id: 5, name: 'FIVE' } }))
    expect(created).toContainEqual(expect.stringMatching(/^markJoined Box .*"slug":"five"/))
    const deleted = await compare('owner', ({ box }) => box['deleteMany']!({ where: { id: { gt: 0 } } }))
    expect(deleted).toEqual(['markWritten Box {"id":1} {"id":2}'])
  })

  it('changes what other rows refer to, by a trigger', async () => {
    const marked = await compare('owner', ({ tag }) =>
      tag['update']!({ where: { id: 1 }, data: { name: 'new' } }),
    )
    expect(marked).toEqual(['markWritten Use {"id":1}'])
  })

  it('is sent more values than a statement has parameters for', async () => {
    const ids = Array.from({ length: 33_000 }, (_, i) => i + 1_000)
    for (const where of [{ id: { in: ids } }, { threadId: { in: ids } }, { id: { notIn: [1] } }]) {
      await compare('owner', ({ post }) => post['deleteMany']!({ where }))
      await compare('owner', ({ post }) => post['updateMany']!({ where, data: { threadId: 2 } }))
    }
    await compare('owner', ({ thread }) => thread['deleteMany']!())
  })
})
