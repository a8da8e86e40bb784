import { mayDefine, names, statementKind } from './statement-kind.js'

describe('a statement in the log', () => {
  it.each([
    ['none', 'BEGIN'],
    ['none', ' BEGIN\n'],
    ['none', 'START TRANSACTION'],
    ['none', 'SAVEPOINT `a`'],
    ['none', 'RELEASE SAVEPOINT `a`'],
    ['none', "XA BEGIN X'61'"],
    ['none', "XA END X'61'"],
    ['none', 'ROLLBACK TO `a`'],
    ['none', "XA START X'61',X'',1"],
    ['commit', 'COMMIT'],
    ['commit', 'ROLLBACK'],
    ['commit', "XA PREPARE X'61'"],
    ['commit', "XA ROLLBACK X'61',X'',1"],
    [
      'own',
      'INSERT INTO mysql.rds_heartbeat2(id, value) values (1,1624790516970) ON DUPLICATE KEY UPDATE value = 1624790516970',
    ],
    ['own', "INSERT INTO mysql.rds_sysinfo(name, value) values ('innodb_txn_key','Thu Nov 15 2018')"],
    ['own', "DELETE FROM mysql.rds_sysinfo where name = 'innodb_txn_key'"],
    ['definition', 'TRUNCATE TABLE t'],
    ['definition', '/* by a tool */ ALTER TABLE t ADD c INT'],
    ['definition', '-- a migration\n  create or replace table t (id int)'],
    ['definition', 'SET DEFAULT ROLE r FOR u'],
    ['definition', 'ANALYZE TABLE t'],
    ['definition', 'analyze  no_write_to_binlog  table t'],
    ['definition', 'ANALYZE LOCAL TABLES t'],
    ['definition', 'CREATE TABLE t (a INT) PARTITION BY LIST (a) (PARTITION p VALUES IN (1))'],
    ['definition', 'CREATE TABLE selected (a INT)'],
    ['definition', 'CREATE TABLE t (preselect INT, a INT DEFAULT (nvalues(1)))'],
    ['definition', 'CREATE VIEW v AS SELECT 1'],
    ['definition', 'CREATE PROCEDURE p() SET STATEMENT a = 1 FOR DELETE FROM t'],
    ['definition', 'CREATE PROCEDURE p() ANALYZE UPDATE t SET a = 1'],
    ['definition', 'CREATE PROCEDURE p() CREATE TABLE t SELECT 1'],
    ['definition', 'SET statements = 1'],
    ['definition', 'CREATE PROCEDURE p() SELECT 1'],
    ['definition', 'SET PASSWORD FOR u = 1'],
    ['unknown', 'ANALYZE UPDATE t SET a = 1'],
    ['unknown', 'ANALYZE FORMAT=JSON DELETE FROM table_of'],
    ['unknown', 'ANALYZE UPDATE local_table SET a = 1'],
    ['unknown', 'CREATE  TABLE t AS SELECT f()'],
    ['unknown', 'create or  replace  temporary  table t\n (a INT)\n select f() AS a'],
    ['unknown', 'CREATE TABLE t VALUES (f())'],
    ['unknown', 'CREATE TABLE t VALUES(f())'],
    ['unknown', 'SET  STATEMENT max_statement_time = 1 FOR DELETE FROM t'],
    ['unknown', 'INSERT INTO t VALUES (1)'],
    ['unknown', 'INSERT INTO mysql.user VALUES (1)'],
    ['unknown', 'INSERT INTO t SELECT value FROM mysql.rds_heartbeat2'],
    ['unknown', 'DELETE FROM t WHERE id IN (SELECT id FROM mysql.rds_sysinfo)'],
    ['unknown', 'UPDATE t SET a = 1 -- BEGIN'],
    ['unknown', 'UPDATE t SET a = 1 -- COMMIT'],
    ['unknown', 'UPDATE t SET a = 1 -- DROP'],
    ['unknown', 'BEGIN NOT ATOMIC DELETE FROM t; END'],
    ['unknown', 'COMMIT AND CHAIN'],
    ['unknown', '/*!50000 DELETE FROM t; */ BEGIN'],
    ['unknown', "XA COMMIT X'61',X'',1"],
    ['unknown', 'SET STATEMENT max_statement_time = 1 FOR DELETE FROM t'],
    ['unknown', '/*!50000 DELETE FROM t */'],
    ['unknown', '/*M!100100 DELETE FROM t */'],
    ['unknown', 'CALL anything()'],
  ])('is %s: %s', (kind, text) => {
    expect(statementKind(text)).toBe(kind)
  })

  it.each([
    [true, 'SET STATEMENT lock_wait_timeout = 1 FOR ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u (a)'],
    [true, '/*!50000 create table t (a INT) */'],
    [true, 'SET STATEMENT a = 1 FOR RENAME TABLE t TO u'],
    [true, '/*!50000 DROP TABLE t */'],
    [true, '/*M! TRUNCATE t */'],
    [false, 'UPDATE t SET created = 1, dropped = 2'],
    [false, "INSERT INTO alterations VALUES ('renamed')"],
  ])('may define tables, which is %s: %s', (may, text) => {
    expect(mayDefine(text)).toBe(may)
  })

  const lots = { schema: 'shop', name: 'Lots' }

  it.each([
    ['ALTER TABLE lots ADD c INT', 'shop'],
    ['RENAME TABLE a TO b, `Lots` TO c', 'shop'],
    ['DROP TABLE "Lots"', 'shop'],
    ['TRUNCATE shop.Lots', 'other'],
    ['DROP DATABASE shop', ''],
    ['DROP  DATABASE shop', ''],
    ['/* x */ drop schema `shop`', 'other'],
  ])('names a table: %s in "%s"', (text, schema) => {
    expect(names(text, schema, lots)).toBe(true)
  })

  it.each([
    ['ALTER TABLE bids ADD c INT', 'shop'],
    ['ALTER TABLE Lots ADD c INT', 'other'],
    ["ALTER TABLE bids COMMENT 'drop database'", 'shop'],
    ['DROP DATABASE other', 'other'],
  ])('does not name it: %s in "%s"', (text, schema) => {
    expect(names(text, schema, lots)).toBe(false)
  })

  it('may name a table whose name another character set spells differently', () => {
    expect(names('ALTER TABLE Gebote ADD c INT', 'shop', { schema: 'shop', name: 'Auktionsgüter' })).toBe(
      true,
    )
  })
})
