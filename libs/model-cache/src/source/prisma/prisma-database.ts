import {
  type Database,
  type DatabaseDescription,
  migratedId,
  postgresId,
  postgresIdColumns,
} from '../database.js'
import type { SaidOfColumns } from '../columns/database-facts.js'
import { familyOf } from '../columns/column-kinds.js'
import { schemaFactsOf } from './schema/describe-schema.js'
import type { SharedTables } from '../shared-tables.js'
import { askDatabase } from './ask-database.js'
import { quoteName } from './capture/sql.js'
import { defaultSchemaOf, originalOf, providerOf, runtimeModelsOf } from './internals.js'
import { readSharedTables } from './read-shared-tables.js'

type Row = Readonly<Record<string, string | null>>

/** One query and what its row says. */
interface Question {
  readonly sql: string
  readonly values: readonly string[]
  read(row: Row): DatabaseDescription
}

const databases = new WeakMap<object, Database>()

/** The database of a client: the same object for all clients of one PrismaClient. */
export function databaseOf(client: object): Database {
  const original = originalOf(client) ?? client
  let database = databases.get(original)
  if (!database) {
    database = { describe: () => describe(client), sharedTables: asked(() => sharedTablesOf(client)) }
    databases.set(original, database)
  }
  return database
}

/** Asks again only if there was no answer. */
function asked<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  return () => {
    asking ??= ask().catch((error: unknown) => {
      asking = undefined
      throw error
    })
    return asking
  }
}

async function sharedTablesOf(client: object): Promise<SharedTables | undefined> {
  return originalOf(client) && unlessRefused(readSharedTables(client))
}

async function describe(client: object): Promise<DatabaseDescription | undefined> {
  if (!originalOf(client)) return undefined
  await learnColumns(client)
  for (const { read, sql, values } of questionsTo(client)) {
    const row = await ask(client, sql, values)
    if (row) return read(row)
  }
  return undefined
}

/**
 * Asks the database what it makes of the values of its columns, beyond what the schema shows.
 *
 * @throws any error if the database does not answer
 */
export async function learnColumns(client: object): Promise<void> {
  const { database, provider } = schemaFactsOf(client)
  if (familyOf(provider) !== 'postgresql') return
  const said = await ask(client, columnsQuestion, [])
  if (said)
    database.learn({
      timeZone: said['zone']!,
      collations: JSON.parse(said['collations'] ?? '[]') as SaidOfColumns['collations'],
    })
}

/** Has the database asked about its columns, if it has not been yet; undefined if there is nothing to wait for. Never rejects. */
export function columnsLearned(client: object): Promise<void> | undefined {
  const { database, provider } = schemaFactsOf(client)
  if (database.isKnown || familyOf(provider) !== 'postgresql') return undefined
  // If the database does not answer, neither does it to the query that waits.
  return learnColumns(client).catch(() => {})
}

/** The columns by JSON, as servers before PostgreSQL 12 have no `collisdeterministic`, and no such collations. */
const columnsQuestion = `SELECT current_setting('TimeZone') AS zone, (SELECT json_agg(json_build_object(
    'schema', n.nspname, 'table', t.relname, 'column', a.attname, 'collation', c.collname) ORDER BY a.attrelid, a.attnum)::text
  FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation JOIN pg_class t ON t.oid = a.attrelid
  JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE to_jsonb(c) ->> 'collisdeterministic' = 'false' AND NOT a.attisdropped) AS collations`

/** Returns the first row of the answer; undefined if the database lacks what is asked for, or the role may not have it. */
async function ask(client: object, sql: string, values: readonly string[]): Promise<Row | undefined> {
  return (await unlessRefused(askDatabase(client, sql, values)))?.[0] as Row | undefined
}

function unlessRefused<T>(asking: Promise<T>): Promise<T | undefined> {
  return asking.catch((error: unknown) => {
    if (isRefused(error)) return undefined
    throw error
  })
}

/** The best question comes first; the next one is for a database that refuses it. */
function questionsTo(client: object): readonly Question[] {
  const provider = providerOf(client)
  const models = Object.values(runtimeModelsOf(client))
  const ownSchema = defaultSchemaOf(client)
  // Where each model names its schema, that of the client holds no table.
  const schema = models.length > 0 && models.every((model) => model.schema) ? '' : ownSchema
  if (provider === 'postgresql' || provider === 'postgres') {
    const all = [...new Set([ownSchema, ...models.flatMap((model) => model.schema ?? [])])]
    return [askPostgres(schema, all), askPostgresMigrations(schema, all, ownSchema)]
  }
  if (provider === 'cockroachdb') return [askMigrations('CockroachDB', 'current_database()', schema)]
  if (provider === 'mysql') return [askMigrations('MySQL', 'database()', '')]
  if (provider === 'sqlite') return [askMigrations('SQLite', "''", '')]
  return []
}

/**
 * Changes when a database or its tables are created again, also from a dump: the oid of the database, and that of its oldest table. The
 * one that Prisma creates first is left alone by migrations.
 */
const creation = `d.oid, (SELECT t.oid FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE n.nspname IN (SELECT jsonb_array_elements_text($1::text::jsonb)) AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  ORDER BY t.relname <> '_prisma_migrations', t.oid LIMIT 1)`

/**
 * Every role may call these functions, unless somebody has revoked it. A replica has the identifier of its primary; the name of a
 * database is unique on a server. A promoted replica and a restored backup begin a new timeline, which a server knows by its last
 * checkpoint or, before that, by how far it has recovered.
 */
function askPostgres(schema: string, all: readonly string[]): Question {
  return {
    sql: `SELECT ${postgresIdColumns},
      concat_ws('.', greatest(c.timeline_id, r.min_recovery_end_timeline), ${creation}) AS history,
      CASE WHEN pg_is_in_recovery() THEN NULL ELSE (c.checkpoint_lsn - '0/0'::pg_lsn)::text END AS position,
      host(inet_server_addr()) AS host, inet_server_port()::text AS port
    FROM pg_control_system(), pg_control_checkpoint() c, pg_control_recovery() r, pg_database d
    WHERE d.datname = current_database()`,
    values: [JSON.stringify(all)],
    read({ branch, history, host, name, port, position, system }) {
      const server = [
        `PostgreSQL ${system}`,
        ...(branch ? [branch] : []),
        ...(host ? [`${host}:${port}`] : []),
      ]
      return {
        id: postgresId({ system: system!, branch: branch!, name: name! }),
        schema,
        history: history!,
        position: position ?? undefined,
        name: `database "${name}"${schema && `, schema "${schema}"`} (${server.join(', ')})`,
      }
    },
  }
}

function askPostgresMigrations(schema: string, all: readonly string[], ownSchema: string): Question {
  const table = `${quoteName(ownSchema, 'postgresql')}._prisma_migrations`
  return {
    sql: `SELECT m.id, d.datname::text AS name, concat_ws('.', ${creation}) AS history
      FROM (SELECT id FROM ${table} ORDER BY started_at, id LIMIT 1) m, pg_database d WHERE d.datname = current_database()`,
    values: [JSON.stringify(all)],
    read: (row) => migrated('PostgreSQL', schema, row),
  }
}

/** @param name the expression for the name of the database, which a copy on the same server does not share */
function askMigrations(kind: string, name: string, schema: string): Question {
  return {
    sql: `SELECT id, ${name} AS name FROM _prisma_migrations ORDER BY started_at, id LIMIT 1`,
    values: [],
    read: (row) => migrated(kind, schema, { ...row, history: schema }),
  }
}

/** Prisma gives each migration that it applies a random id, which replicas, backups and copies have as well. */
function migrated(kind: string, schema: string, { history, id, name }: Row): DatabaseDescription {
  return {
    id: migratedId({ id: id!, name: name ?? '' }),
    schema,
    history: history!,
    name: `database${name ? ` "${name}"` : ''}${schema && `, schema "${schema}"`} (${kind}, whose first migration is ${id})`,
  }
}

/** Whether the database has answered that it lacks what is asked for, or that the role may not have it. */
function isRefused(error: unknown): boolean {
  const { cause: own, meta } = (error ?? {}) as AdapterError & { readonly meta?: RawQueryMeta }
  const cause = meta?.driverAdapterError?.cause ?? own
  // libSQL says what is missing in its message alone.
  if (cause?.kind === 'TableDoesNotExist' || cause?.originalMessage?.includes('no such table')) return true
  const code = String(cause?.originalCode)
  // SQLSTATE without the classes of connections, logins, resources and operators; SELECT that MySQL does not permit. From 45000 on are the
  // errors of MariaDB's driver itself, such as a server that is not reached.
  return (/^\w{5}$/.test(code) && !/^(08|25|28|3D|40|45|53|55|57|58)/.test(code)) || /^114[23]$/.test(code)
}

/** What a driver adapter throws. */
interface AdapterError {
  readonly cause?: {
    readonly kind?: string
    readonly originalCode?: unknown
    readonly originalMessage?: string
  }
}

/** The place of the driver's error in that of a raw query. */
interface RawQueryMeta {
  readonly driverAdapterError?: AdapterError
}
