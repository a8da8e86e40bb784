/** Rows two levels below a write, which change because a trigger or the database sets the key that they refer to. */
import { describeOn } from '../../support/describe-databases.js'
import { useComparedWrites, type Work } from './compared-writes.js'

const models = `
model Shop {
  id      Int     @id
  name    String
  shelves Shelf[]
  crates  Crate[]
}
model Shelf {
  id     Int    @id
  shopId Int
  code   Int    @unique
  shop   Shop   @relation(fields: [shopId], references: [id], onDelete: Restrict, onUpdate: Cascade)
  books  Book[]
}
model Book {
  id        Int   @id
  shelfCode Int
  shelf     Shelf @relation(fields: [shelfCode], references: [code], onDelete: Restrict, onUpdate: Cascade)
}
model Crate {
  id     Int    @id
  shopId Int
  code   Int    @unique
  shop   Shop   @relation(fields: [shopId], references: [id], onDelete: Cascade, onUpdate: Cascade)
  jars   Jar[]
}
model Jar {
  id        Int   @id
  crateCode Int
  crate     Crate @relation(fields: [crateCode], references: [code], onDelete: Restrict, onUpdate: Cascade)
}
`
const tablesWith = (shelfCode: string): string => `
CREATE TABLE "Shop" (id int PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TABLE "Shelf" (id int PRIMARY KEY, "shopId" int NOT NULL, code int ${shelfCode} UNIQUE,
  FOREIGN KEY ("shopId") REFERENCES "Shop" (id) ON DELETE RESTRICT ON UPDATE CASCADE);
CREATE TABLE "Book" (id int PRIMARY KEY, "shelfCode" int NOT NULL,
  FOREIGN KEY ("shelfCode") REFERENCES "Shelf" (code) ON DELETE RESTRICT ON UPDATE CASCADE);
CREATE TABLE "Crate" (id int PRIMARY KEY, "shopId" int NOT NULL, code int NOT NULL UNIQUE,
  FOREIGN KEY ("shopId") REFERENCES "Shop" (id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE "Jar" (id int PRIMARY KEY, "crateCode" int NOT NULL,
  FOREIGN KEY ("crateCode") REFERENCES "Crate" (code) ON DELETE RESTRICT ON UPDATE CASCADE);`
/** PostgreSQL generates the code of a shelf; triggers set the others. */
const tables = {
  postgresql: `${tablesWith('GENERATED ALWAYS AS ("shopId" * 10) STORED')}
CREATE FUNCTION set_code() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.code := NEW."shopId" * 10; RETURN NEW; END $$;
CREATE TRIGGER set_code BEFORE UPDATE ON "Crate" FOR EACH ROW EXECUTE FUNCTION set_code();
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE "Crate" SET "shopId" = 3 WHERE id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER keep BEFORE DELETE ON "Crate" FOR EACH ROW EXECUTE FUNCTION keep();`,
  sqlite: `${tablesWith('NOT NULL')}
CREATE TRIGGER set_shelf AFTER UPDATE OF "shopId" ON "Shelf" BEGIN UPDATE "Shelf" SET code = NEW."shopId" * 10 WHERE id = NEW.id; END;
CREATE TRIGGER set_crate AFTER UPDATE OF "shopId" ON "Crate" BEGIN UPDATE "Crate" SET code = NEW."shopId" * 10 WHERE id = NEW.id; END;`,
}
const rowsWith = (columns: string, code: string): string => `
DELETE FROM "Book"; DELETE FROM "Jar"; DELETE FROM "Shelf"; ${code === '' ? 'ALTER TABLE "Crate" DISABLE TRIGGER keep;' : ''} DELETE FROM "Crate"; DELETE FROM "Shop";
INSERT INTO "Shop" (id, name) VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO "Shelf" (${columns}) VALUES (1, 1${code});
INSERT INTO "Book" (id, "shelfCode") VALUES (1, 10);
INSERT INTO "Crate" (id, "shopId", code) VALUES (1, 2, 20);
INSERT INTO "Jar" (id, "crateCode") VALUES (1, 20);
${code === '' ? 'ALTER TABLE "Crate" ENABLE TRIGGER keep;' : ''}`
const rows = {
  postgresql: rowsWith('id, "shopId"', ''),
  sqlite: rowsWith('id, "shopId", code', ', 10'),
}

const raw =
  (statement: string): Work =>
  (client) =>
    client.$executeRawUnsafe(statement)

describeOn(['postgresql', 'sqlite'], 'keys that triggers set on $name', (kind) => {
  const provider = kind.provider as keyof typeof tables
  const compare = useComparedWrites(kind, { models, tables: tables[provider], rows: rows[provider] })

  it.each<[string, Work]>([
    ['an update', (_, { shop }) => shop!['update']!({ where: { id: 1 }, data: { id: 9 } })],
    ['a bulk update', (_, { shop }) => shop!['updateMany']!({ where: { name: 'two' }, data: { id: 9 } })],
    ['raw SQL', raw(`UPDATE "Shop" SET id = 9 WHERE id = 1`)],
    ['raw SQL that names only the table', raw(`UPDATE "Shop" AS s SET id = 9 WHERE s.id = 1`)],
    ['such raw SQL, of a trigger', raw(`UPDATE "Shop" AS s SET id = 9 WHERE s.id = 2`)],
    ['a delete', (_, { shop }) => shop!['deleteMany']!({ where: { id: 2 } })],
    ['a delete by raw SQL that names only the table', raw(`DELETE FROM "Shop" AS s WHERE s.id = 2`)],
  ])('change rows two levels below that are announced: %s', async (_, work) => {
    await compare(work)
  })
})
