import type { Table } from '../schema-facts.js'
import { type FoundTable, SharedTables } from '../shared-tables.js'
import { ignoresCaseOf } from '../tables.js'
import { askDatabase } from './ask-database.js'
import { defaultSchemaOf, providerOf } from './internals.js'

type Row = Readonly<Record<string, string | null>>

/** One query, and the tables that its rows describe. */
interface Question {
  readonly sql: string
  /** @param schema the client's name of the schema or database that its models are in by default */
  read(rows: readonly Row[], schema: string): readonly FoundTable[]
}

/**
 * Asks the catalogue of a database for its views, partitions and tables that inherit from others.
 *
 * @throws any error if the database does not answer, or refuses the question
 */
export async function readSharedTables(client: object): Promise<SharedTables> {
  const provider = providerOf(client)
  const { read, sql } = questions[provider] ?? askStandard
  const rows = (await askDatabase(client, sql)) as readonly Row[]
  const folds = rows[0]?.folds
  const ignoresCase = folds === undefined ? ignoresCaseOf(provider) : Number(folds) > 0
  return new SharedTables(read(rows, defaultSchemaOf(client)), ignoresCase)
}

/**
 * What a view reads is what its rules depend on, those for INSERT, UPDATE and DELETE among them. Which tables a function reads is unknown,
 * unless it is one of the server or of an extension, or IMMUTABLE.
 */
const askPostgres: Question = {
  sql: `SELECT n.nspname::text AS schema, c.relname::text AS name,
      CASE WHEN c.relkind = 'v' THEN 'view' WHEN c.relkind = 'm' THEN 'materialized view'
        WHEN c.relispartition THEN 'partition' ELSE 'child' END AS kind,
      (SELECT json_agg(DISTINCT jsonb_build_object('schema', s.nspname, 'name', r.relname))
        FROM (SELECT h.inhparent FROM pg_inherits h WHERE h.inhrelid = c.oid
          UNION SELECT d.refobjid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
            WHERE w.ev_class = c.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid) o (oid)
        JOIN pg_class r ON r.oid = o.oid JOIN pg_namespace s ON s.oid = r.relnamespace)::text AS of,
      CASE WHEN EXISTS (SELECT FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
        JOIN pg_proc f ON d.refclassid = 'pg_proc'::regclass AND f.oid = d.refobjid JOIN pg_language l ON l.oid = f.prolang
        WHERE w.ev_class = c.oid AND f.provolatile <> 'i' AND l.lanname NOT IN ('c', 'internal')) THEN 'yes' END AS opaque
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
      AND (c.relkind IN ('v', 'm') OR c.relkind IN ('r', 'p', 'f') AND EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid))`,
  read: (rows) =>
    rows.map(({ kind, name, of, opaque, schema }) => ({
      schema: schema!,
      name: name!,
      kind: kind as FoundTable['kind'],
      of: JSON.parse(of ?? '[]') as Table[],
      isOpaque: opaque !== null,
    })),
}

/**
 * MySQL keeps the definition of a view with each name in backticks, and that of each table after the name of its database. A role that may
 * not see the definition gets none. The server may take names for different that differ in case.
 */
const askMysql: Question = {
  sql: `SELECT TABLE_SCHEMA AS \`schema\`, TABLE_NAME AS name, VIEW_DEFINITION AS definition, DATABASE() AS own,
      @@lower_case_table_names AS folds
    FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')`,
  read: (rows, ownSchema) =>
    rows.map(({ definition, name, own, schema }) => {
      const inClient = (database: string): string => (database === own ? ownSchema : database)
      // With strings and without: either way of reading may take a quote for another one, where the other is right.
      const texts = [definition ?? '', withoutStrings(definition ?? '')]
      const paths = texts.flatMap((text) => [...text.matchAll(/(`(?:[^`]|``)*`)\.(`(?:[^`]|``)*`)(\s*\()?/g)])
      return {
        schema: inClient(schema!),
        name: name!,
        kind: 'view',
        // The first two parts of the path of a column, or of a table. An alias and its column name no table.
        of: paths.map(([, first, second]) => ({
          schema: inClient(unquoted(first!)),
          name: unquoted(second!),
        })),
        isOpaque: !definition || paths.some(([, , , call]) => call !== undefined),
      }
    }),
}

/** Each table whose name is in the definition, by itself or in quotes, counts as read: also where it is an alias, or in a comment. */
const askSqlite: Question = {
  sql: `SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')`,
  read: (rows, schema) =>
    rows
      .filter(({ type }) => type === 'view')
      .map(({ name, sql }) => {
        const read = rows.filter((other) => other.name !== name && names(sql!, other.name!))
        return { schema, name: name!, kind: 'view', of: read.map((other) => ({ schema, name: other.name! })) }
      }),
}

/** For other databases, only which tables are views is known, and not what these read. */
const askStandard: Question = {
  sql: `SELECT table_schema AS "schema", table_name AS "name" FROM information_schema.views
    WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'crdb_internal', 'pg_extension', 'sys')`,
  read: (rows) =>
    rows.map(({ name, schema }) => ({
      schema: schema!,
      name: name!,
      kind: 'view',
      of: [],
      isOpaque: true,
    })),
}

const questions: Readonly<Record<string, Question>> = {
  postgresql: askPostgres,
  postgres: askPostgres,
  mysql: askMysql,
  sqlite: askSqlite,
}

/** Whether a text has a name that is not a part of a longer one. */
function names(sql: string, name: string): boolean {
  const text = sql.replaceAll(/(["`])\1/g, '$1').toLowerCase()
  const inName = String.raw`[\w$\u0080-\uffff]`
  const escaped = name.toLowerCase().replaceAll(/[$()*+.?[\\\]^{|}-]/g, String.raw`\$&`)
  return new RegExp(`(?<!${inName})${escaped}(?!${inName})`).test(text)
}

function withoutStrings(sql: string): string {
  return sql.replaceAll(/`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'/gs, (found) =>
    found.startsWith('`') ? found : "''",
  )
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll('``', '`')
}
