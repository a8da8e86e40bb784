import type pg from 'pg'
import { FollowError } from '../../errors.js'
import type { FollowProblem } from '../database-log.js'
import { type FollowedTable, tableKey } from '../followed-tables.js'
import { reasonOf } from './connect.js'
import { quoted, tableName } from './sql.js'

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
  /** Its partitions without a replica identity: published with it, their updates would fail. */
  readonly refused: readonly string[]
  /** Whether other tables inherit its columns, whose changes the log has under their own names. */
  readonly isInherited: boolean
}

interface PublishedTable {
  readonly schema: string
  readonly name: string
  /** The condition of the rows that are published; null for all of them. */
  readonly filter: string | null
}

export interface Publication {
  /** The keys of the tables that were not published before, or not all of their changes. */
  readonly changed: readonly string[]
  readonly problems: readonly FollowProblem[]
}

/**
 * Creates the publication of some tables, or brings it up to date. Tables whose published updates PostgreSQL would refuse are left out.
 *
 * @param beforeChange called before it is changed
 * @throws FollowError with the statement, if the role may not run it
 */
export async function publish(
  client: pg.Client,
  publication: string,
  tables: readonly FollowedTable[],
  beforeChange: () => Promise<void>,
): Promise<Publication> {
  const found = await describeTables(client, tables)
  const { rows: listed } = await client.query<PublishedTable>(
    // Row filters are of PostgreSQL 15 and later.
    `SELECT schemaname AS schema, tablename AS name, to_jsonb(p) ->> 'rowfilter' AS filter
     FROM pg_publication_tables p WHERE pubname = $1`,
    [publication],
  )
  const published = new Map(listed.map((table) => [tableKey(table), table]))
  const problems = tables.flatMap((table) => [
    ...problemOf(table, found.get(tableKey(table)), publication),
    ...filterProblemOf(published.get(tableKey(table)), publication),
  ])
  const refused = new Set(problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table))
  const wanted = tables.filter((table) => !refused.has(tableKey(table)))
  const { rows: known } = await client.query<{ all: boolean; root: boolean; changes: boolean }>(
    `SELECT puballtables AS all, pubviaroot AS root, pubinsert AND pubupdate AND pubdelete AND pubtruncate AS changes
     FROM pg_publication WHERE pubname = $1`,
    [publication],
  )
  const added = wanted.filter((table) => !published.has(tableKey(table)))
  const name = quoted(publication)
  const list = added.map(tableName).join(', ')
  const isPartial = known[0] !== undefined && !(known[0].root && known[0].changes)
  if (!known[0] || isPartial || (added.length > 0 && !known[0].all)) await beforeChange()
  if (!known[0]) {
    await run(client, `CREATE PUBLICATION ${name}${list && ` FOR TABLE ${list}`} WITH (${options})`)
    return { changed: added.map(tableKey), problems }
  }
  if (isPartial) await run(client, `ALTER PUBLICATION ${name} SET (${options})`)
  // Some changes of any table may be missing from the log until now.
  const since = isPartial ? wanted.map(tableKey) : []
  if (known[0].all || added.length === 0) return { changed: since, problems }
  try {
    await run(client, `ALTER PUBLICATION ${name} ADD TABLE ${list}`)
  } catch (error) {
    // What is published already is followed nevertheless.
    const { message } = error as FollowError
    return {
      changed: since,
      problems: [
        ...problems,
        ...added.map((table) => ({ table: tableKey(table), isFollowed: false, message })),
      ],
    }
  }
  return { changed: [...since, ...added.map(tableKey)], problems }
}

/** Changes of partitions come as those of their table. */
const options = "publish = 'insert, update, delete, truncate', publish_via_partition_root = true"

async function run(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    throw new FollowError(
      `cannot set up the publication: ${reasonOf(error)}. Run this as its owner, who has to own the tables: ${statement};`,
      error,
    )
  }
}

async function describeTables(
  client: pg.Client,
  tables: readonly FollowedTable[],
): Promise<ReadonlyMap<string, FoundTable>> {
  const { rows } = await client.query<FoundTable>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relpersistence AS persistence,
       c.relreplident AS identity,
       COALESCE((SELECT array_agg(a.attname::text) FROM pg_index i
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
         WHERE i.indrelid = c.oid AND CASE c.relreplident WHEN 'i' THEN i.indisreplident WHEN 'd' THEN i.indisprimary END),
         '{}') AS "identityColumns",
       (SELECT COALESCE(array_agg(l.oid::regclass::text ORDER BY 1), '{}')
         FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid
         WHERE t.isleaf AND l.oid <> c.oid AND l.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_index i
           WHERE i.indrelid = l.oid AND CASE l.relreplident WHEN 'i' THEN i.indisreplident WHEN 'd' THEN i.indisprimary END)) AS refused,
       c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = c.oid) AS "isInherited"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [tables.map(({ schema }) => schema), tables.map(({ name }) => name)],
  )
  return new Map(rows.map((row) => [tableKey(row), row]))
}

function problemOf(
  table: FollowedTable,
  found: FoundTable | undefined,
  publication: string,
): FollowProblem[] {
  const name = tableName(table)
  const problem = (message: string, isFollowed = false) => [{ table: tableKey(table), isFollowed, message }]
  if (!found) return problem(`There is no table ${name} in the database that is followed.`)
  if (found.kind !== 'r' && found.kind !== 'p')
    return problem(
      `${name} is not a table, so the log does not have its changes; caches of it cannot be followed.`,
    )
  if (found.persistence !== 'p') return problem(`${name} is not logged. Run: ALTER TABLE ${name} SET LOGGED;`)
  const isWhole = found.identity === 'f'
  if (!isWhole && found.identityColumns.length === 0)
    return problem(
      `${name} has no replica identity: published, its updates and deletes would fail. Give it a primary key, or choose one of its ` +
        `unique indexes of columns that are NOT NULL: ALTER TABLE ${name} REPLICA IDENTITY USING INDEX …; then restart the follower of ${publication}.`,
    )
  if (found.refused.length > 0)
    return problem(
      `The partitions ${found.refused.join(', ')} of ${name} have no replica identity: published, their updates and deletes would fail. ` +
        `Run for each of them: ALTER TABLE … REPLICA IDENTITY FULL; then restart the follower of ${publication}.`,
    )
  if (found.isInherited)
    return problem(
      `Other tables inherit from ${name}, and the log has their rows under their own names; caches of it cannot be followed. Use partitions.`,
    )
  const missing = isWhole
    ? []
    : [...table.idColumns].filter((column) => !found.identityColumns.includes(column))
  if (missing.length === 0) return []
  return problem(
    `The replica identity of ${name} lacks ${missing.map(quoted).join(', ')}, which a cache identifies rows by: each of its updates and ` +
      `deletes invalidates all rows. Run: ALTER TABLE ${name} REPLICA IDENTITY FULL; or choose a unique index with REPLICA IDENTITY USING INDEX.`,
    true,
  )
}

/** Somebody else may have made the publication. */
function filterProblemOf(table: PublishedTable | undefined, publication: string): FollowProblem[] {
  if (!table?.filter) return []
  const name = tableName(table)
  const message =
    `The publication ${quoted(publication)} leaves out rows of ${name}: WHERE ${table.filter}. ` +
    `Run: ALTER PUBLICATION ${quoted(publication)} DROP TABLE ${name}; then restart the follower, which adds it again.`
  return [{ table: tableKey(table), isFollowed: false, message }]
}
