/** What differs between the databases of the differential tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { chosenDatabases, type DatabaseKind, databaseNamed } from '../../../support/databases.ts'
import { createDatabase } from '../../../support/servers.ts'
import { type Field, type Model, models as allModels } from '../models.ts'
import { copyRows, type Writing } from './copy-rows.ts'
import { countedDefaults, deriveTables } from './derive-tables.ts'

export interface Dialect {
  readonly kind: DatabaseKind
  readonly models: Readonly<Record<string, Model>>
  /** Whether other spellings of a text may find the same row: in capitals, or with a space at its end. */
  readonly folds: boolean
  /** Whether Prisma takes `mode: 'insensitive'`. */
  readonly hasModes: boolean
  /** Whether Prisma takes `skipDuplicates`. */
  readonly skipsDuplicates: boolean
  /** Whether Prisma inserts rows with other fields by another statement; which comes first differs from client to client. */
  readonly insertsByFields: boolean
  /** The `path` of a filter of Json. */
  readonly jsonPath: unknown
  /** The script that makes the tables. */
  readonly tables: () => string
  /** The script that makes the tables what they are at the beginning of an episode. */
  readonly refill: () => Promise<string>
  /** The class of the generated client. */
  readonly client: () => Promise<new (options: ClientOptions) => object>
}

export interface ClientOptions {
  readonly adapter: SqlDriverAdapterFactory
  readonly [option: string]: unknown
}

/** Those that `npm test` compares. */
const compared: readonly string[] = ['postgresql', 'mysql', 'mysql-binary', 'sqlite', 'sqlite-shared']

export function chosenDialects(): readonly Dialect[] {
  return chosenDatabases(compared).map(dialectOf)
}

export function dialectNamed(name: string): Dialect {
  return dialectOf(databaseNamed(name))
}

function dialectOf(kind: DatabaseKind): Dialect {
  return byProvider[kind.provider](kind)
}

const byProvider = { postgresql: postgres, mysql, sqlite }

function postgres(kind: DatabaseKind): Dialect {
  return {
    kind,
    models: allModels,
    folds: false,
    hasModes: true,
    skipsDuplicates: true,
    insertsByFields: false,
    jsonPath: ['n'],
    tables: () => script('tables.sql'),
    refill: async () => script('refill.sql'),
    client: async () => (await import('../client/client.ts')).PrismaClient as never,
  }
}

function mysql(kind: DatabaseKind): Dialect {
  let rows: Promise<string> | undefined
  return {
    kind,
    models: changed({ 'Ticket.id': { isLeftOut: false }, 'Event.at': { isLeftOut: false } }),
    folds: kind.name === 'mysql',
    hasModes: false,
    skipsDuplicates: true,
    insertsByFields: false,
    jsonPath: '$.n',
    tables: () => deriveTables(script('tables.sql'), 'mysql') + countedDefaults,
    refill: async () => {
      const inserts = await (rows ??= rowsOfPostgres({ quote: (name) => `\`${name}\`` }))
      const counted = Object.values(allModels).filter(({ fields }) =>
        Object.values(fields).some((field) => field.isCounted),
      )
      return [
        'SET FOREIGN_KEY_CHECKS = 0;',
        inserts,
        "REPLACE INTO counters VALUES ('uuids', 200), ('ticks', 100);",
        ...counted.map(({ table }) => `ALTER TABLE \`${table}\` AUTO_INCREMENT = 1;`),
        'SET FOREIGN_KEY_CHECKS = 1;',
      ].join('\n')
    },
    client: async () => (await import('../derived/mysql/client.ts')).PrismaClient as never,
  }
}

function sqlite(kind: DatabaseKind): Dialect {
  let rows: Promise<string> | undefined
  const given = ['Ticket.id', 'Event.at', 'Account.token']
  return {
    kind,
    models: changed(Object.fromEntries(given.map((field) => [field, { isLeftOut: false }]))),
    folds: false,
    hasModes: false,
    skipsDuplicates: false,
    insertsByFields: true,
    jsonPath: '$.n',
    tables: () => `PRAGMA journal_mode = WAL;\n${deriveTables(script('tables.sql'), 'sqlite')}`,
    refill: async () => {
      const inserts = await (rows ??= rowsOfPostgres({
        quote: (name) => `"${name}"`,
        moment: (text) => new Date(`${text}Z`).toISOString().replace('Z', '+00:00'),
      }))
      return `PRAGMA foreign_keys = OFF; BEGIN; ${inserts} DELETE FROM sqlite_sequence; COMMIT; PRAGMA foreign_keys = ON;`
    },
    client: async () => (await import('../derived/sqlite/client.ts')).PrismaClient as never,
  }
}

/** The models without lists, and with what else differs of some fields. */
function changed(changes: Readonly<Record<string, Partial<Field>>>): Readonly<Record<string, Model>> {
  return Object.fromEntries(
    Object.entries(allModels).map(([name, model]) => {
      const fields = Object.entries(model.fields)
        .filter(([, { isList }]) => !isList)
        .map(([field, described]) => [field, { ...described, ...changes[`${name}.${field}`] }])
      return [name, { ...model, fields: Object.fromEntries(fields) as Model['fields'] }]
    }),
  )
}

async function rowsOfPostgres(writing: Writing): Promise<string> {
  const database = await createDatabase()
  await database.run(script('tables.sql'))
  await database.run(script('refill.sql'))
  const rows = await copyRows(database, writing)
  await database.drop()
  return rows
}

const scripts = new Map<string, string>()

function script(name: string): string {
  const text = scripts.get(name) ?? readFileSync(join(import.meta.dirname, '..', name), 'utf8')
  scripts.set(name, text)
  return text
}
