/** Triggers that write the row, or another one, by a statement of their own, and have the database leave out the one that was sent. */
import { describeOn } from '../../support/describe-databases.js'
import { inTransaction, openComparedWrites, useComparedWrites, type Work } from './compared-writes.js'

const models = `
model Task {
  id    Int    @id
  list  Int
  title String
}
`
const tables = `
CREATE TABLE "Task" (id int PRIMARY KEY, list int NOT NULL, title varchar(50) NOT NULL);`
/** A task that is moved to a list is moved to the one after it; one that exists is not created, but updated. */
const triggers = {
  postgresql: `
CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF pg_trigger_depth() > 1 OR OLD.id = 1 THEN RETURN NEW; END IF;
  UPDATE "Task" SET list = NEW.list + 1, title = NEW.title WHERE id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER move BEFORE UPDATE ON "Task" FOR EACH ROW EXECUTE FUNCTION move();
CREATE FUNCTION merge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
  UPDATE "Task" SET list = NEW.list, title = NEW.title WHERE id = NEW.id;
  IF FOUND THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE TRIGGER merge BEFORE INSERT ON "Task" FOR EACH ROW EXECUTE FUNCTION merge();`,
  sqlite: `
CREATE TRIGGER move BEFORE UPDATE ON "Task" WHEN NEW.title <> 'moved' AND OLD.id <> 1 BEGIN
  UPDATE "Task" SET list = NEW.list + 1, title = 'moved' WHERE id = OLD.id; SELECT RAISE(IGNORE); END;
CREATE TRIGGER merge BEFORE INSERT ON "Task" WHEN EXISTS (SELECT 1 FROM "Task" WHERE id = NEW.id) BEGIN
  UPDATE "Task" SET list = NEW.list, title = 'moved' WHERE id = NEW.id; SELECT RAISE(IGNORE); END;`,
}
const rows = `
DELETE FROM "Task";
INSERT INTO "Task" (id, list, title) VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, 'b');`

const writes: readonly (readonly [what: string, work: Work])[] = [
  ['updateMany', (_, { task }) => task!['updateMany']!({ data: { list: 5 } })],
  [
    'updateMany by a condition',
    (_, { task }) => task!['updateMany']!({ where: { title: 'b' }, data: { list: 5 } }),
  ],
  [
    'updateMany by ids',
    (_, { task }) => task!['updateMany']!({ where: { id: { in: [1, 2] } }, data: { list: 5 } }),
  ],
  ['update', (_, { task }) => task!['update']!({ where: { id: 2 }, data: { list: 5 } })],
  [
    'upsert',
    (_, { task }) =>
      task!['upsert']!({
        where: { id: 2 },
        create: { id: 2, list: 5, title: 'b' },
        update: { list: 5 },
      }),
  ],
  [
    'create of a row that exists',
    (_, { task }) => task!['createMany']!({ data: [{ id: 2, list: 5, title: 'c' }] }),
  ],
  [
    'createMany with one that exists',
    (_, { task }) =>
      task!['createMany']!({
        data: [
          { id: 2, list: 5, title: 'c' },
          { id: 7, list: 5, title: 'c' },
        ],
      }),
  ],
]

const lookups = { Task: [['list']] }

describeOn(['postgresql', 'sqlite', 'sqlite-shared'], 'on $name', (kind) => {
  const provider = kind.provider as keyof typeof triggers
  const compare = useComparedWrites(kind, { models, tables: tables + triggers[provider], rows, lookups })

  it.each(writes)('a write that a trigger makes itself is announced: %s', async (_, work) => {
    await compare(work)
    await compare(inTransaction(work))
  })
})

/** SQLite runs such a trigger before the statement, whatever words its body has. */
describeOn(['sqlite', 'sqlite-shared'], 'a trigger that says neither BEFORE nor AFTER on $name', (kind) => {
  const own = triggers.sqlite.replaceAll(' BEFORE ', ' ').replaceAll(`'moved'`, `'after'`)
  const compare = useComparedWrites(kind, { models, tables: tables + own, rows, lookups })

  it.each(writes)('makes a write itself that is announced: %s', async (_, work) => {
    await compare(work)
    await compare(inTransaction(work))
  })
})

/** Of these rows, nothing says which of those that were selected before are left out. */
describeOn(['postgresql', 'sqlite', 'sqlite-shared'], 'rows without a primary key on $name', (kind) => {
  const provider = kind.provider as keyof typeof triggers
  const compare = useComparedWrites(kind, {
    models: models.replace('@id', '@unique'),
    tables: tables.replace('PRIMARY KEY', 'NOT NULL UNIQUE') + triggers[provider],
    rows,
    lookups,
  })

  it('are announced if a trigger writes some of them itself', async () => {
    const work: Work = (_, { task }) => task!['updateMany']!({ data: { list: 5 } })
    await compare(work)
    await compare(inTransaction(work))
  })
})

/** A statement on a table fires the triggers of its partitions, and of the tables that inherit from it. */
describeOn(['postgresql'], 'triggers of a part of the table on $name', (kind) => {
  const trigger = `
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.list := NEW.list + 1; RETURN NEW; END $$;
CREATE TRIGGER later BEFORE INSERT OR UPDATE ON part FOR EACH ROW EXECUTE FUNCTION later();`
  it.each([
    [
      'a partition',
      `CREATE TABLE "Task" (id int PRIMARY KEY, list int NOT NULL, title varchar(50) NOT NULL) PARTITION BY RANGE (id);
       CREATE TABLE part PARTITION OF "Task" FOR VALUES FROM (0) TO (10);`,
      rows,
    ],
    [
      'a table that inherits',
      `${tables} CREATE TABLE part () INHERITS ("Task");`,
      rows.replace('INSERT INTO "Task"', 'INSERT INTO part'),
    ],
  ])('set keys that are announced: %s', async (_, parts, filled) => {
    const compared = await openComparedWrites(kind, {
      models,
      tables: parts + trigger,
      rows: filled,
      lookups,
    })
    for (const data of [{ list: 5 }, { title: 'c' }]) {
      await compared.compare((_client, { task }) => task!['update']!({ where: { id: 2 }, data }))
      await compared.compare((_client, { task }) => task!['updateMany']!({ data }))
    }
    await compared.close()
  })

  const events = ['INSERT', 'INSERT OR UPDATE OF title']
  it.each(events)('set keys that are announced: a partition to which a row moves, on %s', async (event) => {
    const compared = await openComparedWrites(kind, {
      models,
      tables: `
CREATE TABLE "Task" (id int, list int NOT NULL, title varchar(50) NOT NULL, PRIMARY KEY (id, list)) PARTITION BY RANGE (list);
CREATE TABLE near PARTITION OF "Task" FOR VALUES FROM (0) TO (4);
CREATE TABLE part PARTITION OF "Task" FOR VALUES FROM (4) TO (20);${trigger.replace('INSERT OR UPDATE', event)}`,
      rows,
      lookups,
    })
    await compared.compare((_client, { task }) => task!['update']!({ where: { id: 2 }, data: { list: 5 } }))
    await compared.compare((_client, { task }) => task!['updateMany']!({ data: { list: 5 } }))
    await compared.close()
  })
})

describeOn(['postgresql'], 'triggers of some columns on $name', (kind) => {
  const own = triggers.postgresql.replace('BEFORE UPDATE ON', 'BEFORE UPDATE OF title ON')
  const compare = useComparedWrites(kind, { models, tables: tables + own, rows, lookups })

  it.each<[string, object]>([
    ['fired', { title: 'c' }],
    ['fired, with other columns', { title: 'c', list: 5 }],
    ['not fired', { list: 5 }],
  ])('set keys that are announced: %s', async (_, data) => {
    for (const work of [
      (_client, { task }) => task!['update']!({ where: { id: 2 }, data }),
      (_client, { task }) => task!['updateMany']!({ where: { title: 'b' }, data }),
    ] satisfies Work[]) {
      await compare(work)
      await compare(inTransaction(work))
    }
  })
})
