import type pg from 'pg'
import {
  type FollowedTable,
  type FollowedTables,
  type InspectedPublication,
  inspectPublication,
  publishOptions,
  quoted,
  tableName,
} from '@model-cache/follow/internal'
import { tableKey } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

const unfollowed = 'Rows of these tables that others write stay stale until their ttl ends.'

/** The publication of a namespace, and the tables of its caches. */
export async function checkPublication(
  client: pg.Client,
  publication: string,
  followed: FollowedTables,
): Promise<readonly Finding[]> {
  const tables = [...followed.tables.values()]
  const inspected = await inspectPublication(client, publication, tables)
  const { problems } = inspected
  return [
    ...problems.map(({ found, isFollowed, kind, remedy }) =>
      fault(
        isFollowed ? 'warning' : 'error',
        `postgres.${kind}`,
        found,
        isFollowed ? 'Each update or delete by others empties the whole cache.' : unfollowed,
        remedy,
      ),
    ),
    ...followed.unknown.map(({ name }) =>
      fault(
        'warning',
        'postgres.unknown-tables',
        `The tables of the cache ${name} are unknown.`,
        'Each change of a table that no cache has described empties it.',
        'Deploy one version of model-cache everywhere; a cache with a `load` of its own cannot be followed exactly.',
      ),
    ),
    ...(await checkPublished(client, publication, tables, inspected)),
  ]
}

async function checkPublished(
  client: pg.Client,
  publication: string,
  tables: readonly FollowedTable[],
  { known, problems, published }: InspectedPublication,
): Promise<readonly Finding[]> {
  const refused = new Set(problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table))
  const wanted = tables.filter((table) => !refused.has(tableKey(table)))
  const missing = wanted.filter((table) => !published.has(tableKey(table)))
  const name = quoted(publication)
  const list = missing.map(tableName).join(', ')
  if (known && !(known.root && known.changes))
    return [
      fault(
        'warning',
        'postgres.publication',
        `The publication ${publication} leaves out some changes, or has those of partitions under their own names.`,
        unfollowed,
        `ALTER PUBLICATION ${name} SET (${publishOptions});`,
      ),
    ]
  if (known && (known.all || missing.length === 0))
    return [ok('postgres.publication', `The publication ${publication} has all tables of the caches.`)]
  const statement = known
    ? `ALTER PUBLICATION ${name} ADD TABLE ${list};`
    : `CREATE PUBLICATION ${name}${list && ` FOR TABLE ${list}`} WITH (${publishOptions});`
  const found = known
    ? `The publication ${publication} lacks ${missing.map(({ name: table }) => table).join(', ')}.`
    : `There is no publication ${publication}.`
  const { isStandby, may } = await rightsIn(client, publication, missing)
  if (isStandby)
    return [
      fault(
        'warning',
        'postgres.publication',
        found,
        'The follower changes that on the primary, if it has its address. Otherwise these tables are not followed.',
        `Give followPostgres the \`primary\`, or run there as the owner of the tables: ${statement}`,
      ),
    ]
  if (may)
    return [
      fault('note', 'postgres.publication', found, 'The follower changes that when it starts.', statement),
    ]
  return [
    fault(
      'error',
      'postgres.publication',
      `${found} The role may not change that.`,
      unfollowed,
      `Run as the owner of the tables: ${statement}`,
    ),
  ]
}

interface Rights {
  /** Whether the server is a standby, on which no role may change a publication. */
  readonly isStandby: boolean
  /** Whether the role owns the publication, or may create it, and owns the tables. */
  readonly may: boolean
}

async function rightsIn(
  client: pg.Client,
  publication: string,
  tables: readonly FollowedTable[],
): Promise<Rights> {
  const { rows } = await client.query<Rights>(
    `SELECT pg_is_in_recovery() AS "isStandby", COALESCE((SELECT pg_has_role(pubowner, 'USAGE') FROM pg_publication WHERE pubname = $1),
         has_database_privilege(current_database(), 'CREATE'))
       AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest($2::text[], $3::text[]))
           AND NOT pg_has_role(c.relowner, 'USAGE')) AS may`,
    [publication, tables.map(({ schema }) => schema), tables.map(({ name }) => name)],
  )
  return rows[0]!
}
