import { createHash } from 'node:crypto'
import type pg from 'pg'
import { tableKey } from 'model-cache/internal'
import { followError } from '../errors.js'
import type { FollowProblem } from '../database-log.js'
import type { FollowedTable } from '../followed-tables.js'
import { messageOf } from '../database-url.js'
import { literal, quoted, tableName } from './sql.js'

/** A table as the catalogue of PostgreSQL describes it. */
interface FoundTable {
  readonly schema: string
  readonly name: string
  /** `'r'` a table, `'p'` a partitioned one, `'v'` a view, and so on. */
  readonly kind: string
  /** `'p'` permanent, `'u'` unlogged, `'t'` temporary. */
  readonly persistence: string
  /** `'d'` the primary key, `'n'` nothing, `'f'` the whole row, `'i'` a unique index. */
  readonly identity: string
  readonly identityColumns: readonly string[]
  /** The partitions that have the rows of the table, at any depth. */
  readonly partitions: readonly FoundPartition[]
  /** The tables of which it is a partition. */
  readonly ancestors: readonly Pick<FollowedTable, 'schema' | 'name'>[]
  /** Whether other tables inherit its columns, whose changes the log has under their own names. */
  readonly isInherited: boolean
}

type FoundPartition = Pick<FoundTable, 'kind' | 'persistence' | 'identity' | 'identityColumns'> & {
  /** The name as PostgreSQL writes it. */
  readonly name: string
}

interface PublishedTable {
  readonly schema: string
  readonly name: string
  /** The condition of the rows that are published; null for all of them. */
  readonly filter: string | null
}

/** Why the changes of a table are not followed, or not row by row. */
export interface TableProblem extends FollowProblem {
  readonly kind: 'table' | 'replica-identity' | 'row-filter'
  /** The two parts of the message. */
  readonly found: string
  readonly remedy: string
}

/**
 * Creates the publication of some tables, or brings it up to date. Tables whose published updates PostgreSQL would refuse are left out.
 *
 * @param write runs a statement, on the primary if the client leads to a standby
 * @returns what is wrong with the tables
 * @throws ModelCacheError (`E_FOLLOW`) with the statement, if the role may not run it
 */
export async function publish(
  client: pg.Client,
  publication: string,
  tables: readonly FollowedTable[],
  write: Write = (statement) => client.query(statement),
): Promise<readonly FollowProblem[]> {
  const { known, problems, published } = await inspectPublication(client, publication, tables)
  const refused = new Set(problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table))
  const added = tables.filter((table) => !refused.has(tableKey(table)) && !published.has(tableKey(table)))
  const name = quoted(publication)
  const list = added.map(tableName).join(', ')
  if (!known) {
    await run(write, `CREATE PUBLICATION ${name}${list && ` FOR TABLE ${list}`} WITH (${publishOptions})`)
    return problems
  }
  if (!known.root || !known.changes) await run(write, `ALTER PUBLICATION ${name} SET (${publishOptions})`)
  if (known.all || added.length === 0) return problems
  try {
    await run(write, `ALTER PUBLICATION ${name} ADD TABLE ${list}`)
  } catch (error) {
    // What is published already is followed nevertheless.
    const { message } = error as Error
    const unpublished = added.map((table) => ({ table: tableKey(table), isFollowed: false, message }))
    return [...problems, ...unpublished]
  }
  return problems
}

/**
 * Returns what the publication has of each of the tables that it has, by {@link tableKey}: a text that changes when the log may lack
 * changes of the rows, because the table is another one of the same name, has been altered, has other partitions, or was not published,
 * or not with all of its changes.
 */
export async function publishedVersions(
  query: (sql: string) => Promise<{ readonly versions: Readonly<Record<string, string>> | null }>,
  publication: string,
  tables: readonly FollowedTable[],
): Promise<ReadonlyMap<string, string>> {
  const names = tables.map(({ name, schema }) => `(${literal(schema)}, ${literal(name)})`)
  if (names.length === 0) return new Map()
  // What is changed and changed back looks as before, so that the numbers count which are never used again: that of what was created, and
  // that of the transaction which changed an entry of the catalogue last (`xmin`). VACUUM and ANALYZE leave both as they are. A table with
  // another filter or other columns gets another entry in the publication. TRUNCATE changes the entry of the table that has the rows.
  // The log has changes of a renamed schema under its other name, and none of rows whose enum values are renamed: those types have numbers
  // from 16384 on.
  // The namespaces of a publication are of PostgreSQL 15 and later; what depends on it can be asked of all versions.
  const { versions } = await query(
    `SELECT json_object_agg(json_build_array(t.schemaname, t.tablename)::text, md5(concat_ws(' ',
       p.oid, p.xmin, n.xmin, c.oid, c.xmin,
       (SELECT string_agg(a.xmin::text, ' ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0),
       (SELECT string_agg(concat_ws('.', e.oid, e.xmin), ' ' ORDER BY e.oid) FROM pg_enum e WHERE e.enumtypid IN (
         WITH RECURSIVE types (oid) AS (
           SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.atttypid > 16383
           UNION SELECT inner_type FROM types JOIN pg_type y USING (oid), unnest(ARRAY[y.typelem, y.typbasetype]) inner_type
         ) SELECT oid FROM types)),
       (SELECT string_agg(concat_ws('.', d.oid, d.xmin, h.xmin), ' ' ORDER BY d.oid)
         FROM pg_inherits h JOIN pg_class d ON d.oid = h.inhrelid
         WHERE h.inhparent = c.oid OR h.inhrelid IN (SELECT relid FROM pg_partition_tree(c.oid))),
       (SELECT string_agg(r.oid::text, ' ' ORDER BY r.oid) FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = c.oid),
       (SELECT string_agg(d.objid::text, ' ' ORDER BY d.objid) FROM pg_depend d WHERE d.refclassid = 'pg_publication'::regclass
         AND d.refobjid = p.oid AND d.classid <> 'pg_publication_rel'::regclass)))) AS versions
     FROM pg_publication p JOIN pg_publication_tables t ON t.pubname = p.pubname
       JOIN pg_namespace n ON n.nspname = t.schemaname
       JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
     WHERE p.pubname = ${literal(publication)} AND (t.schemaname, t.tablename) IN (${names.join(', ')})`,
  )
  return new Map(Object.entries(versions ?? {}).map(([key, version]) => [tableKeyIn(key), version]))
}

/** A {@link tableKey} as PostgreSQL writes it. */
function tableKeyIn(text: string): string {
  const [schema, name] = JSON.parse(text) as [string, string]
  return tableKey({ schema, name })
}

/** A publication as it is, and what is wrong with it and its tables. */
export interface InspectedPublication {
  /** Undefined if it does not exist. */
  readonly known: { readonly all: boolean; readonly root: boolean; readonly changes: boolean } | undefined
  /** The published tables by {@link tableKey}. */
  readonly published: ReadonlyMap<string, PublishedTable>
  readonly problems: readonly TableProblem[]
}

export async function inspectPublication(
  client: pg.Client,
  publication: string,
  tables: readonly FollowedTable[],
): Promise<InspectedPublication> {
  const found = await describeTables(client, tables)
  const { rows: listed } = await client.query<PublishedTable>(
    // Row filters are of PostgreSQL 15 and later.
    `SELECT schemaname AS schema, tablename AS name, to_jsonb(p) ->> 'rowfilter' AS filter
     FROM pg_publication_tables p WHERE pubname = $1`,
    [publication],
  )
  const published = new Map(listed.map((table) => [tableKey(table), table]))
  const roots = new Set([...published.keys(), ...tables.map(tableKey)])
  const problems = tables.flatMap((table) => [
    ...problemOf(table, found.get(tableKey(table)), roots),
    ...filterProblemOf(published.get(tableKey(table)), publication),
  ])
  const { rows } = await client.query<NonNullable<InspectedPublication['known']>>(
    `SELECT puballtables AS all, pubviaroot AS root, pubinsert AND pubupdate AND pubdelete AND pubtruncate AS changes
     FROM pg_publication WHERE pubname = $1`,
    [publication],
  )
  return { known: rows[0], published, problems }
}

type Write = (statement: string) => Promise<unknown>

/** The codes of PostgreSQL's errors after `lock_timeout`, */
const lockNotAvailable = '55P03'
/** on a standby, */
const readOnly = '25006'
/** and where another follower of the publication was faster. */
const duplicate = '42710'

/** Changes of partitions come as those of their table. */
export const publishOptions =
  "publish = 'insert, update, delete, truncate', publish_via_partition_root = true"

async function run(write: Write, statement: string): Promise<void> {
  try {
    await write(statement)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === duplicate) return
    const where = code === readOnly ? ' on the primary, or give its address as `primary`' : ''
    const remedy =
      code === lockNotAvailable
        ? 'Another statement has locked a table; it is tried again.'
        : `Run this${where}, as a role that owns the publication and the tables: ${statement};`
    throw followError(`cannot set up the publication: ${messageOf(error)}. ${remedy}`, error)
  }
}

async function describeTables(
  client: pg.Client,
  tables: readonly FollowedTable[],
): Promise<ReadonlyMap<string, FoundTable>> {
  const { rows } = await client.query<FoundTable>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relpersistence AS persistence,
       c.relreplident AS identity, ${identityColumnsOf('c')} AS "identityColumns",
       (SELECT COALESCE(json_agg(json_build_object('name', l.oid::regclass::text, 'kind', l.relkind, 'persistence', l.relpersistence,
           'identity', l.relreplident, 'identityColumns', ${identityColumnsOf('l')}) ORDER BY l.oid::regclass::text), '[]')
         FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf AND l.oid <> c.oid) AS partitions,
       (SELECT COALESCE(json_agg(json_build_object('schema', s.nspname, 'name', r.relname)), '[]')
         FROM pg_partition_ancestors(c.oid) t JOIN pg_class r ON r.oid = t.relid JOIN pg_namespace s ON s.oid = r.relnamespace
         WHERE r.oid <> c.oid) AS ancestors,
       c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = c.oid) AS "isInherited"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [tables.map(({ schema }) => schema), tables.map(({ name }) => name)],
  )
  return new Map(rows.map((row) => [tableKey(row), row]))
}

/**
 * The columns of a replica identity by an index, in SQL. A key that is DEFERRABLE is none, and neither are columns that an index only
 * includes.
 *
 * @param table its row of `pg_class`
 */
const identityColumnsOf = (table: string): string =>
  `COALESCE((SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
     WHERE i.indrelid = ${table}.oid AND i.indimmediate
       AND CASE ${table}.relreplident WHEN 'i' THEN i.indisreplident WHEN 'd' THEN i.indisprimary END), '{}')`

/** @param roots the tables of the publication, as it is and as it is to be */
function problemOf(
  table: FollowedTable,
  found: FoundTable | undefined,
  roots: ReadonlySet<string>,
): TableProblem[] {
  const name = tableName(table)
  const problem = (
    kind: TableProblem['kind'],
    text: string,
    remedy: string,
    isFollowed = false,
  ): TableProblem[] => [tableProblem(table, { kind, found: text, remedy, isFollowed })]
  if (!found)
    return problem(
      'table',
      `There is no table ${name} in the database that is followed.`,
      'Migrate the database, or give the URL of the one that has it.',
    )
  if (found.kind !== 'r' && found.kind !== 'p')
    return problem(
      'table',
      `${name} is not a table, so the log does not have its changes; caches of it cannot be followed.`,
      'Let writers of its tables call invalidate.',
    )
  if (found.persistence !== 'p')
    return problem('table', `${name} is not logged.`, `Run: ALTER TABLE ${name} SET LOGGED;`)
  const isWhole = found.identity === 'f'
  if (!isWhole && found.identityColumns.length === 0)
    return problem(
      'replica-identity',
      `${name} has no replica identity: published, its updates and deletes would fail.`,
      'Give it a primary key that is not DEFERRABLE, or choose one of its unique indexes of columns that are NOT NULL: ' +
        `ALTER TABLE ${name} REPLICA IDENTITY USING INDEX …; the follower tries the table again every 5 seconds.`,
    )
  const root = found.ancestors.find((ancestor) => roots.has(tableKey(ancestor)))
  if (root)
    return problem(
      'table',
      `${name} is a partition of ${tableName(root)}, and the log has its changes under that name; caches of it cannot be followed.`,
      'Let writers call invalidate.',
    )
  const partitioned = partitionProblemOf(name, table.idColumns, found)
  if (partitioned) return problem(...partitioned)
  if (found.isInherited)
    return problem(
      'table',
      `Other tables inherit from ${name}, and the log has their rows under their own names; caches of it cannot be followed.`,
      'Use partitions.',
    )
  const missing = isWhole
    ? []
    : [...table.idColumns].filter((column) => !found.identityColumns.includes(column))
  if (missing.length === 0) return []
  return problem(
    'replica-identity',
    `The replica identity of ${name} lacks ${missing.map(quoted).join(', ')}, which a cache identifies rows by: each of its updates and ` +
      'deletes invalidates all rows of that cache.',
    `Run: ALTER TABLE ${name} REPLICA IDENTITY FULL; or choose a unique index with REPLICA IDENTITY USING INDEX.`,
    true,
  )
}

/** @returns the kind of the problem, and the two parts of its message */
function partitionProblemOf(
  table: string,
  idColumns: ReadonlySet<string>,
  { identity, identityColumns, partitions }: FoundTable,
): [kind: TableProblem['kind'], found: string, remedy: string] | undefined {
  const namesOf = (test: (partition: FoundPartition) => boolean): string =>
    partitions
      .filter(test)
      .map(({ name }) => name)
      .join(', ')
  const foreign = namesOf(({ kind }) => kind === 'f')
  if (foreign)
    return [
      'table',
      `The partitions ${foreign} of ${table} are foreign tables, so the log does not have their changes; caches of it cannot be followed.`,
      'Detach them, or let writers call invalidate.',
    ]
  const unlogged = namesOf(({ persistence }) => persistence !== 'p')
  if (unlogged)
    return [
      'table',
      `The partitions ${unlogged} of ${table} are not logged.`,
      'Run for each of them: ALTER TABLE … SET LOGGED;',
    ]
  const remedy =
    'Run for each of them: ALTER TABLE … REPLICA IDENTITY FULL; the follower tries the table again every 5 seconds.'
  const keyless = namesOf((one) => one.identity !== 'f' && one.identityColumns.length === 0)
  if (keyless)
    return [
      'replica-identity',
      `The partitions ${keyless} of ${table} have no replica identity: published, their updates and deletes would fail.`,
      remedy,
    ]
  // With whole rows of the table, no column counts as unchanged.
  const shown = identity === 'f' ? [] : identityColumns.filter((column) => idColumns.has(column))
  const lacks = (one: FoundPartition, column: string): boolean =>
    one.identity !== 'f' && !one.identityColumns.includes(column)
  const hidden = shown.filter((column) => partitions.some((one) => lacks(one, column)))
  if (hidden.length === 0) return undefined
  return [
    'replica-identity',
    `The replica identities of the partitions ${namesOf((one) => hidden.some((column) => lacks(one, column)))} of ${table} lack ` +
      `${hidden.map(quoted).join(', ')}, which a cache identifies rows by: the log does not show rows whose ids have changed.`,
    remedy,
  ]
}

/** Somebody else may have made the publication. */
function filterProblemOf(table: PublishedTable | undefined, publication: string): TableProblem[] {
  if (!table?.filter) return []
  const name = tableName(table)
  const found = `The publication ${quoted(publication)} leaves out rows of ${name}: WHERE ${table.filter}.`
  const remedy = `Run: ALTER PUBLICATION ${quoted(publication)} DROP TABLE ${name}; the follower adds it again within 5 seconds.`
  return [tableProblem(table, { kind: 'row-filter', found, remedy, isFollowed: false })]
}

function tableProblem(
  table: { readonly schema: string; readonly name: string },
  problem: Omit<TableProblem, 'table' | 'message'>,
): TableProblem {
  return { ...problem, table: tableKey(table), message: `${problem.found} ${problem.remedy}` }
}

/** The publication of a namespace, unless another one is named. */
export function publicationOf(namespace: string): string {
  const plain = namespace.replaceAll(/[^a-z0-9_]/gi, '_').toLowerCase()
  // PostgreSQL cuts longer names.
  if (plain === namespace && plain.length <= 40) return `model_cache_${plain}`
  const digest = createHash('sha256').update(namespace).digest('hex').slice(0, 8)
  return `model_cache_${plain.slice(0, 31)}_${digest}`
}
