/** Two equal databases, one written by a plain client, the other by an extended one with caches beside it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  type CacheObserver,
  createModelCache,
  createPrismaSource,
  type ReadThroughCache,
  silentObserver,
  Tick,
  ValkeyStore,
} from 'model-cache/advanced'
import { patientMs, patientTransactions } from '../../support/patience.ts'
import { valkeyUrl } from '../../support/servers.ts'
import type { TestDatabase } from '../../support/test-database.ts'
import type { Dialect } from './dialects/dialects.ts'
import { delegateOf, joinRelations, joinTables, type Model } from './models.ts'
import { RandomLookups } from './random-lookups.ts'
import { compressed, RotatingKeys } from './rotating-keys.ts'
import type { Args, Snapshot } from './random-write.ts'
import type { Random } from './random.ts'
import { rowTypeOf } from './row-type.ts'
import { show } from './show.ts'

const { defineModelCache } = modelCaches()

/** The parts of a client that are used here. */
export type Client = Record<string, Record<string, (args: object) => PromiseLike<unknown>>> & {
  $transaction(
    work: PromiseLike<unknown>[] | ((client: Client) => Promise<unknown>),
    options?: object,
  ): Promise<unknown>
}

export interface Cache {
  readonly model: Model
  readonly idFields: readonly string[]
  readonly cache: ReadThroughCache<object, never>
}

export interface EqualDatabases {
  readonly dialect: Dialect
  readonly plain: Client
  readonly extended: Client
  /** Opens clients of the same databases that have sent nothing yet. */
  openOthers(): { readonly plain: Client; readonly extended: Client; close(): Promise<void> }
  /** Those of this episode. */
  cached(): readonly Cache[]
  /** Reads of all caches so far. */
  readonly reads: { hits: number; misses: number; wholeModels: number }
  /** How many writes have marked all rows of a model, or unknown new ones, though there were few; by reason. */
  readonly coarse: Readonly<Record<string, number>>
  /** Lookups of the cached models, which no cache has: only what writes announce of them counts. */
  readonly lookups: RandomLookups
  /**
   * Makes both databases what they were in the beginning, has the caches forget, and chooses the caches and their lookups.
   *
   * @param share percentage of models that are cached, by some of their ids or all
   */
  refill(random: Random, share: number): Promise<void>
  /** The rows of the second database, in a fixed order. The list of a model that has not changed is the one of before. */
  snapshot(): Promise<Snapshot>
  /** Tables that differ between the databases, with both contents. */
  differingTables(): Promise<readonly string[]>
  /** Ends the connections of the extended client, whatever they run. */
  breakConnections(): Promise<void>
  close(): Promise<void>
}

/** How two equal databases are opened. */
interface Opening {
  /** Of each client. @default 2 */
  readonly connections?: number
  /** How long fences stand after a write of unknown end. @default 250 */
  readonly fenceMs?: number
  /** Whether what is stored is encrypted, with ids hashed in keys, and compressed; keys rotate with each episode. @default false */
  readonly isAtRest?: boolean
}

export async function openEqualDatabases(
  dialect: Dialect,
  { connections = 2, fenceMs = 250, isAtRest = false }: Opening = {},
): Promise<EqualDatabases> {
  const { models } = dialect
  const [first, second] = [await dialect.kind.create(), await dialect.kind.create()]
  for (const database of [first, second]) await database.run(dialect.tables())
  const PrismaClient = await dialect.client()
  // Connections of its own to each: the order of their statements is the same then.
  const clientOf = (database: TestDatabase): Client & { $disconnect(): Promise<void> } =>
    new PrismaClient({
      adapter: database.adapter(connections),
      // A field that is an id of a cache.
      omit: { account: { token: true }, label: { colour: true } },
      errorFormat: 'minimal',
      transactionOptions: patientTransactions,
    }) as never
  const plain = clientOf(first)
  const written = clientOf(second)
  const writes = new ModelCacheWrites()
  const cached = new Map<string, readonly (readonly string[])[]>()
  const lookups = new RandomLookups(models)
  const coarse: Record<string, number> = {}
  const coordinator = coordinatorOf(writes, cached, lookups, coarse)
  const extended = extendPrisma(written, coordinator, { maxRows: 5 })
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const reads = { hits: 0, misses: 0, wholeModels: 0 }
  const observer: CacheObserver = {
    ...silentObserver,
    forModel: (model) => ({
      ...silentObserver.forModel(model),
      reads: (_layer, outcome, count) => void (reads[outcome === 'hit' ? 'hits' : 'misses'] += count),
      unknownWrites: () => void reads.wholeModels++,
    }),
  }
  const tick = new Tick()
  const namespace = `differential-${process.pid}-${++opened}`
  const keys = isAtRest ? new RotatingKeys() : undefined
  const openCaches = (atRest = keys?.next()): readonly Cache[] =>
    Object.values(models).flatMap((model) =>
      model.caches.map((idFields) => {
        const name = `${model.name}.${idFields.join('.')}`
        const select = Object.fromEntries(Object.keys(model.fields).map((field) => [field, true]))
        const definition = defineModelCache<Args>()({
          model: model.name,
          name,
          schema: rowTypeOf(model.fields, idFields) as never,
          id: (idFields.length === 1 ? idFields[0] : idFields) as never,
          ttl: '1h',
          ...(isAtRest && compressed),
        })
        const cache = createModelCache(definition, {
          namespace,
          store,
          tick,
          writes,
          observer,
          consistency: { fenceMs },
          ...(atRest && { atRest }),
          source: createPrismaSource(extended, { name, model: model.name, idFields, select }),
        })
        return { model, idFields, cache: cache as unknown as ReadThroughCache<object, never> }
      }),
    )
  let caches = openCaches()
  const reader = new SnapshotReader(dialect, second, written)
  return {
    dialect,
    plain,
    extended,
    openOthers() {
      const others = [clientOf(first), clientOf(second)] as const
      const [one, other] = others
      return {
        plain: one,
        extended: extendPrisma(other, withoutDatabase(coordinator), { maxRows: 5 }),
        close: async () => void (await Promise.all(others.map((client) => client.$disconnect()))),
      }
    },
    cached: () => caches.filter(({ model, idFields }) => cached.get(model.name)?.includes(idFields)),
    reads,
    coarse,
    lookups,
    snapshot: () => reader.read(),
    async refill(random, share) {
      if (keys) {
        for (const { cache } of caches) await cache.close()
        caches = openCaches()
        // A new process stores nothing until writes that do not know of it are over.
        await sleep(fenceMs)
      }
      cached.clear()
      for (const { name, caches: all } of Object.values(models)) {
        const some = random.some(all, 80)
        if (random.chance(share)) cached.set(name, some.length > 0 ? some : all)
      }
      lookups.choose(random)
      const script = await dialect.refill()
      await Promise.all([first, second].map((database) => database.run(script)))
      await Promise.all(caches.map(({ cache }) => cache.invalidateAll()))
    },
    async differingTables() {
      const [one, other] = await Promise.all([first, second].map((database) => contentsOf(dialect, database)))
      return Object.keys(one!)
        .filter((table) => one![table] !== other![table])
        .map((table) => `${table}\n  plain:    ${one![table]}\n  extended: ${other![table]}`)
    },
    breakConnections: () => second.breakConnections(),
    async close() {
      for (const { cache } of caches) await cache.close()
      await store.close()
      await Promise.all([plain.$disconnect(), written.$disconnect()])
      await Promise.all([first.drop(), second.drop()])
    },
  }
}

/** The coordinator, as if there were only caches of these models, by these ids, with these lookups. */
function coordinatorOf(
  writes: ModelCacheWrites,
  cached: ReadonlyMap<string, readonly (readonly string[])[]>,
  lookups: RandomLookups,
  coarse: Record<string, number>,
): ModelCacheWrites {
  return new Proxy(writes, {
    get(target, name) {
      // The caches above have no tables.
      if (name === 'forSchema') return undefined
      if (name === 'idFieldsOf') return (model: string) => cached.get(model) ?? []
      if (name === 'lookupsOf') return (model: string) => (cached.has(model) ? lookups.of(model) : [])
      if (name === 'begin') return () => lookups.watch(target.begin(), coarse)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** For a client that is closed before its database is asked who it is. */
function withoutDatabase(coordinator: ModelCacheWrites): ModelCacheWrites {
  return new Proxy(coordinator, {
    get: (target, name) => (name === 'extended' ? undefined : (Reflect.get(target, name) as unknown)),
  })
}

let opened = 0

/** The rows of all models, as Prisma gives them. What has not changed since is not read again. */
class SnapshotReader {
  readonly #dialect: Dialect
  readonly #database: TestDatabase
  readonly #client: Client
  readonly #texts = new Map<string, string>()
  readonly #rows = new Map<string, readonly Args[]>()

  constructor(dialect: Dialect, database: TestDatabase, client: Client) {
    this.#dialect = dialect
    this.#database = database
    this.#client = client
  }

  async read(): Promise<Snapshot> {
    const { models } = this.#dialect
    for (const [name, text] of await textsOf(this.#database, tablesIn(this.#dialect, false))) {
      if (this.#texts.get(name) === text) continue
      this.#texts.set(name, text)
      if (joinTables.includes(name)) {
        await this.#readJoined()
        continue
      }
      const { fields } = models[name]!
      const select = Object.fromEntries(Object.keys(fields).map((field) => [field, true]))
      const found = (await this.#client[delegateOf(name)]!.findMany!({ select })) as Args[]
      this.#rows.set(
        name,
        found.toSorted((one, other) => (show(one) < show(other) ? -1 : 1)),
      )
    }
    return new Map(this.#rows)
  }

  async #readJoined(): Promise<void> {
    for (const { model, field, target } of joinRelations) {
      const own = selecting(model.unique[0]!.fields)
      const select = { ...own, [field]: { select: selecting(target.unique[0]!.fields) } }
      const found = (await this.#client[delegateOf(model.name)]!.findMany!({ select })) as Args[]
      this.#rows.set(
        `${model.name}.${field}`,
        found.flatMap(({ [field]: keys, ...row }) => (keys as Args[]).map((key) => ({ row, key }))),
      )
    }
  }
}

function selecting(fields: readonly string[]): Args {
  return Object.fromEntries(fields.map((field) => [field, true]))
}

interface TableText {
  /** The model, or the table of a relation. */
  readonly name: string
  readonly table: string
  /** Columns that do not count. */
  readonly masked: readonly string[]
}

const columns: Record<string, string> = { updatedAt: 'updated_at' }

function tablesIn({ models }: Dialect, isMasked: boolean): readonly TableText[] {
  return [
    ...Object.values(models).map(({ name, table, timestamps }) => ({
      name,
      table,
      masked: isMasked ? timestamps.map((field) => columns[field] ?? field) : [],
    })),
    ...joinTables.map((table) => ({ name: table, table, masked: [] })),
  ]
}

/** What each table holds, as text, without what differs by the time of the test. */
async function contentsOf(dialect: Dialect, database: TestDatabase): Promise<Record<string, string>> {
  return Object.fromEntries(await textsOf(database, tablesIn(dialect, true)))
}

async function textsOf(
  database: TestDatabase,
  tables: readonly TableText[],
): Promise<readonly (readonly [name: string, text: string])[]> {
  if (database.url.startsWith('postgres')) {
    const queries = tables.map(({ name, table, masked }) => {
      const text = `(to_jsonb(t)${masked.map((column) => ` - '${column}'`).join('')})::text`
      return `SELECT '${name}' AS name, string_agg(${text}, ', ' ORDER BY ${text}) AS text FROM "${table}" t`
    })
    const rows = await database.rows<{ name: string; text: string | null }>(queries.join(' UNION ALL '))
    return rows.map(({ name, text }) => [name, String(text)])
  }
  const quote = database.url.startsWith('mysql') ? '`' : '"'
  const found = await database.rowsOfAll(tables.map(({ table }) => `SELECT * FROM ${quote}${table}${quote}`))
  return tables.map(({ name, masked }, i) => {
    const rows = found[i]!.map((row) =>
      show(Object.fromEntries(Object.entries(row).filter(([column]) => !masked.includes(column)))),
    )
    return [name, rows.toSorted().join(', ')]
  })
}
