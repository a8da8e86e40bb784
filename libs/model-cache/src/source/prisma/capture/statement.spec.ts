import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinsIn } from './named-rows.js'
import { Readings } from './readings.js'
import { readStatement, type Statement } from './statement.js'

const limit = 3

/** What is read of a statement, in one line. */
function described(sql: string, provider: string): string {
  const statement = readStatement(sql, provider, limit)
  if (!statement) return 'not read'
  const { columns, end, hasReturning, isIgnoring, isUpsert, kind, rows, schema, set, table, where } =
    statement
  return [
    `${isIgnoring ? 'ignoring ' : ''}${isUpsert ? 'upsert' : kind} ${schema === undefined ? '' : `${schema}.`}${table}`,
    columns && `(${columns.join()})`,
    rows && `${rows.count} × ${JSON.stringify(rows.values() ?? 'too many')}`,
    set.size > 0 &&
      `sets ${[...set].map(([column, tokens]) => `${column} = ${tokens.map(({ text }) => text).join(' ')}`).join(', ')}`,
    where.length > 0 && `where ${JSON.stringify([...pinsIn(where, provider)])}`,
    hasReturning && 'returns',
    end !== sql.length && `and "${sql.slice(end)}"`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Statements that Prisma has sent in the differential tests, each with what is read of it. `UPDATE=1` writes them. */
describe.each(['postgresql', 'mysql', 'sqlite'])('the statements of Prisma on %s', (provider) => {
  const path = join(import.meta.dirname, 'golden', `${provider}.txt`)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const statements = lines.filter((line) => !line.startsWith('  '))

  it('are read as they are in the golden file', () => {
    const found = statements.flatMap((sql) => [sql, `  ${described(sql, provider)}`])
    if (process.env.UPDATE === '1') writeFileSync(path, `${found.join('\n')}\n`)
    else expect(found).toEqual(lines)
    expect(found).not.toContain('  not read')
  })
})

it.each([
  'UPDATE t AS x SET a = 1',
  'UPDATE t SET a = 1 FROM u WHERE u.id = t.id',
  'UPDATE t SET (a, b) = (1, 2)',
  'UPDATE t SET a = 1 WHERE id = 1; DELETE FROM u',
  'UPDATE t SET a = 1 WHERE CURRENT OF c',
  `UPDATE t SET a = 1 WHERE b = 'open`,
  'DELETE FROM t USING u WHERE t.id = u.id',
  'DELETE FROM ONLY t',
  'WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x',
  'INSERT INTO t SELECT * FROM u',
  'INSERT INTO t (a) VALUES (f(g(h(1))))',
  'INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 1',
  'INSERT INTO t (a, b) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = 3 ON CONFLICT (b) DO UPDATE SET a = 4',
  'INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2 WHERE b = 1 ON CONFLICT DO UPDATE SET c = 3',
  'INSERT OR REPLACE INTO t (a) VALUES (1)',
  'REPLACE INTO t (a) VALUES (1)',
  'UPDATE Ärzte SET a = 1',
  'UPDATE t SET Übung = 1',
])('reads no other form: %s', (sql) => {
  expect(readStatement(sql, 'postgresql', limit)).toBeUndefined()
})

it('reads where further columns can be put, before a comment and a semicolon', () => {
  const endOf = (sql: string): string => sql.slice((readStatement(sql, 'postgresql', limit) as Statement).end)
  expect(endOf('DELETE FROM t WHERE id = $1 /*a=1*/')).toBe(' /*a=1*/')
  expect(endOf('DELETE FROM t RETURNING id; -- all')).toBe('; -- all')
  expect(endOf('INSERT INTO t DEFAULT VALUES')).toBe('')
})

it.each([
  ['DELETE FROM t WHERE id = $1 AND values IS NULL OR id = $2', 'delete t where []'],
  ['UPDATE t SET n = values WHERE id = $1', 'update t sets n = values where [["id",[{"parameter":1}]]]'],
])('takes VALUES for the name of a column where it is no INSERT: %s', (sql, expected) => {
  expect(described(sql, 'postgresql')).toBe(expected)
})

it.each([
  ['UPDATE Straße SET größe = 1', 'postgresql', 'update straße sets größe = 1'],
  [`UPDATE "Ärzte" SET "Übung" = 'Ö'`, 'postgresql', `update Ärzte sets Übung = 'Ö'`],
  ['UPDATE Ärzte SET Übung = 1', 'sqlite', 'update Ärzte sets Übung = 1'],
])('reads names of other letters where their case is known: %s on %s', (sql, provider, expected) => {
  expect(described(sql, provider)).toBe(expected)
})

it.each([
  [
    'INSERT INTO t (a, b, c) VALUES ($1, ARRAY[$2, $3, $4], $5)',
    'insert t (a,b,c) 1 × [[{"parameter":1},"expression",{"parameter":5}]]',
  ],
  ['UPDATE t SET a = ARRAY[1, 2], b = $1', 'update t sets a = ARRAY [ 1 , 2 ], b = $1'],
])('takes an array for one value: %s', (sql, expected) => {
  expect(described(sql, 'postgresql')).toBe(expected)
})

it('counts rows of VALUES beyond the limit, and the parameters behind them', () => {
  const rows = Array.from({ length: limit + 1 }, () => '(?, ?)').join(', ')
  const { rows: read, where } = readStatement(
    `INSERT INTO t (a, b) VALUES ${rows} ON CONFLICT (a) DO UPDATE SET b = ? WHERE t.a = ?`,
    'sqlite',
    limit,
  )!
  expect([read!.count, read!.values()]).toEqual([limit + 1, undefined])
  expect([...pinsIn(where, 'sqlite')]).toEqual([['a', [{ parameter: 2 * (limit + 1) + 2 }]]])
})

it.each<[string, string, Record<string, unknown>]>([
  ['conjuncts', '(t.id = $1 AND 1=1) AND t.n IN ($2, $3)', { id: [1], n: [2, 3] }],
  ['a cast', 'role = CAST($1::text AS "public"."role")', { role: [1] }],
  ['null', 'id IN (NULL)', { id: ['null'] }],
  ['an alternative', 'id = $1 OR n = $2', {}],
  ['a negation', 'NOT id = $1', {}],
  ['a case', 'CASE WHEN id = $1 AND n = $2 THEN true ELSE false END', {}],
  ['a computation', 'id + 1 = $1', {}],
  ['a subquery', 'id IN (SELECT id FROM u WHERE n = $1)', {}],
])('pins rows by %s: %s', (_, where, expected) => {
  const statement = readStatement(`DELETE FROM t WHERE ${where}`, 'postgresql', limit)!
  const pins = [...pinsIn(statement.where, 'postgresql')].map(([column, cells]) => [
    column,
    cells.map((cell) => (cell === 'null' ? cell : cell.parameter)),
  ])
  expect(Object.fromEntries(pins)).toEqual(expected)
})

it.each([
  ['SELECT 1', 'read'],
  ['SELECT * FROM t FOR NO KEY UPDATE', 'read'],
  [`SELECT REPLACE(a, 'b', 'c'), 'DELETE FROM t' FROM t -- UPDATE t`, 'read'],
  ['BEGIN', 'read'],
  ['DELETE FROM t', 'statement'],
  [`SELECT E'\\''; DELETE FROM t WHERE x = ''`, 'other'],
  [`SELECT 'open; DELETE FROM t`, 'other'],
  ['WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x', 'other'],
  ['TRUNCATE t CASCADE', 'other'],
  ['CALL p()', 'other'],
  ['DO $$ BEGIN UPDATE t SET a = 1; END $$', 'other'],
  ['EXPLAIN ANALYZE UPDATE t SET a = 1', 'other'],
])('knows what may write: %s', (sql, kind) => {
  expect(new Readings('postgresql', limit).of(sql).writing?.kind ?? 'read').toBe(kind)
})

it('takes a backslash of MySQL for one, and executes its comments', () => {
  const readings = new Readings('mysql', limit)
  expect(readings.of(`SELECT 'a\\'; DELETE FROM t -- '`).writing).toBeUndefined()
  expect(readings.of('SELECT 1 /*! ; DELETE FROM t */').writing?.kind).toBe('other')
  expect(readings.of('SELECT 1 # DELETE FROM t').writing).toBeUndefined()
})

it.each<[string, string, string]>([
  ['postgresql', `SELECT set_config('role', $1, true)`, 'rights'],
  ['postgresql', `UPDATE t SET a = set_config('row_security', 'off', true)`, 'rights'],
  ['postgresql', 'SET LOCAL ROLE reader', 'rights'],
  ['postgresql', 'RESET ALL', 'rights'],
  ['postgresql', `SELECT set_config('search_path', 'a', true), t."set", t."end" FROM t`, ''],
  ['postgresql', 'COMMIT', 'end'],
  ['postgresql', 'SELECT 1; ROLLBACK', 'end'],
  ['postgresql', 'ROLLBACK TO SAVEPOINT a', ''],
  ['postgresql', 'WITH x AS (SELECT 1) SELECT CASE WHEN true THEN 1 END FROM x', ''],
  ['postgresql', 'TRUNCATE t', ''],
  ['mysql', 'TRUNCATE t', 'end'],
  ['mysql', 'SET autocommit = 1', 'end'],
  ['mysql', 'SET @a = 1', ''],
  ['mysql', 'UPDATE t SET a = 1', ''],
])('knows on %s what ends a transaction, or changes rights: %s', (provider, sql, expected) => {
  const { changesRights, mayEndTransaction } = new Readings(provider, limit).of(sql)
  expect([changesRights, mayEndTransaction]).toEqual([expected === 'rights', expected === 'end'])
})
