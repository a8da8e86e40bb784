/** Statements by which others write: about 80 kinds. */
import pg from 'pg'
import type { FollowWorld } from './follow-worlds.js'

/** What is run, as one or several statements, and by hand if it needs another protocol. */
type Run = string | ((world: FollowWorld) => Promise<unknown>)

/** Run on all databases, or as each of them writes it; a database that lacks such a statement is left out. */
type Statement =
  | readonly [title: string, run: Run]
  | readonly [title: string, onPostgres: Run | undefined, onMysql: Run | undefined]

const account = (n: number) => `'a${n}@x.org', 'name ${n}', timestamp '2024-01-02 00:00:00'`
const accounts = (...numbers: number[]) =>
  `INSERT INTO accounts (email, name, updated_at) VALUES ${numbers.map((n) => `(${account(n)})`).join(', ')}`
const copy = (table: string, columns: string, lines: string) => (world: FollowWorld) =>
  copyInto(world, `COPY "${table}" (${columns}) FROM STDIN`, lines)

/** As a table, for MariaDB and MySQL. */
const digit = `(${Array.from({ length: 10 }, (_, i) => `SELECT ${i} AS i`).join(' UNION ALL ')})`
const numbersTo100000 = `(SELECT a.i + 10 * b.i + 100 * c.i + 1000 * d.i + 10000 * e.i AS n
  FROM ${[...'abcde'].map((name) => `${digit} ${name}`).join(', ')}) numbers`

/** In the order in which they are run. */
export const groups: Readonly<Record<string, readonly Statement[]>> = {
  'plain statements': [
    ['an insert of a row that was read before', accounts(8)],
    ['an insert of several rows', accounts(9, 10, 11)],
    ['an update', `UPDATE accounts SET name = 'By psql' WHERE id = 3`],
    ['an update of every row', `UPDATE accounts SET views = views + 1`],
    ['an update that changes nothing', `UPDATE accounts SET name = name`],
    ['an update of no row', `UPDATE accounts SET name = 'none' WHERE false`],
    ['a delete', `DELETE FROM accounts WHERE id = 11`],
    ['a delete of several rows', `DELETE FROM "Setting" WHERE id IN (1, 2)`],
    [
      'an insert of a deleted row',
      `INSERT INTO "Setting" (id, scope, key) VALUES (1, 'scope0', 'again')`,
      `INSERT INTO "Setting" (id, scope, "key") VALUES (1, 'scope0', 'again')`,
    ],
    [
      'an insert ... select',
      `INSERT INTO "Secret" (code, "accountId") SELECT 'c' || id || 'x', id FROM accounts`,
      `INSERT INTO "Secret" (code, "accountId") SELECT CONCAT('c', id, 'x'), id FROM accounts`,
    ],
    [
      'an update ... from',
      `UPDATE "Post" SET title = a.name FROM accounts a WHERE a.id = "authorId"`,
      `UPDATE "Post" JOIN accounts a ON a.id = "authorId" SET title = a.name`,
    ],
    [
      'a delete ... using',
      `DELETE FROM "Secret" s USING accounts a WHERE a.id = s."accountId" AND a.name = 'By psql'`,
      `DELETE s FROM "Secret" s JOIN accounts a ON a.id = s."accountId" WHERE a.name = 'By psql'`,
    ],
    [
      'writes in WITH',
      `WITH gone AS (DELETE FROM "Comment" WHERE "postId" = 1 RETURNING body)
       UPDATE "Post" SET title = (SELECT count(*) FROM gone)::text WHERE id = 1`,
      `DELETE FROM "Comment" WHERE "postId" = 1 ORDER BY number DESC; UPDATE "Post" SET title = (WITH c AS (SELECT * FROM "Comment") SELECT count(*) FROM c) WHERE id = 1`,
    ],
  ],
  'on conflict and merge': [
    [
      'ON CONFLICT DO NOTHING',
      `${accounts(1, 12)} ON CONFLICT DO NOTHING`,
      accounts(1, 12).replace('INSERT', 'INSERT IGNORE'),
    ],
    [
      'ON CONFLICT DO UPDATE',
      `${accounts(2, 13)} ON CONFLICT (email) DO UPDATE SET name = 'conflict', balance = 42`,
      `${accounts(2, 13)} ON DUPLICATE KEY UPDATE name = 'conflict', balance = 42`,
    ],
    [
      'ON CONFLICT DO UPDATE of a key',
      `INSERT INTO "Label" VALUES ('l6', 'red') ON CONFLICT (name) DO UPDATE SET name = 'l9', colour = 'blue'`,
      `INSERT INTO "Label" (name, colour) VALUES ('l6', 'red') ON DUPLICATE KEY UPDATE name = 'l9', colour = 'blue'`,
    ],
    [
      'MERGE',
      `MERGE INTO "Blob" b USING (VALUES (1), (2), (7)) v (n) ON b.name = 'b' || n
       WHEN MATCHED AND n = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET size = 3
       WHEN NOT MATCHED THEN INSERT VALUES (decode('ab0' || n, 'hex'), 'b' || n, 3)`,
      `REPLACE INTO "Blob" VALUES (x'ab01', 'b1', 3), (x'ab07', 'b7', 3)`,
    ],
    [
      'MERGE of rows that are missing in the source',
      `MERGE INTO "Day" d USING (VALUES (date '2024-02-28'), (date '2024-03-09')) v (day) ON d.date = day
       WHEN NOT MATCHED BY SOURCE AND label = 'day 4' THEN DELETE
       WHEN NOT MATCHED THEN INSERT VALUES (day, 'day 9')`,
      `REPLACE INTO "Day" SELECT '2024-03-09', 'day 9'`,
    ],
  ],
  'cascades and triggers': [
    // InnoDB looks at the keys of these before all of them are gone.
    ['an update of what a cascade would trip over', undefined, `UPDATE "Comment" SET "parentNo" = NULL`],
    ['ON DELETE CASCADE', `DELETE FROM "Post" WHERE id = 3`],
    // From 9.6 on, MySQL refuses to delete the root. MariaDB alone executes what stands in /*M! */.
    [
      'ON DELETE CASCADE of a tree',
      `DELETE FROM "Label" WHERE name = 'l1'`,
      `DELETE FROM "Label" WHERE name = /*M! 'l1' OR name = */ 'l6'`,
    ],
    ['ON DELETE SET NULL of a composite key', `DELETE FROM "Event" WHERE title = 'event 2'`],
    ['ON DELETE SET NULL of a date', `DELETE FROM "Day" WHERE label = 'day 2'`],
    [
      'ON UPDATE CASCADE of a composite key',
      `UPDATE "Event" SET place = 'attic', at = at + interval '1 day' WHERE title = 'event 1'`,
      `UPDATE "Event" SET place = 'attic', at = at + INTERVAL 1 DAY WHERE title = 'event 1'`,
    ],
    ['ON UPDATE CASCADE of a date', `UPDATE "Day" SET date = '2024-05-05' WHERE label = 'day 1'`],
    [
      'ON DELETE CASCADE, SET NULL and SET DEFAULT at once',
      `UPDATE "Post" SET "editorId" = NULL; DELETE FROM "Locker" WHERE "accountId" = 5; DELETE FROM accounts WHERE id = 5`,
    ],
    ['an update of what InnoDB does not cascade to', undefined, `UPDATE accounts SET "managerId" = NULL`],
    ['ON UPDATE CASCADE and SET NULL of an id', `UPDATE accounts SET id = 23 WHERE id = 2`],
    ['ON UPDATE CASCADE of a join table', `UPDATE "Team" SET code = 7.5 WHERE code = 2.5`],
    ['TRUNCATE ... CASCADE of other tables', `TRUNCATE "Event" CASCADE`, `DELETE FROM "Event"`],
    [
      'triggers that write other tables',
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         UPDATE "Team" SET motto = NEW.body;
         INSERT INTO "Label" VALUES ('l12', 'red') ON CONFLICT (name) DO UPDATE SET colour = 'noted';
         DELETE FROM "Blob" WHERE size = 1;
         RETURN NEW;
       END $$;
       CREATE TRIGGER note AFTER INSERT OR UPDATE ON "Comment" FOR EACH ROW EXECUTE FUNCTION note();
       INSERT INTO "Comment" VALUES (5, 7, 'by trigger')`,
      `CREATE TRIGGER note_insert AFTER INSERT ON "Comment" FOR EACH ROW BEGIN
         UPDATE "Team" SET motto = NEW.body;
         INSERT INTO "Label" (name, colour) VALUES ('l12', 'red') ON DUPLICATE KEY UPDATE colour = 'noted';
         DELETE FROM "Blob" WHERE size = 1;
       END;
       CREATE TRIGGER note_update AFTER UPDATE ON "Comment" FOR EACH ROW UPDATE "Team" SET motto = NEW.body;
       INSERT INTO "Comment" VALUES (5, 7, 'by trigger', NULL)`,
    ],
    ['a trigger of an update', `UPDATE "Comment" SET body = 'again' WHERE "postId" = 5`],
    [
      'a trigger that changes the row itself',
      `DROP TRIGGER note ON "Comment";
       CREATE FUNCTION rename() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name = 'renamed'; RETURN NEW; END $$;
       CREATE TRIGGER rename BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION rename();
       UPDATE accounts SET ratio = 2 WHERE id = 4;
       DROP TRIGGER rename ON accounts; DROP FUNCTION rename; DROP FUNCTION note`,
      `DROP TRIGGER note_insert; DROP TRIGGER note_update;
       CREATE TRIGGER renames BEFORE UPDATE ON accounts FOR EACH ROW SET NEW.name = 'renamed';
       UPDATE accounts SET ratio = 2 WHERE id = 4; DROP TRIGGER renames`,
    ],
    [
      'writes of a session without triggers and foreign keys',
      `SET session_replication_role = replica; DELETE FROM "Profile" WHERE "accountId" = 3; RESET session_replication_role`,
      `SET foreign_key_checks = 0; DELETE FROM "Profile" WHERE "accountId" = 3; SET foreign_key_checks = 1`,
    ],
  ],
  transactions: [
    [
      'several statements',
      `BEGIN; UPDATE accounts SET name = 'a'; DELETE FROM "Secret"; ${accounts(14)}; COMMIT`,
    ],
    [
      'a row that is written several times',
      `BEGIN; UPDATE accounts SET balance = 1 WHERE id = 1; UPDATE accounts SET balance = 2 WHERE id = 1; COMMIT`,
    ],
    [
      'a row that is inserted and deleted',
      `BEGIN; ${accounts(15)}; DELETE FROM accounts WHERE email = 'a15@x.org'; COMMIT`,
    ],
    [
      'a row that is deleted and inserted',
      `BEGIN; DELETE FROM "Setting" WHERE id = 4; INSERT INTO "Setting" (id, key) VALUES (4, 'new'); COMMIT`,
      `BEGIN; DELETE FROM "Setting" WHERE id = 4; INSERT INTO "Setting" (id, "key") VALUES (4, 'new'); COMMIT`,
    ],
    ['ROLLBACK', `BEGIN; UPDATE accounts SET name = 'never'; DELETE FROM "Profile"; ROLLBACK`],
    [
      'a savepoint that is rolled back',
      `BEGIN; UPDATE accounts SET name = 'kept' WHERE id = 1; SAVEPOINT s; UPDATE accounts SET name = 'lost';
       DELETE FROM "Profile"; ROLLBACK TO s; UPDATE accounts SET balance = 3 WHERE id = 2; COMMIT`,
    ],
    [
      'savepoints that are released',
      `BEGIN; SAVEPOINT a; UPDATE accounts SET balance = 4 WHERE id = 3; SAVEPOINT b; UPDATE accounts SET balance = 5 WHERE id = 4;
       RELEASE b; RELEASE a; COMMIT`,
      `BEGIN; SAVEPOINT a; UPDATE accounts SET balance = 4 WHERE id = 3; SAVEPOINT b; UPDATE accounts SET balance = 5 WHERE id = 4;
       RELEASE SAVEPOINT b; RELEASE SAVEPOINT a; COMMIT`,
    ],
    [
      'an exception that is caught',
      `DO $$ BEGIN UPDATE accounts SET balance = 6 WHERE id = 5; PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN UPDATE accounts SET balance = 7 WHERE id = 6; END $$`,
      `CREATE PROCEDURE fails() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION UPDATE accounts SET balance = 7 WHERE id = 6;
       UPDATE accounts SET balance = 6 WHERE id = 5; SIGNAL SQLSTATE '45000'; END;
       CALL fails(); DROP PROCEDURE fails`,
    ],
    [
      'a transaction that is prepared, not committed',
      `BEGIN; UPDATE accounts SET name = 'prepared' WHERE id = 2; PREPARE TRANSACTION 'one'`,
      `XA START 'one'; UPDATE accounts SET name = 'prepared' WHERE id = 2; XA END 'one'; XA PREPARE 'one'`,
    ],
    ['COMMIT PREPARED', `COMMIT PREPARED 'one'`, `XA COMMIT 'one'`],
    [
      'a transaction that is prepared, to be rolled back',
      `BEGIN; UPDATE "Post" SET title = 'never'; PREPARE TRANSACTION 'two'`,
      `XA START 'two'; UPDATE "Post" SET title = 'never'; XA END 'two'; XA PREPARE 'two'`,
    ],
    ['ROLLBACK PREPARED', `ROLLBACK PREPARED 'two'`, `XA ROLLBACK 'two'`],
    [
      'a procedure that commits',
      `DO $$ BEGIN FOR n IN 1..3 LOOP UPDATE accounts SET balance = n WHERE id = n; COMMIT; END LOOP; END $$`,
      `CREATE PROCEDURE commits() BEGIN DECLARE n INT DEFAULT 1;
       WHILE n <= 3 DO START TRANSACTION; UPDATE accounts SET balance = n WHERE id = n; COMMIT; SET n = n + 1; END WHILE; END;
       CALL commits(); DROP PROCEDURE commits`,
    ],
  ],
  'changed keys and columns of native types': [
    ['a changed id', `UPDATE "Setting" SET id = 11 WHERE id = 1`],
    [
      'exchanged ids',
      `UPDATE "Blob" SET name = 'x' WHERE name = 'b1'; UPDATE "Blob" SET name = 'b1' WHERE name = 'b2'; UPDATE "Blob" SET name = 'b2' WHERE name = 'x'`,
    ],
    ['a changed composite id', `UPDATE "Comment" SET number = 9 WHERE "postId" = 2 AND number = 2`],
    ['a changed id with an enum', `UPDATE "Grant" SET role = 'MEMBER' WHERE "accountId" = 1`],
    ['a changed uuid', `UPDATE "Ticket" SET id = '5eed0000-0000-4000-a000-0000000000ff' WHERE seat = 's1'`],
    ['a changed unique key', `UPDATE accounts SET email = 'a20@x.org' WHERE id = 1`],
    ['a unique key in another case', `UPDATE accounts SET email = 'A2@X.org' WHERE id = 2`, undefined],
    ['a unique key that is no longer null', `UPDATE "Locker" SET "accountId" = 1 WHERE number = 5`],
    ['a unique key that becomes null', `UPDATE "Locker" SET "accountId" = NULL WHERE number = 5`],
    ['decimals', `UPDATE accounts SET balance = 21.00 WHERE id IN (1, 3)`],
    ['negative decimals', `UPDATE accounts SET balance = -0.50 WHERE id IN (1, 3)`],
    ['a decimal of zero', `UPDATE accounts SET balance = -0.00 WHERE id IN (1, 3)`],
    [
      'bytes',
      `UPDATE accounts SET avatar = decode('00ff14', 'hex') WHERE id IN (1, 3)`,
      `UPDATE accounts SET avatar = x'00ff14' WHERE id IN (1, 3)`,
    ],
    ['no bytes', `UPDATE accounts SET avatar = '' WHERE id = 4`],
    ['a date', `UPDATE accounts SET born = '1990-01-05' WHERE id IN (1, 2)`],
    ['a date before 1970', `UPDATE accounts SET born = '1890-01-05' WHERE id IN (1, 2)`],
    ['a timestamp', `UPDATE accounts SET "createdAt" = '2024-01-01 10:00:00.5' WHERE id IN (1, 2)`],
    [
      'a timestamp before 1970',
      `UPDATE accounts SET "createdAt" = '1924-01-01 10:00:00.001' WHERE id IN (2, 3)`,
    ],
    [
      'a time with a zone',
      `UPDATE "Hour" SET at = '2024-02-28 20:00:00+05:30' WHERE label = 'hour 1'`,
      `UPDATE "Hour" SET at = '2024-02-28 14:30:00' WHERE label = 'hour 1'`,
    ],
    ['a bigint', `UPDATE accounts SET views = -9223372036854775808 WHERE id IN (1, 2)`],
    ['an enum', `UPDATE accounts SET role = 'admin' WHERE id IN (2, 3)`],
    ['a boolean', `UPDATE accounts SET active = false WHERE id IN (1, 4)`],
    [
      'lists and documents',
      `UPDATE accounts SET tags = '{}', roles = '{MEMBER}', meta = '[]' WHERE id = 1`,
      `UPDATE accounts SET meta = '[]' WHERE id = 1`,
    ],
  ],
  'many rows at once': [
    [
      'COPY',
      copy('Label', 'name, colour', 'l7\tred\nl8\tblue\n'),
      `INSERT INTO "Label" (name, colour) VALUES ('l7', 'red'), ('l8', 'blue')`,
    ],
    [
      'COPY with null',
      copy('Locker', 'number, code, "accountId"', '8\t\\N\t\\N\n9\tcode 2\t7\n'),
      `INSERT INTO "Locker" VALUES (8, NULL, NULL), (9, 'code 2', 7)`,
    ],
    [
      'COPY of a join table',
      copy('_LabelToPost', '"A", "B"', 'l7\t1\nl8\t1\nl1\t8\n'),
      `INSERT INTO "_LabelToPost" VALUES ('l7', 1), ('l8', 1), ('l1', 8)`,
    ],
    ['an insert into a join table', `INSERT INTO "_AccountToTeam" SELECT 7, code FROM "Team"`],
    ['an update of a join table', `UPDATE "_AccountToTeam" SET "B" = 5 WHERE "A" = 1`],
    ['a delete from a join table', `DELETE FROM "_LabelToPost" WHERE "A" = 'l2'`],
    [
      'a relation to itself',
      `INSERT INTO "_Similar" VALUES ('l3', 'l1'), ('l4', 'l3'); DELETE FROM "_Similar" WHERE "A" = 'l1'`,
    ],
    ['TRUNCATE', `TRUNCATE "Secret"`],
    [
      'TRUNCATE of several tables, and inserts',
      `BEGIN; TRUNCATE "Badge", "Grant"; INSERT INTO "Grant" VALUES (1, 'GUEST', 'new'); COMMIT`,
      `TRUNCATE "Badge"; TRUNCATE "Grant"; INSERT INTO "Grant" VALUES (1, 'GUEST', 'new')`,
    ],
    ['TRUNCATE of a join table', `TRUNCATE "_LabelToPost"`],
    [
      '100,000 rows in one transaction',
      `BEGIN; CREATE TEMPORARY TABLE many AS SELECT n FROM generate_series(1, 100000) n;
       INSERT INTO "Secret" (id, code, "accountId") SELECT n + 100000, 'many' || n, 1 FROM many;
       DELETE FROM "Secret" WHERE id > 100003; UPDATE accounts SET name = 'many' WHERE id = 7; COMMIT; DROP TABLE many`,
      `BEGIN; INSERT INTO "Secret" (id, code, "accountId") SELECT n + 100001, CONCAT('many', n), 1 FROM ${numbersTo100000};
       DELETE FROM "Secret" WHERE id > 100003; UPDATE accounts SET name = 'many' WHERE id = 7; COMMIT`,
    ],
  ],
}

/** `pg` has no COPY of its own. */
function copyInto({ sql }: FollowWorld, statement: string, lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statement, undefined, (error?: Error | null) =>
      error ? reject(error) : resolve(),
    )
    const answering = query as unknown as { handleCopyInResponse(connection: CopyConnection): void }
    answering.handleCopyInResponse = (connection) => {
      connection.sendCopyFromChunk(Buffer.from(lines))
      connection.endCopyFrom()
    }
    sql.query(query)
  })
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
