import { Readings } from './readings.js'

const names = ['User', 'Post']

/** What a statement may write: `'all'` is all models. */
function writtenBy(sql: string, provider = 'postgresql'): string {
  const { writing } = new Readings(provider, 10).of(sql)
  if (!writing) return 'nothing'
  if (writing.kind === 'statement') return writing.statement.table
  return names.filter(writing.names).join() || 'all'
}

it.each([
  ['SELECT * FROM "User" FOR UPDATE', 'nothing'],
  ['EXPLAIN SELECT * FROM "User"', 'nothing'],
  ['EXPLAIN (ANALYZE) EXECUTE changing', 'all'],
  ['EXPLAIN ANALYZE VERBOSE EXECUTE changing', 'all'],
  ['EXPLAIN ANALYZE UPDATE "User" SET id = 1', 'User'],
  ['SELECT "call" FROM "User"', 'nothing'],
  ['SELECT call FROM "User"', 'nothing'],
  [`DO 'BEGIN CALL f(); UPDATE "User" SET id = 1; END'`, 'all'],
  ['INSERT INTO "User" (id) SELECT id FROM "Post" ON CONFLICT DO NOTHING', 'User,Post'],
  ['UPDATE U&"\\0055ser" SET id = 1 FROM "Post"', 'all'],
  ['REFRESH MATERIALIZED VIEW "Post"', 'Post'],
  ['SAVEPOINT one', 'nothing'],
])('says of %s that it may write %s', (sql, expected) => {
  expect(writtenBy(sql)).toBe(expected)
})

it.each([
  ['BEGIN NOT ATOMIC IF 1 = 1 THEN CALL f(); END IF; UPDATE User SET id = 1; END', 'all'],
  ['BEGIN NOT ATOMIC IF 1 = 0 THEN DO 1; ELSE CALL f(); END IF; UPDATE User SET id = 1; END', 'all'],
  ['again: LOOP CALL f(); UPDATE User SET id = 1; END LOOP', 'all'],
  [`EXECUTE IMMEDIATE 'UPDATE User SET id = 1'`, 'all'],
  ['DO f()', 'all'],
  ['RENAME TABLE User TO Former', 'User'],
  ['UPDATE (User u JOIN Post p ON p.id = u.id) SET u.name = p.name', 'User,Post'],
  [`SELECT INSERT(name, 1, 2, 'a'), REPLACE(name, 'a', 'b'), TRUNCATE(id, 1) FROM User`, 'nothing'],
])('says of %s of MySQL that it may write %s', (sql, expected) => {
  expect(writtenBy(sql, 'mysql')).toBe(expected)
})

it('names a table whose capital letters PostgreSQL may leave as they are', () => {
  const { writing } = new Readings('postgresql', 10).of('UPDATE Ärzte SET name = $1 WHERE id = $2')
  const tables = ['Ärzte', 'ärzte', 'User']
  expect(writing?.kind === 'other' && tables.filter(writing.names)).toEqual(['Ärzte', 'ärzte'])
})

it.each([
  ['COMMIT', false],
  [`COMMIT PREPARED 'one'`, false],
  ['rollback to one', false],
  ['RELEASE one', false],
  [`XA COMMIT 'one'`, false],
  ['SELECT 1; COMMIT', false],
  ['BEGIN', true],
  ['START TRANSACTION', true],
  ['SET SESSION autocommit = 0', true],
  ['SET autocommit = ON', false],
  ['BEGIN; SELECT 1; END', false],
  ['SELECT "COMMIT"', undefined],
])('says of %s whether it begins a transaction or ends one: %s', (sql, expected) => {
  expect(new Readings('postgresql', 10).of(sql).begins).toBe(expected)
})
