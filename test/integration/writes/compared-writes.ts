import { extendPrisma } from 'model-cache'
import type { WatchedLookup } from 'model-cache/advanced'
import type { PrismaClient } from '#prisma/client/client.js'
import type { DatabaseKind } from '../../support/databases.js'
import { useOpened } from '../../support/use-opened.js'
import { AnnouncedChanges } from '../random-schemas/announced-changes.js'
import type { Model } from '../random-schemas/random-schema.js'
import type { Rows } from '../random-schemas/random-rows.js'
import { openClientOfText } from './client-of-text.js'

/** Names are in double quotes, also for MySQL. */
interface World {
  /** The models of a Prisma schema, each with a cache by its `id`. */
  readonly models: string
  /** Creates the tables. */
  readonly tables: string
  /** Empties and fills the tables. */
  readonly rows: string
  readonly lookups?: Readonly<Record<string, readonly (readonly string[])[]>>
  /** The primary keys of models that have no `id`. */
  readonly keys?: Readonly<Record<string, readonly string[]>>
}

/** Models by their names in a client. */
export type Models = Readonly<Record<string, Record<string, (args?: object) => Promise<unknown>>>>

export type Work = (client: PrismaClient, models: Models, sql: (text: string) => string) => Promise<unknown>

/** A plain client and an extended one, to which the same writes have to do the same. */
interface ComparedWrites {
  /** Expects the same result, error and rows of both clients, and that the extended one announces all that changes. */
  compare(work: Work): Promise<void>
  close(): Promise<void>
}

/** How the clients of {@link openComparedWrites} are compared, which are open while the tests of a block run. */
export function useComparedWrites(kind: DatabaseKind, world: World): ComparedWrites['compare'] {
  const compared = useOpened(() => openComparedWrites(kind, world))
  return (work) => compared.compare(work)
}

/** The same, in a transaction. */
export const inTransaction =
  (work: Work): Work =>
  (client, _models, sql) =>
    client.$transaction(async (tx) => work(tx as never, tx as never, sql))

export async function openComparedWrites(kind: DatabaseKind, world: World): Promise<ComparedWrites> {
  const { provider } = kind
  const sql = (text: string): string => (provider === 'mysql' ? text.replaceAll('"', '`') : text)
  const database = await kind.create()
  await database.run(sql(world.tables))
  const open = (): Promise<PrismaClient> => openClientOfText(database.adapter(3), world.models)
  const changes = new AnnouncedChanges()
  const [plain, extended] = [await open(), extendPrisma(await open(), changes)]
  const models = [...world.models.matchAll(/^model (\w+)/gm)].map(([, name]) => {
    const keys = [world.keys?.[name!] ?? ['id']]
    return { name: name!, keys } as unknown as Model
  })
  for (const { keys, name } of models) {
    changes.caches.set(name, keys)
    const lookups = (world.lookups?.[name] ?? []).map((key): WatchedLookup => ({
      key,
      fields: [...key, ...keys[0]!],
      through: undefined,
    }))
    changes.lookups.set(name, lookups)
  }
  const rows = async (): Promise<Rows> => {
    const found = new Map<string, object[]>()
    for (const { keys, name } of models) {
      const order = keys[0]!.map((key) => `"${key}"`).join()
      const stored = await database.rows<object>(sql(`SELECT * FROM "${name}" ORDER BY ${order}`))
      found.set(name, stored.map(withNumbers))
    }
    return found as unknown as Rows
  }
  const outcomeOf = async (client: PrismaClient, work: Work): Promise<unknown> =>
    work(client, client as unknown as Models, sql).catch(({ code, message, name }: PrismaError) => [
      name,
      code,
      message.trimEnd().split('\n').at(-1),
    ])
  return {
    async compare(work) {
      await database.run(sql(world.rows))
      const result = await outcomeOf(plain, work)
      const expected = { result, rows: await rows(), missed: [] }
      await database.run(sql(world.rows))
      const before = await rows()
      changes.forget()
      const found = await outcomeOf(extended, work)
      const after = await rows()
      const missed = changes.missed({ models, joinTables: [] }, before, after)
      expect({ result: found, rows: after, missed }).toEqual(expected)
    },
    async close() {
      await plain.$disconnect()
      await extended.$disconnect()
      await database.drop()
    },
  }
}

interface PrismaError {
  readonly name: string
  readonly code?: string
  readonly message: string
}

/** Drivers of SQLite and MySQL return numbers as texts or bigints. */
function withNumbers(row: object): object {
  const number = (value: unknown): unknown => (/^-?\d+$/.test(String(value)) ? Number(value) : value)
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, number(value)]))
}
