/** Writes that reach the driver in ways which the text of a statement does not show, or hardly. */
import { describeOn } from '../../support/describe-databases.js'
import { inTransaction, useComparedWrites, type Work } from './compared-writes.js'

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
  thread   Thread @relation(fields: [threadId], references: [id], onDelete: Cascade)
}
model Named {
  id   Int    @id
  name String
  slug String?
}
model Kept {
  id   Int    @id
  name String
  slug String?
}
model Late {
  id   Int    @id
  name String
  slug String?
}
model Counted {
  id    Int @id
  items Int
}
model Ranged {
  id   Int    @id
  zone Int
  name String
}
model Found {
  rowid Int    @id
  name  String
}
`
const threads = `
CREATE TABLE "Thread" (id int PRIMARY KEY, title varchar(50) NOT NULL);
CREATE TABLE "Item" (id int PRIMARY KEY, "threadId" int NOT NULL, slug varchar(50) UNIQUE, state varchar(50) NOT NULL,
  FOREIGN KEY ("threadId") REFERENCES "Thread" (id) ON DELETE CASCADE);
CREATE TABLE "Named" (id int PRIMARY KEY, name varchar(50) NOT NULL, slug varchar(50));
CREATE TABLE "Kept" (id int PRIMARY KEY, name varchar(50) NOT NULL, slug varchar(50));
CREATE TABLE "Late" (id int PRIMARY KEY, name varchar(50) NOT NULL, slug varchar(50));`
const plainTables = `
CREATE TABLE "Counted" (id int PRIMARY KEY, items int NOT NULL);
CREATE TABLE "Ranged" (id int PRIMARY KEY, zone int NOT NULL, name varchar(50) NOT NULL);`
const plainFound = `CREATE TABLE "Found" (rowid int PRIMARY KEY, name varchar(50) NOT NULL);`
const archive = (language: string, body: string): string =>
  `CREATE FUNCTION archive() RETURNS int ${language} ${body};`
/** `Kept` is deleted by a rule that keeps its rows, `Late` is written again at COMMIT, and rows of `Ranged` move between partitions. */
const tables = {
  postgresql: `${threads}${plainFound}
CREATE RULE keep AS ON DELETE TO "Kept" DO INSTEAD UPDATE "Kept" SET slug = 'kept' WHERE name = OLD.name;
CREATE FUNCTION set_slug() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN UPDATE "Late" SET slug = NEW.name WHERE id = NEW.id AND slug IS DISTINCT FROM NEW.name; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER set_slug AFTER UPDATE ON "Late" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION set_slug();
CREATE MATERIALIZED VIEW "Counted" AS SELECT "threadId" AS id, count(*)::int AS items FROM "Item" GROUP BY 1;
CREATE TABLE "Ranged" (id int, zone int, name varchar(50) NOT NULL, PRIMARY KEY (id, zone)) PARTITION BY RANGE (zone);
CREATE TABLE ranged_low PARTITION OF "Ranged" FOR VALUES FROM (0) TO (10);
CREATE TABLE ranged_high PARTITION OF "Ranged" FOR VALUES FROM (10) TO (20);
CREATE PROCEDURE archive() LANGUAGE plpgsql AS $$ BEGIN UPDATE "Item" SET state = 'archived'; END $$;`,
  mysql: `${threads}${plainTables}${plainFound}
CREATE PROCEDURE archive() UPDATE "Item" SET state = 'archived';
${archive('DETERMINISTIC MODIFIES SQL DATA', `BEGIN UPDATE "Item" SET state = 'archived'; RETURN 1; END`)}`,
  sqlite: `${threads}${plainTables}
CREATE VIRTUAL TABLE "Found" USING fts5(name);`,
}
const rows = (provider: string): string => `
DELETE FROM "Item"; DELETE FROM "Thread"; DELETE FROM "Named"; DELETE FROM "Late"; DELETE FROM "Ranged"; DELETE FROM "Found";
${provider === 'postgresql' ? 'TRUNCATE "Kept";' : 'DELETE FROM "Kept";'}
INSERT INTO "Thread" (id, title) VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO "Item" (id, "threadId", slug, state) VALUES (1, 1, 'a', 'z'), (2, 1, 'b', 'y'), (3, 2, 'c', 'x');
INSERT INTO "Named" (id, name, slug) VALUES (1, 't', 't'), (2, 'u', 'u');
INSERT INTO "Kept" (id, name, slug) VALUES (1, 't', 't'), (2, 't', 'u');
INSERT INTO "Late" (id, name, slug) VALUES (1, 't', 't'), (2, 'u', 'u');
INSERT INTO "Ranged" (id, zone, name) VALUES (1, 1, 'a'), (2, 2, 'b');
INSERT INTO "Found" (rowid, name) VALUES (1, 'one'), (2, 'two');
${provider === 'postgresql' ? 'REFRESH MATERIALIZED VIEW "Counted"; UPDATE "Item" SET "threadId" = 3 WHERE id = 3;' : ''}`
const lookups = {
  Item: [['threadId'], ['slug']],
  Named: [['slug']],
  Kept: [['slug']],
  Late: [['slug']],
}

const pg = 'postgresql'
const all = 'postgresql mysql sqlite'

const statements: readonly (readonly [what: string, on: string, ...texts: string[]])[] = [
  ['a block whose code is in quotes', pg, `DO 'BEGIN CALL archive(); UPDATE "Named" SET name = name; END'`],
  [
    'a block that calls a function in another way',
    pg,
    `DO $$ DECLARE n text; BEGIN n := 'It' || 'em'; EXECUTE format('UPDATE %I SET state = %L', n, 'x'); UPDATE "Named" SET name = name; END $$`,
  ],
  [
    'a table by the codes of its letters',
    pg,
    `WITH n AS (SELECT 1 FROM "Named") UPDATE U&"\\0049tem" SET state = 'n'`,
  ],
  ['a text in letters of other languages', pg, `UPDATE "Item" SET state = $é$ WHERE id = 1 $é$`],
  [
    'a statement that was prepared',
    pg,
    `PREPARE changing AS UPDATE "Item" SET state = 'n'`,
    `EXPLAIN (ANALYZE) EXECUTE changing`,
    `DEALLOCATE changing`,
  ],
  ['a materialized view that is filled again', pg, `REFRESH MATERIALIZED VIEW "Counted"`],
  ['a rule by the key of a row', pg, `DELETE FROM "Kept" WHERE id = 1`],
  ['a rule by another condition', pg, `DELETE FROM "Kept" WHERE slug = 't'`],
  ['a trigger that is deferred', pg, `UPDATE "Late" SET name = 'n' WHERE id = 1`],
  ['such a trigger by another condition', pg, `UPDATE "Late" SET name = 'm' WHERE slug = 'u'`],
  ['a row that moves to another partition', pg, `UPDATE "Ranged" SET zone = 11 WHERE name = 'a'`],
  ['the rows of a partition', pg, `UPDATE ranged_low SET name = 'n'`],
  [
    'a write in a WITH',
    'postgresql',
    `WITH gone AS (DELETE FROM "Item" WHERE id = 1 RETURNING id) SELECT * FROM gone`,
  ],
  [
    'MERGE',
    pg,
    `MERGE INTO "Item" i USING "Named" n ON i.id = n.id WHEN MATCHED AND n.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET state = n.name`,
  ],
  ['TRUNCATE', pg, `TRUNCATE "Thread" CASCADE`],
  ['COPY', pg, `COPY (UPDATE "Item" SET state = 'n' RETURNING id) TO '/dev/null'`],
  [
    'an UPDATE with FROM',
    'postgresql sqlite',
    `UPDATE "Item" SET state = n.name FROM "Named" n WHERE n.id = "Item".id`,
  ],
  ['a DELETE with USING', pg, `DELETE FROM "Item" USING "Named" n WHERE n.id = "Item".id`],
  [
    'INSERT of a SELECT',
    all,
    `INSERT INTO "Item" (id, "threadId", state) SELECT id + 10, id, name FROM "Named"`,
  ],
  ['only the table itself', pg, `UPDATE ONLY "Item" SET state = 'n' WHERE id = 1`],
  ['columns as a list', 'postgresql sqlite', `UPDATE "Item" SET (state, slug) = ('n', 'm') WHERE id = 1`],
  [
    'an upsert whose condition is never true',
    'postgresql sqlite',
    `INSERT INTO "Item" (id, "threadId", slug, state) VALUES (9, 1, 'a', 'n') ON CONFLICT (slug) DO UPDATE SET state = 'n' WHERE false`,
  ],
  [
    'a column that is added',
    all,
    `ALTER TABLE "Named" ADD COLUMN extra int DEFAULT 1`,
    `ALTER TABLE "Named" DROP COLUMN extra`,
  ],
  [
    'several statements with a comment',
    pg,
    `-- ;'\nUPDATE "Named" SET name = 'n'; /* ; */ UPDATE "Item" SET state = 'n'`,
  ],
  [
    'a block with a condition',
    'mysql',
    `BEGIN NOT ATOMIC IF 1 = 1 THEN CALL archive(); END IF; UPDATE "Named" SET name = name; END`,
  ],
  [
    'a loop',
    'mysql',
    `BEGIN NOT ATOMIC DECLARE i INT DEFAULT 0; WHILE i < 1 DO CALL archive(); SET i = 1; UPDATE "Named" SET name = name; END WHILE; END`,
  ],
  ['a function with the name of a table', 'mysql', `DO archive() + (SELECT count(*) FROM "Named")`],
  ['a text that is run', 'mysql', `EXECUTE IMMEDIATE CONCAT('UPDATE ', 'It', 'em SET state = ''n''')`],
  ['two tables', 'mysql', `UPDATE "Item" i JOIN "Named" n ON n.id = i.id SET i.state = n.name, n.name = 'm'`],
  [
    'two tables in parentheses',
    'mysql',
    `UPDATE ("Item" i JOIN "Named" n ON n.id = i.id) SET i.state = n.name`,
  ],
  ['rows of two tables', 'mysql', `DELETE i, n FROM "Item" i JOIN "Named" n ON n.id = i.id`],
  ['a comment that is run', 'mysql', `/*!50000 UPDATE "Item" SET state = 'n' */`],
  ['SET in an INSERT', 'mysql', `INSERT INTO "Item" SET id = 9, threadId = 1, slug = 'n', state = 's'`],
  [
    'an upsert',
    'mysql',
    `INSERT INTO "Item" (id, threadId, slug, state) VALUES (9, 1, 'a', 'n') ON DUPLICATE KEY UPDATE state = 'm'`,
  ],
  ['UPDATE OR REPLACE', 'sqlite', `UPDATE OR REPLACE "Item" SET slug = 'a' WHERE id = 2`],
  [
    'INSERT OR REPLACE',
    'sqlite',
    `INSERT OR REPLACE INTO "Item" (id, threadId, slug, state) VALUES (9, 1, 'a', 'n')`,
  ],
  ['a name in brackets', 'sqlite', `UPDATE [Item] SET state = 'n' WHERE id = 1`],
]

describeOn(['postgresql', 'mysql', 'sqlite'], 'on $name', (kind) => {
  const { provider } = kind
  const compare = useComparedWrites(kind, {
    models,
    tables: tables[provider],
    rows: rows(provider),
    lookups,
    keys: { Found: ['rowid'] },
  })

  it.each(statements.filter(([, on]) => on.includes(provider)))('announces %s', async (_, __, ...texts) => {
    const work: Work = async (client, _models, sql) => {
      const counts: unknown[] = []
      for (const text of texts) counts.push(await client.$executeRawUnsafe(sql(text)))
      return counts
    }
    if (texts.length === 1) await compare(work)
    await compare(inTransaction(work))
  })

  it.each(['COMMIT', 'ROLLBACK'])('leaves a transaction that is begun in SQL to its %s', async (end) => {
    // The driver of MySQL takes another connection for each statement.
    if (provider === 'mysql') return
    await compare(async (client, { item }) => {
      await client.$executeRawUnsafe('BEGIN')
      const updated = await item!['updateMany']!({ where: { state: 'z' }, data: { state: 'n' } })
      await client.$executeRawUnsafe(end)
      return updated
    })
  })

  it('announces what Prisma writes through them', async () => {
    const name = 'new'
    await compare((_, { kept }) => kept!['deleteMany']!({ where: { id: 1 } }))
    await compare((_, { late }) => late!['update']!({ where: { id: 1 }, data: { name } }))
    await compare((_, { late }) => late!['updateMany']!({ where: { slug: 'u' }, data: { name } }))
    await compare((_, { ranged }) => ranged!['updateMany']!({ where: { name: 'a' }, data: { zone: 12 } }))
    await compare((_, { found }) => found!['updateMany']!({ where: { name: 'one' }, data: { name } }))
    await compare((_, { found }) => found!['deleteMany']!({ where: { name: 'one' } }))
  })
})
