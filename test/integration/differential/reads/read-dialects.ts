/** What differs between the databases of the differential test of reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelCacheDefinition } from 'model-cache'
import { kindNamed, type DatabaseKind } from '../../../support/databases.ts'
import { createDatabase } from '../../../support/servers.ts'
import { copyRows, type Writing } from '../dialects/copy-rows.ts'
import { deriveTables } from '../dialects/derive-tables.ts'
import type { ClientOptions } from '../dialects/dialects.ts'
import { definitionsOf } from './definitions.ts'
import { lookupsOf, type TestLookup, testLookupsOf } from './lookups.ts'
import { type Model, models as allModels } from './models.ts'

export interface ReadDialect {
  readonly kind: DatabaseKind
  /** Of the sessions of PostgreSQL. */
  readonly timeZone: string
  readonly models: Readonly<Record<string, Model>>
  readonly definitions: readonly ModelCacheDefinition<object, never>[]
  readonly lookups: readonly TestLookup[]
  /** The script that makes the tables. */
  readonly tables: () => string
  /** The script that makes the tables what they are at the beginning of an episode. */
  readonly rows: () => Promise<string>
  /** The class of the generated client. */
  readonly client: () => Promise<new (options: ClientOptions) => object>
}

/** Models that consist of lists of values, which only PostgreSQL has. */
const ofLists = ['Lists', 'Unreadable', 'Refused']

/** @param timeZone of the sessions of PostgreSQL */
export function readDialectNamed(name: string, timeZone: string): ReadDialect {
  const kind = kindNamed(name)
  const { provider } = kind
  const models = provider === 'postgresql' ? allModels : withoutLists()
  const lookups = lookupsOf(name, models, timeZone === 'UTC')
  return {
    kind,
    timeZone,
    models,
    definitions: definitionsOf(models, lookups),
    lookups: testLookupsOf(lookups),
    ...scriptsOf[provider],
  }
}

const scriptsOf: Readonly<Record<DatabaseKind['provider'], Pick<ReadDialect, 'tables' | 'rows' | 'client'>>> =
  {
    postgresql: {
      tables: () => script('tables.sql'),
      rows: async () => script('rows.sql'),
      client: async () => (await import('./client/client.ts')).PrismaClient as never,
    },
    mysql: {
      tables: () => deriveTables(withoutTables(script('tables.sql')), 'mysql'),
      rows: () => rowsOfPostgres('mysql'),
      client: async () => (await import('./derived/mysql/client.ts')).PrismaClient as never,
    },
    sqlite: {
      tables: () =>
        `PRAGMA journal_mode = WAL;\n${deriveTables(withoutTables(script('tables.sql')), 'sqlite')}`,
      rows: () => rowsOfPostgres('sqlite'),
      client: async () => (await import('./derived/sqlite/client.ts')).PrismaClient as never,
    },
  }

function withoutLists(): Readonly<Record<string, Model>> {
  return Object.fromEntries(
    Object.values(allModels)
      .filter(({ name }) => !ofLists.includes(name))
      .map((model) => [
        model.name,
        {
          ...model,
          fields: Object.fromEntries(Object.entries(model.fields).filter(([, { isList }]) => !isList)),
        },
      ]),
  )
}

function withoutTables(tables: string): string {
  return ofLists.reduce(
    (text, name) => text.replace(new RegExp(`CREATE TABLE public."${name}" \\([^;]*;\\n`), ''),
    tables,
  )
}

const written = new Map<string, Promise<string>>()

function rowsOfPostgres(provider: 'mysql' | 'sqlite'): Promise<string> {
  const known = written.get(provider)
  if (known) return known
  const rows = readRows(writings[provider]).then((inserts) =>
    provider === 'mysql'
      ? `SET FOREIGN_KEY_CHECKS = 0;\n${inserts}\n${otherTruths}\nSET FOREIGN_KEY_CHECKS = 1;`
      : `PRAGMA foreign_keys = OFF; BEGIN; ${inserts} COMMIT; PRAGMA foreign_keys = ON;`,
  )
  written.set(provider, rows)
  return rows
}

/** Numbers in columns of truth values, as other programs write them. The driver of SQLite that is tested refuses to read them. */
const otherTruths =
  'UPDATE `Article` SET is_public = 2 WHERE id IN (3, 9); UPDATE `may be` SET bool = -1 WHERE id IN (3, -5);'

const writings: Readonly<Record<'mysql' | 'sqlite', Writing>> = {
  // Rows whose keys a collation takes for equal are left out.
  mysql: { quote: (name) => `\`${name}\``, insert: 'INSERT IGNORE INTO', leftOut: ofLists },
  sqlite: {
    quote: (name) => `"${name}"`,
    moment: (text) => new Date(`${momentOf(text)}Z`).toISOString().replace('Z', '+00:00'),
    leftOut: ofLists,
  },
}

/** Of a date, a time or both. */
function momentOf(text: string): string {
  if (!text.includes('-')) return `1970-01-01T${text}`
  return text.includes(':') ? text.replace(' ', 'T') : `${text}T00:00:00`
}

async function readRows(writing: Writing): Promise<string> {
  const database = await createDatabase()
  await database.run(script('tables.sql'))
  await database.run(script('rows.sql'))
  const rows = await copyRows(database, writing)
  await database.drop()
  return rows
}

function script(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}
