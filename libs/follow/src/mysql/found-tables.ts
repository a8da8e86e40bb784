import { type Table, tableKey } from 'model-cache/internal'
import type { FollowProblem } from '../database-log.js'
import { type MysqlConnection, rowsOf } from './connect.js'
import type { ForeignKey } from './foreign-keys.js'
import { tableId } from './table-id.js'

/** The schema of models that name none: the database of the connection. */
const onlySchema = 'public'

/** Returns what gives a table the name of its database instead of Prisma's name of the only one. */
export function schemasIn(database: string): (table: Table) => Table {
  return ({ name, schema }) => ({ name, schema: schema === onlySchema ? database : schema })
}

/** The character sets of collations, by their numbers. */
export async function readCharsets(
  client: MysqlConnection,
  ofMariadb: boolean,
): Promise<ReadonlyMap<number, string>> {
  const rows = await rowsOf<{ id: number | null; charset: string }>(
    client,
    // From 10.10 on, MariaDB has numbers of collations which are of several character sets in a table of their own.
    `SELECT ID AS id, CHARACTER_SET_NAME AS charset FROM information_schema.${
      ofMariadb ? 'COLLATION_CHARACTER_SET_APPLICABILITY' : 'COLLATIONS'
    }`,
  )
  return new Map(rows.flatMap(({ charset, id }) => (id === null ? [] : [[Number(id), charset]])))
}

/** What the database has of tables, as far as the user may see them. */
export interface FoundTables {
  /** The version of each table's definition, by `tableKey`. */
  readonly versions: ReadonlyMap<string, string>
  readonly problems: readonly FollowProblem[]
  readonly foreignKeys: readonly ForeignKey[]
}

/** @param placeOf the database of a table, and its name there */
export async function findTables<T extends Table>(
  client: MysqlConnection,
  tables: readonly T[],
  placeOf: (table: T) => Table,
): Promise<FoundTables> {
  const schemas = [...new Set(tables.map((table) => placeOf(table).schema))]
  if (schemas.length === 0) return { versions: new Map(), problems: [], foreignKeys: [] }
  const found = await rowsOf<Table & { readonly kind: string }>(
    client,
    'SELECT TABLE_SCHEMA AS `schema`, TABLE_NAME AS name, TABLE_TYPE AS kind FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (?)',
    [schemas],
  )
  const kinds = new Map(found.map((table) => [tableId(table), table.kind]))
  const problems: FollowProblem[] = []
  const versions = new Map<string, string>()
  for (const table of tables) {
    const place = placeOf(table)
    const kind = kinds.get(tableId(place))
    const name = `\`${place.schema}\`.\`${place.name}\``
    const refuse = (message: string): void =>
      void problems.push({ table: tableKey(table), isFollowed: false, message })
    if (kind === undefined)
      refuse(
        `There is no table ${name}, or the user may not see it. Migrate the database, or run: GRANT SELECT ON ${name} TO …;`,
      )
    else if (/VIEW/.test(kind))
      refuse(
        `${name} is a view, so the log does not have its changes; caches of it cannot be followed. Let writers of its tables call invalidate.`,
      )
    // Whatever happens to a table is in the log.
    else versions.set(tableKey(table), kind)
  }
  return { versions, problems, foreignKeys: await readForeignKeys(client, schemas) }
}

interface KeyColumn {
  readonly schema: string
  readonly name: string
  readonly key: string
  readonly ofDelete: string
  readonly ofUpdate: string
  readonly parentSchema: string
  readonly parentName: string
  readonly referenced: string
}

/** Reads the foreign keys of tables in some databases, and of the tables in other databases to which they lead. */
async function readForeignKeys(
  client: MysqlConnection,
  schemas: readonly string[],
): Promise<readonly ForeignKey[]> {
  const keys: ForeignKey[] = []
  const seen = new Set<string>()
  for (let open = schemas; open.length > 0; open = open.filter((schema) => !seen.has(schema))) {
    for (const schema of open) seen.add(schema)
    const found = await keysIn(client, open)
    keys.push(...found)
    open = [...new Set(found.map(({ parent }) => parent.schema))]
  }
  return keys
}

async function keysIn(client: MysqlConnection, schemas: readonly string[]): Promise<ForeignKey[]> {
  const rows = await rowsOf<KeyColumn>(
    client,
    `SELECT r.CONSTRAINT_SCHEMA AS \`schema\`, r.TABLE_NAME AS name, r.CONSTRAINT_NAME AS \`key\`, r.DELETE_RULE AS ofDelete,
       r.UPDATE_RULE AS ofUpdate, k.REFERENCED_TABLE_SCHEMA AS parentSchema, k.REFERENCED_TABLE_NAME AS parentName,
       k.REFERENCED_COLUMN_NAME AS referenced
     FROM information_schema.REFERENTIAL_CONSTRAINTS r JOIN information_schema.KEY_COLUMN_USAGE k
       ON k.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = r.CONSTRAINT_NAME AND k.TABLE_NAME = r.TABLE_NAME
     WHERE r.CONSTRAINT_SCHEMA IN (?) AND k.CONSTRAINT_SCHEMA IN (?)`,
    [schemas, schemas],
  )
  const groups = Map.groupBy(rows, ({ key, name, schema }) => JSON.stringify([schema, name, key]))
  const changes = (rule: string): boolean => rule === 'CASCADE' || rule.startsWith('SET ')
  return [...groups.values()].map((columns) => {
    const { name, ofDelete, ofUpdate, parentName, parentSchema, schema } = columns[0]!
    return {
      child: { schema, name },
      parent: { schema: parentSchema, name: parentName },
      referenced: columns.map(({ referenced }) => referenced),
      onDelete: changes(ofDelete),
      onUpdate: changes(ofUpdate),
      deletesToo: ofDelete === 'CASCADE',
    }
  })
}
