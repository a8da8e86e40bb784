/** Raw SQL, in the spellings that people write and Prisma does not. */
import { describeOn } from '../../support/describe-databases.js'
import { inTransaction, type Models, useComparedWrites, type Work } from './compared-writes.js'

const models = `
model Thread {
  id    Int    @id
  title String
  items Item[]
}
model Item {
  id       Int    @id
  threadId Int
  slug     String?
  state    String
  thread   Thread @relation(fields: [threadId], references: [id], onDelete: Cascade, onUpdate: Cascade)
}
model Named {
  id   Int    @id
  name String
  slug String?
}
model Shown {
  id Int @id
}
model Part {
  id   Int    @id
  name String
}
model Hidden {
  id      Int     @id
  entries Entry[]
  @@ignore
}
model Entry {
  id       Int    @id
  hiddenId Int
  hidden   Hidden @relation(fields: [hiddenId], references: [id], onDelete: Cascade, onUpdate: Cascade) @ignore
}
model Shelf {
  id    Int    @id
  code  String @unique @map("shelf_code") @ignore
  books Book[] @ignore
}
model Book {
  id        Int    @id
  shelfCode String
  shelf     Shelf  @relation(fields: [shelfCode], references: [code], onDelete: Restrict, onUpdate: Cascade) @ignore
}
`
/** The trigger sets another column of `Named`; the procedure, the view `OtherItems`, and the tables in lower case are of no model. */
const common = `
CREATE TABLE "Thread" (id int PRIMARY KEY, title varchar(50) NOT NULL);
CREATE TABLE "Item" (id int PRIMARY KEY, "threadId" int NOT NULL, slug varchar(50) UNIQUE, state varchar(50) NOT NULL,
  FOREIGN KEY ("threadId") REFERENCES "Thread" (id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE "Named" (id int PRIMARY KEY, name varchar(50) NOT NULL, slug varchar(50));
CREATE TABLE "Hidden" (id int PRIMARY KEY);
CREATE TABLE "Entry" (id int PRIMARY KEY, "hiddenId" int NOT NULL,
  FOREIGN KEY ("hiddenId") REFERENCES "Hidden" (id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE "Shelf" (id int PRIMARY KEY, shelf_code varchar(50) NOT NULL UNIQUE);
CREATE TABLE "Book" (id int PRIMARY KEY, "shelfCode" varchar(50) NOT NULL,
  FOREIGN KEY ("shelfCode") REFERENCES "Shelf" (shelf_code) ON DELETE RESTRICT ON UPDATE CASCADE);
CREATE TABLE lone (id int);
CREATE TABLE other (id int);
CREATE VIEW "Shown" AS SELECT id FROM other;
CREATE VIEW "OtherItems" AS SELECT id, state FROM "Item";`
const tables = {
  postgresql: `${common}
CREATE TABLE whole (id int, name varchar(50) NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE "Part" PARTITION OF whole FOR VALUES FROM (0) TO (10);
ALTER TABLE "Thread" ADD meta jsonb NOT NULL DEFAULT '{"a": 1}';
CREATE FUNCTION set_slug() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.slug := lower(NEW.name); RETURN NEW; END $$;
CREATE TRIGGER set_slug BEFORE UPDATE ON "Named" FOR EACH ROW EXECUTE FUNCTION set_slug();
CREATE PROCEDURE archive(what text) LANGUAGE plpgsql AS $$ BEGIN UPDATE "Item" SET state = 'archived'; END $$;`,
  mysql: `${common}
CREATE TABLE "Part" (id int PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TRIGGER set_slug BEFORE UPDATE ON "Named" FOR EACH ROW SET NEW.slug = lower(NEW.name);
CREATE PROCEDURE archive(what text) UPDATE "Item" SET state = 'archived';`,
  sqlite: `${common}
CREATE TABLE "Part" (id int PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TRIGGER set_slug AFTER UPDATE OF name ON "Named" BEGIN UPDATE "Named" SET slug = lower(NEW.name) WHERE id = NEW.id; END;
CREATE TRIGGER set_state INSTEAD OF UPDATE ON "OtherItems" BEGIN UPDATE "Item" SET state = NEW.state WHERE id = OLD.id; END;`,
}
const rows = `
DELETE FROM "Item"; DELETE FROM "Thread"; DELETE FROM "Named"; DELETE FROM other; DELETE FROM "Part";
DELETE FROM "Entry"; DELETE FROM "Hidden"; DELETE FROM "Book"; DELETE FROM "Shelf";
INSERT INTO "Shelf" (id, shelf_code) VALUES (1, 'a'), (2, 'b'); INSERT INTO "Book" (id, "shelfCode") VALUES (1, 'a');
INSERT INTO "Hidden" (id) VALUES (1), (2); INSERT INTO "Entry" (id, "hiddenId") VALUES (1, 1), (2, 2);
INSERT INTO other (id) VALUES (1); INSERT INTO "Part" (id, name) VALUES (1, 'one');
INSERT INTO "Thread" (id, title) VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO "Item" (id, "threadId", slug, state) VALUES (1, 1, 'a', 'z'), (2, 1, 'b', 'y'), (3, 2, 'c', 'x'), (4, 2, NULL, 'w');
INSERT INTO "Named" (id, name, slug) VALUES (1, 't', 't'), (2, 'u', 'u');`
const lookups = { Item: [['threadId'], ['slug']], Named: [['slug']] }

const all = 'postgresql mysql sqlite'
const ms = 'mysql sqlite'

const statements: readonly (readonly [
  what: string,
  on: string,
  text: string,
  ...values: readonly unknown[],
])[] = [
  ['a table without quotes', ms, `UPDATE Item SET state = 'n' WHERE id = 1`],
  ['a table in another case', 'sqlite', `UPDATE ITEM SET STATE = 'n' WHERE ID = 1`],
  ['a parent without quotes', ms, `DELETE FROM Thread WHERE id = 1`],
  ['a key in another case', ms, `UPDATE Thread SET ID = 9 WHERE id = 1`],
  ['a column without quotes', ms, `UPDATE "Item" SET threadId = ? WHERE id = ?`, 3, 1],
  ['a column in another case', ms, `UPDATE "Item" SET "THREADID" = 3 WHERE "ID" = 1`],
  ['new rows', ms, `INSERT INTO Item (ID, THREADID, slug, state) VALUES (?, ?, ?, ?)`, 9, 3, 'q', 's'],
  ['a row that the client hides, with what is deleted along', all, `DELETE FROM "Hidden" WHERE id = 1`],
  ['its key, with what changes along', all, `UPDATE "Hidden" SET id = 9 WHERE id = 1`],
  ['a hidden column, and what changes along', all, `UPDATE "Shelf" SET shelf_code = 'n' WHERE id = 1`],
  ['rows that have a key which the client hides', all, `DELETE FROM "Shelf" WHERE id > 1`],
  ['a table of no model', all, `UPDATE lone SET id = 2`],
  ['a table of no model that a view reads', all, `UPDATE other SET id = 2`],
  ['such a table beside a model', all, `WITH n AS (SELECT * FROM "Named") UPDATE other SET id = 2`],
  ['the table of a partition', 'postgresql', `UPDATE whole SET name = 'n' WHERE id = 1`],
  [
    'the table of a partition beside a model',
    'postgresql',
    `DELETE FROM whole w USING "Named" n WHERE n.id = w.id`,
  ],
  ['a view', 'postgresql mysql', `UPDATE "OtherItems" SET state = 'n' WHERE id = 1`],
  ['a view beside a model', all, `WITH n AS (SELECT * FROM "Named") UPDATE "OtherItems" SET state = 'n'`],
  [
    'an operator like a parameter',
    'postgresql',
    `DELETE FROM "Thread" WHERE meta ? 'a' AND title = $1`,
    'one',
  ],
  ['one parameter twice', 'sqlite', `DELETE FROM "Thread" WHERE title = ?1 OR title = ?1`, 'one'],
  ['numbers of parameters', 'sqlite', `UPDATE "Thread" SET id = ?2 WHERE title = ?1`, 'one', 9],
  [
    'an upsert whose condition is about the row that is not inserted',
    'postgresql sqlite',
    `INSERT INTO "Item" AS i (id, "threadId", slug, state) VALUES (9, 1, 'a', 'n') ON CONFLICT (slug) DO UPDATE SET state = 'n' WHERE excluded.id = 9`,
  ],
  [
    'such an upsert in the form of Prisma',
    'postgresql',
    `INSERT INTO "Item" (id, "threadId", slug, state) VALUES ($1, $2, $3, $4) ON CONFLICT (slug) DO UPDATE SET state = $4 WHERE excluded.id = $1`,
    9,
    1,
    'a',
    'n',
  ],
  [
    'such an upsert in the form of Prisma',
    'sqlite',
    `INSERT INTO "Item" (id, "threadId", slug, state) VALUES (?, ?, ?, ?) ON CONFLICT (slug) DO UPDATE SET state = ? WHERE excluded.id = ?`,
    9,
    1,
    'a',
    'n',
    'n',
    9,
  ],
  ['parameters in VALUES', 'sqlite', `INSERT INTO "Named" (slug, id, name) VALUES (?2, ?1, ?2)`, 9, 'q'],
  ['a block behind a comment', 'postgresql', `/* tag */ DO $$ BEGIN DELETE FROM "Item"; END $$`],
  ['a procedure behind a comment', 'postgresql mysql', `/* tag */ CALL archive('x')`],
  ['a procedure with the name of a table', 'postgresql mysql', `CALL archive('Named')`],
  ['a comment in a comment', 'postgresql', `/* /* */ it's */ DELETE FROM "Item" /* ' */`],
  ['a condition in such a comment', 'postgresql', `DELETE FROM "Item" WHERE 1 = 1 /* /* */ AND id = 1 */`],
  ['a comment in VALUES', all, `INSERT INTO "Named" (id, name, slug) VALUES (9 /*,*/, 'n', 'm')`],
  ['a cast', 'postgresql', `UPDATE "Item" SET slug = CAST($2 AS varchar(2)) WHERE id = $1`, 1, 'abcdef'],
  ['a text for a number', ms, `UPDATE "Item" SET state = 'n' WHERE id = ?`, '1'],
  ['a text that begins as a number', 'mysql', `UPDATE "Item" SET state = 'n' WHERE id = ?`, '1abc'],
  [
    'OR as a sign',
    'mysql',
    `UPDATE "Item" SET state = 'n' WHERE threadId = 1 AND id = ? || id = 3 AND id = ?`,
    1,
    3,
  ],
  [
    'a subquery alone',
    'postgresql',
    `UPDATE "Item" SET state = 'n' WHERE (SELECT true FROM "Thread" t WHERE t.id = 1 AND t.id = $1)`,
    1,
  ],
  ['a limit', 'mysql', `DELETE FROM "Item" WHERE id > 0 LIMIT 2`],
  [
    'RETURNING that is only counted',
    'postgresql sqlite',
    `UPDATE "Item" SET state = 'n' WHERE id < 3 RETURNING id`,
  ],
  ['a syntax error', 'mysql', `UPDATE "Item" SET state = 'n' WHERE WHERE`],
  ['rows that are replaced', ms, `REPLACE INTO Thread (id, title) VALUES (1, 'r')`],
]

const slug = { where: { id: 1 }, data: { slug: 'n' } }
const further = { where: { id: 2 }, data: { slug: 'm' } }
const inUndoneTransaction =
  (statement: string): Work =>
  (client, _, sql) =>
    client.$transaction(async (tx) => {
      const { item } = tx as unknown as Models
      await item!['update']!(slug)
      await tx.$executeRawUnsafe(sql(statement))
      await item!['update']!(further)
      throw new Error('undone')
    })

describeOn(['postgresql', 'mysql', 'sqlite', 'sqlite-shared'], 'raw SQL on $name', (kind) => {
  const { provider } = kind
  const compare = useComparedWrites(kind, { models, tables: tables[provider], rows, lookups })

  it.each(statements.filter(([, on]) => on.includes(provider)))(
    'announces %s',
    async (_, __, text, ...values) => {
      const work: Work = (client, _models, sql) => client.$executeRawUnsafe(sql(String(text)), ...values)
      await compare(work)
      await compare(inTransaction(work))
    },
  )

  it.each(
    [
      ['COMMIT', 'postgresql mysql sqlite'],
      ['commit;', 'postgresql mysql sqlite'],
      ['ROLLBACK', 'postgresql mysql'],
      ['CREATE TABLE IF NOT EXISTS scratch (id int)', 'postgresql mysql sqlite'],
      ['TRUNCATE Named', 'mysql'],
      ['SET autocommit = 1', 'mysql'],
    ].filter(([, on]) => on!.includes(provider)),
  )('announces what the database keeps of a transaction that contains %s', async (statement) => {
    await compare(inUndoneTransaction(statement!))
  })

  it('announces what a trigger sets in a row', async () => {
    const data = { name: 'NEW' }
    await compare((_, { named }) => named!['update']!({ where: { id: 1 }, data }))
    await compare((_, { named }) => named!['updateMany']!({ where: { name: 't' }, data }))
  })
})

const tagged = {
  models: `
model Tagged {
  id     Int      @id
  list   String
  tags   String[]
  values Int?
}
`,
  tables: `CREATE TABLE "Tagged" (id int PRIMARY KEY, list text NOT NULL, tags text[] NOT NULL, values int);`,
  rows: `
DELETE FROM "Tagged";
INSERT INTO "Tagged" (id, list, tags, values) VALUES (1, 'a', '{}', NULL), (2, 'a', '{}', 1), (3, 'b', '{}', NULL);`,
  lookups: { Tagged: [['list']] },
}

const ofPostgres: readonly (readonly [what: string, text: string, ...values: readonly unknown[]])[] = [
  ['a column with the name of a word', `UPDATE "Tagged" SET list = 'c' WHERE values IS NULL`],
  [
    'such a column beside an id',
    `UPDATE "Tagged" SET list = $1 WHERE id = $2 AND values IS NULL OR id = $3`,
    'c',
    1,
    2,
  ],
  [
    'a row with an array of parameters',
    `INSERT INTO "Tagged" (id, tags, list) VALUES ($1, ARRAY[$2, $3, $4], $5)`,
    9,
    'x',
    'y',
    'z',
    'b',
  ],
  [
    'a parameter whose type only SET shows',
    `INSERT INTO "Tagged" (id, list, tags) VALUES ($1, 'c', '{}') ON CONFLICT (id) DO UPDATE SET id = $2 WHERE $2 IS NOT NULL`,
    1,
    9,
  ],
  [
    'a parameter whose type only an expression in VALUES shows',
    `INSERT INTO "Tagged" (id, list, tags) VALUES ($1, lower($2), '{}') ON CONFLICT (id) DO UPDATE SET id = 9 WHERE $2 IS NOT NULL`,
    1,
    'c',
  ],
  [
    'a parameter whose type one of its places shows',
    `UPDATE "Tagged" SET id = 9 WHERE id = $1 AND $1 IS NOT NULL`,
    1,
  ],
]

describeOn(['postgresql'], 'raw SQL of $name alone', (kind) => {
  const compare = useComparedWrites(kind, tagged)

  it.each(ofPostgres)('announces %s', async (_, text, ...values) => {
    const work: Work = (client) => client.$executeRawUnsafe(String(text), ...values)
    await compare(work)
    await compare(inTransaction(work))
  })
})

/** Its columns are others. */
const ofTemporaryTables = {
  postgresql: [
    `CREATE TEMP TABLE "Item" (mark text) ON COMMIT DROP`,
    `INSERT INTO "Item" (mark) VALUES ('a')`,
    `UPDATE "Item" SET mark = 'b'`,
    `DELETE FROM "Item"`,
  ],
  sqlite: [
    `CREATE TEMP TABLE "Item" (state text)`,
    `INSERT INTO "Item" (state) VALUES ('a')`,
    `UPDATE "Item" SET state = 'b'`,
    `DELETE FROM "Item"`,
    `DROP TABLE temp."Item"`,
  ],
}

describeOn(['postgresql', 'sqlite', 'sqlite-shared'], 'a temporary table of $name', (kind) => {
  const provider = kind.provider as keyof typeof ofTemporaryTables
  const compare = useComparedWrites(kind, { models, tables: tables[provider], rows, lookups })

  it('is written, though it has the name of a table of a model', async () => {
    const work: Work = async (client) => {
      const counts: unknown[] = []
      for (const text of ofTemporaryTables[provider]) counts.push(await client.$executeRawUnsafe(text))
      return counts
    }
    await compare(inTransaction(work))
  })
})

const withNulls: readonly (readonly [what: string, text: string, ...values: readonly unknown[]])[] = [
  ['a parameter', `INSERT INTO "Numbered" (id, name) VALUES (?, ?)`, null, 'n'],
  ['a word', `INSERT INTO "Numbered" (id, name) VALUES (NULL, ?)`, 'n'],
  ['one of two rows', `INSERT INTO "Numbered" (id, name) VALUES (?, 'n'), (?, 'm')`, 7, null],
]

describeOn(['mysql', 'sqlite', 'sqlite-shared'], 'numbers that $name generates', (kind) => {
  const isMysql = kind.provider === 'mysql'
  const id = isMysql ? 'int AUTO_INCREMENT PRIMARY KEY' : 'INTEGER PRIMARY KEY'
  const compare = useComparedWrites(kind, {
    models: `
model Numbered {
  id   Int    @id @default(autoincrement())
  name String
}
`,
    tables: `CREATE TABLE "Numbered" (id ${id}, name varchar(50) NOT NULL);`,
    rows: `${isMysql ? 'TRUNCATE' : 'DELETE FROM'} "Numbered"; INSERT INTO "Numbered" (name) VALUES ('one');`,
  })

  it.each(withNulls)('are announced if raw SQL has null instead: %s', async (_, text, ...values) => {
    const work: Work = (client, _models, sql) => client.$executeRawUnsafe(sql(String(text)), ...values)
    await compare(work)
    await compare(inTransaction(work))
  })
})

describeOn(['mysql'], 'a key beside the number that $name generates', (kind) => {
  const compare = useComparedWrites(kind, {
    models: `
model Seat {
  id     Int    @default(dbgenerated("9"))
  part   Int    @default(dbgenerated("2"))
  number Int    @unique @default(autoincrement())
  state  String
  @@id([id, part])
}
`,
    tables: `CREATE TABLE "Seat" (id int NOT NULL DEFAULT 9, part int NOT NULL DEFAULT 2,
      number int NOT NULL AUTO_INCREMENT UNIQUE, state varchar(50) NOT NULL, PRIMARY KEY (id, part));`,
    rows: `TRUNCATE "Seat"; INSERT INTO "Seat" (id, part, state) VALUES (2, 2, 'a');`,
    keys: { Seat: ['id', 'part'] },
  })

  it('is not taken for that number, which is the key of another row', async () => {
    await compare((client, _models, sql) =>
      client.$queryRawUnsafe(sql('INSERT INTO "Seat" (state) VALUES (?)'), 'b'),
    )
  })
})

describeOn(['mysql', 'sqlite', 'sqlite-shared'], 'a primary key on $name that the client hides', (kind) => {
  const compare = useComparedWrites(kind, {
    models: `
model Slip {
  id    Int    @id @ignore
  code  String @unique
  state String
}
`,
    tables: `CREATE TABLE "Slip" (id int PRIMARY KEY, code varchar(50) NOT NULL UNIQUE, state varchar(50) NOT NULL);`,
    rows: `DELETE FROM "Slip"; INSERT INTO "Slip" (id, code, state) VALUES (1, 'a', 'z'), (2, 'b', 'z'), (3, 'c', 'y');`,
    keys: { Slip: ['code'] },
  })

  it.each([
    ['an update', `UPDATE "Slip" SET state = 'n' WHERE state = 'z'`],
    ['an update of the id', `UPDATE "Slip" SET code = 'n' WHERE state = 'y'`],
    ['an update of the key', `UPDATE "Slip" SET id = 9, code = 'n' WHERE state = 'y'`],
    ['a delete', `DELETE FROM "Slip" WHERE state = 'z'`],
  ])('lets %s announce its rows', async (_, text) => {
    const work: Work = (client, _models, sql) => client.$executeRawUnsafe(sql(text))
    await compare(work)
    await compare(inTransaction(work))
  })

  it('lets an insert announce its row', async () => {
    const text = `INSERT INTO "Slip" (id, code, state) VALUES (9, 'd', 'n')`
    const work: Work = (client, _models, sql) => client.$queryRawUnsafe(sql(text))
    await compare(work)
    await compare(inTransaction(work))
  })
})
