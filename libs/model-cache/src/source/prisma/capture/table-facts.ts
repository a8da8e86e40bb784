import { familyOf } from '../../columns/column-kinds.js'
import type { Table } from '../../schema-facts.js'
import { isTransaction, plainQuery, type Queryable } from './adapter.js'
import { quoteName, quoteText, tableInSql } from './sql.js'
import type { Statement } from './statement.js'
import { mayHideTriggers, readRights, type Rights } from './trigger-right.js'
import { isDenied } from './write-end.js'
import { takeWriteLock } from './write-lock.js'

/** What the database says of a table that writers have to know and the schema of Prisma does not say. */
export interface TableFacts {
  /** Whether statements may show the rows that they write, and change the same rows as those that do not. */
  readonly returnsRows: boolean
  /** Whether rows may be locked. */
  readonly locksRows: boolean
  /**
   * The triggers that may change rows in another way than a statement says: `'before delete'`. Each has the columns one of which an UPDATE
   * has to set to fire it, or undefined if any statement does.
   */
  readonly triggers: ReadonlyMap<Trigger, ReadonlySet<string> | undefined>
  /** Columns that change with others. */
  readonly derived: ReadonlySet<string>
  /** For MySQL: the column whose number an INSERT reports if it has generated it. */
  readonly numbered: string | undefined
  /** Whether values are stored as they are given, or refused. */
  readonly isStrict: boolean
  /** Whether INSERT and DELETE have RETURNING. */
  readonly hasReturning: boolean
  /**
   * Whether statements may write other rows than they say: rules have others run instead; the table says that SQLite deletes rows which are in
   * the way, or keeps a part of a statement that fails.
   */
  readonly writesOthers: boolean
  /** For MySQL: whether failed statements are undone as a whole, and transactions rolled back. Some of its engines do neither. */
  readonly isTransactional: boolean | undefined
}

/** When a trigger runs. */
export type Trigger = `${'before' | 'after'} ${Statement['kind']}`

/** Whether a statement that sets these columns fires triggers. */
export function fires({ triggers }: TableFacts, trigger: Trigger, set: readonly string[]): boolean {
  const columns = triggers.get(trigger)
  return columns ? set.some((column) => columns.has(column)) : triggers.has(trigger)
}

/** Asks the database for {@link TableFacts}, once for each table that it has. */
export class KnownTables {
  readonly #provider: string
  readonly #known = new Map<string, TableFacts>()
  /** What MySQL grants to the user, for all tables; undefined until it has said so. */
  #rights: Rights | undefined
  #isKept = true

  constructor(provider: string) {
    this.#provider = provider
  }

  /** Has the facts looked up each time, because the role of connections changes. */
  forget(): void {
    this.#isKept = false
    this.#known.clear()
    this.#rights = undefined
  }

  /**
   * @param queryable what writes the table. Nobody waits for the answer of another one: that may wait for the connection of a transaction
   *   which waits here.
   */
  async of(table: Table, queryable: Queryable): Promise<TableFacts> {
    const name = `${table.schema} ${table.name}`
    const known = this.#known.get(name)
    if (known) return known
    if (this.#provider === 'sqlite' && isTransaction(queryable))
      await takeWriteLock(queryable, tableInSql(table, 'sqlite'))
    const facts = await factsOf(table, this.#provider, queryable, () => this.#rightsOf(queryable))
    // A table that is not there may be created.
    if (this.#isKept && facts !== nothing) this.#known.set(name, facts)
    return facts
  }

  async #rightsOf(queryable: Queryable): Promise<Rights> {
    const rights = this.#rights ?? (await readRights(queryable))
    if (this.#isKept) this.#rights = rights
    return rights
  }
}

/** The statement will fail, or writes a table that another role has made. */
const nothing: TableFacts = {
  returnsRows: false,
  locksRows: false,
  triggers: new Map(),
  derived: new Set(),
  numbered: undefined,
  isStrict: true,
  hasReturning: true,
  writesOthers: false,
  isTransactional: undefined,
}

async function factsOf(
  table: Table,
  provider: string,
  queryable: Queryable,
  rights: () => Promise<Rights>,
): Promise<TableFacts> {
  const sql =
    familyOf(provider) === 'postgresql'
      ? inPostgres(table, provider)
      : provider === 'mysql'
        ? inMysql(table)
        : inSqlite(table)
  const { columnNames, rows } = await queryable.queryRaw(plainQuery(sql))
  const [row] = rows
  if (!row) return nothing
  const found = Object.fromEntries(columnNames.map((name, i) => [name, row[i]]))
  const is = (name: string, otherwise: boolean): boolean => (name in found ? isTrue(found[name]) : otherwise)
  const isView = is('view', false)
  const triggers = triggersIn(listIn(found.triggers))
  const mayHide =
    provider === 'mysql' &&
    !isView &&
    triggers.size === 0 &&
    (await mayHideTriggers(String(found.schema), table.name, rights))
  const mayLock = provider !== 'mysql' || isView || (await mayLockInMysql(table, queryable))
  return {
    returnsRows: !isView && is('returns', true),
    locksRows: !isView && mayLock && is('locks', true),
    triggers: mayHide ? hiddenTriggers : triggers,
    numbered: typeof found.numbered === 'string' ? found.numbered : undefined,
    isStrict: is('strict', true),
    hasReturning: is('returning', true),
    writesOthers:
      is('rules', false) || /\bCONFLICT\b[^]*\b(?:REPLACE|FAIL)\b/i.test(String(found.definition)),
    isTransactional: 'transactional' in found ? isTrue(found.transactional) : undefined,
    derived: new Set(listIn(found.derived) as string[]),
  }
}

/** Those by which a table of MySQL may change what is written in it. */
const hiddenTriggers: TableFacts['triggers'] = new Map([
  ['before insert', undefined],
  ['before update', undefined],
])

/**
 * MySQL says by the refusal of a lock whether a role has the right to it, and to all columns. A transaction goes on after that. It is not
 * sent as a query, for which drivers have to know the types of the columns.
 */
async function mayLockInMysql(table: Table, queryable: Queryable): Promise<boolean> {
  try {
    await queryable.executeRaw(
      plainQuery(`SELECT * FROM ${tableInSql(table, 'mysql')} WHERE 1 = 0 FOR UPDATE`),
    )
    return true
  } catch (error) {
    if (isDenied(error)) return false
    throw error
  }
}

function listIn(json: unknown): readonly unknown[] {
  return typeof json === 'string' ? (JSON.parse(json) as unknown[]) : []
}

/** `AFTER DELETE` of MySQL, and `CREATE TRIGGER name AFTER` of SQLite, whose triggers run before if they say neither. */
const beginsWithAfter =
  /^(?:create trigger (?:"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|[^\s"'`[]+)\s+)?after\b/

/**
 * @param said as PostgreSQL has it, the bits of its `tgtype`, with the columns of `UPDATE OF` or null; as MySQL, `'BEFORE DELETE'`; of SQLite,
 *   the statement that has created it
 */
function triggersIn(said: readonly unknown[]): TableFacts['triggers'] {
  const found = new Map<Trigger, ReadonlySet<string> | undefined>()
  for (const one of said) {
    const [type, columns] = (Array.isArray(one) ? one : [one, null]) as [unknown, readonly string[] | null]
    for (const trigger of triggersOf(type)) {
      const known = found.get(trigger)
      const isKnownOfAny = found.has(trigger) && !known
      const isOfSome = columns && trigger.endsWith('update') && !isKnownOfAny
      found.set(trigger, isOfSome ? new Set([...(known ?? []), ...columns]) : undefined)
    }
  }
  return found
}

function* triggersOf(type: unknown): Generator<Trigger, void> {
  const text = String(type).toLowerCase()
  const isAfter = typeof type === 'number' ? (type & 2) === 0 : /\bafter\b/.test(text)
  // The text of a trigger of SQLite may hold the word anywhere.
  const isBefore = typeof type === 'number' ? !isAfter : !beginsWithAfter.test(text)
  for (const [kind, bit] of [
    ['insert', 4],
    ['delete', 8],
    ['update', 16],
  ] as const)
    if (typeof type === 'number' ? (type & bit) > 0 : text.includes(kind)) {
      if (isBefore) yield `before ${kind}`
      if (isAfter) yield `after ${kind}`
    }
}

function isTrue(value: unknown): boolean {
  return value === true || Number(value) === 1
}

/**
 * Row-level security would show a part of the rows, or refuse others; rules may replace the statement; a trigger that is deferred changes rows
 * when nothing can be asked any more. Partitions, and tables that inherit, may have triggers of their own. An UPDATE that moves a row to
 * another partition fires those of DELETE and INSERT, whose bits are 8 and 4, which count as triggers of UPDATE, 16, as well, whatever is set.
 */
function inPostgres({ name, schema }: Table, provider: string): string {
  const table = quoteText(
    [schema, name].flatMap((part) => (part === '' ? [] : [quoteName(part, 'postgresql')])).join('.'),
  )
  const isCockroach = provider === 'cockroachdb'
  const parts = `WITH RECURSIVE part (oid) AS (
        SELECT c.oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN part ON i.inhparent = part.oid)
      SELECT oid FROM part`
  const moves = `c.relkind = 'p' AND t.tgtype & 12 > 0`
  const type = `CASE WHEN ${moves} THEN t.tgtype | 16 ELSE t.tgtype END`
  const columns = `(SELECT json_agg(a.attname) FROM pg_attribute a
      WHERE a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr) AND NOT (${moves}))`
  return `SELECT c.relkind IN ('v', 'm') AS "view",
    has_table_privilege(c.oid, 'SELECT')${isCockroach ? '' : ' AND NOT row_security_active(c.oid) AND NOT c.relhasrules'}
      AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid IN (${parts}) AND NOT t.tgisinternal AND t.tgdeferrable) AS "returns",
    ${isCockroach ? 'false' : 'c.relhasrules'} AS "rules",
    has_any_column_privilege(c.oid, 'UPDATE') AS "locks",
    (SELECT json_agg(${isCockroach ? type : `json_build_array(${type}, ${columns})`})::text
      FROM pg_trigger t WHERE t.tgrelid IN (${parts}) AND NOT t.tgisinternal AND t.tgenabled <> 'D') AS "triggers",
    (SELECT json_agg(a.attname)::text FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attgenerated <> '' AND NOT a.attisdropped) AS "derived"
    FROM pg_class c WHERE c.oid = to_regclass(${table})`
}

function inMysql({ name, schema }: Table): string {
  const table = quoteText(name)
  // The schema of a table without one is that of the connection.
  const own = schema === 'public' || schema === '' ? 'DATABASE()' : quoteText(schema)
  return `SELECT t.TABLE_TYPE = 'VIEW' AS \`view\`, t.TABLE_SCHEMA AS \`schema\`,
    (SELECT CAST(JSON_ARRAYAGG(CONCAT(g.ACTION_TIMING, ' ', g.EVENT_MANIPULATION)) AS CHAR)
      FROM information_schema.TRIGGERS g
      WHERE g.EVENT_OBJECT_SCHEMA = t.TABLE_SCHEMA AND g.EVENT_OBJECT_TABLE = t.TABLE_NAME) AS \`triggers\`,
    (SELECT CAST(JSON_ARRAYAGG(c.COLUMN_NAME) AS CHAR) FROM information_schema.COLUMNS c
      WHERE c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
        AND (COALESCE(c.GENERATION_EXPRESSION, '') <> '' OR c.EXTRA LIKE '%on update%')) AS \`derived\`,
    (SELECT c.COLUMN_NAME FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = t.TABLE_SCHEMA
      AND c.TABLE_NAME = t.TABLE_NAME AND c.EXTRA LIKE '%auto_increment%') AS \`numbered\`,
    (SELECT e.TRANSACTIONS = 'YES' AND e.SAVEPOINTS = 'YES' FROM information_schema.ENGINES e
      WHERE e.ENGINE = t.ENGINE) AS \`transactional\`,
    @@SESSION.sql_mode LIKE '%STRICT%' AS \`strict\`,
    VERSION() LIKE '%MariaDB%' AS \`returning\`
    FROM information_schema.TABLES t WHERE t.TABLE_NAME = ${table} AND t.TABLE_SCHEMA = ${own}`
}

function inSqlite({ name }: Table): string {
  const table = quoteText(name)
  // A virtual table knows no RETURNING.
  return `SELECT type = 'view' AS "view", sql NOT LIKE 'CREATE VIRTUAL%' AS "returns", sql AS definition,
    (SELECT json_group_array(g.sql) FROM sqlite_master g
      WHERE g.type = 'trigger' AND lower(g.tbl_name) = lower(t.name)) AS "triggers",
    (SELECT json_group_array(c.name) FROM pragma_table_xinfo(t.name) c WHERE c.hidden IN (2, 3)) AS "derived"
    FROM sqlite_master t WHERE lower(t.name) = lower(${table}) AND type IN ('table', 'view')`
}
