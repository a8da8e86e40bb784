/** Two equal databases, one written by a plain client, the other by an extended one with caches beside it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Type, type } from 'arktype'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { bytes, decimal, json } from 'model-cache/arktype'
import {
  createModelCache,
  createPrismaSource,
  type ModelObserver,
  type ReadThroughCache,
  Tick,
  ValkeyStore,
} from 'model-cache/advanced'
import pg from 'pg'
import { patientMs, patientTransactions } from '../../support/patience.ts'
import { createDatabase, valkeyUrl } from '../../support/servers.ts'
import { PrismaClient } from './client/client.ts'
import { delegateOf, type Field, joinRelations, joinTables, type Model, models } from './models.ts'
import { RandomLookups } from './random-lookups.ts'
import type { Args, Snapshot } from './random-write.ts'
import type { Random } from './random.ts'
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
  readonly plain: Client
  /** Of this episode: one that has written rows returned, or one that does as if its database returned none, as MySQL. */
  readonly extended: Client
  /** Those of this episode. */
  cached(): readonly Cache[]
  /** Reads of all caches so far. */
  readonly reads: { hits: number; misses: number; wholeModels: number }
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
  close(): Promise<void>
}

export async function openEqualDatabases(): Promise<EqualDatabases> {
  const [first, second] = [await createDatabase(), await createDatabase()]
  const connections = await Promise.all(
    [first, second].map(async ({ url }) => {
      const connection = new pg.Client({ connectionString: url })
      await connection.connect()
      await connection.query(script('tables.sql'))
      return connection
    }),
  )
  // A connection of its own to each: the order of their statements is the same then.
  const clientOf = (url: string): PrismaClient =>
    new PrismaClient({
      adapter: new PrismaPg({ connectionString: url, max: 2 }),
      // A field that is an id of a cache.
      omit: { account: { token: true }, label: { colour: true } },
      errorFormat: 'minimal',
      transactionOptions: patientTransactions,
    })
  const plain = clientOf(first.url)
  const written = clientOf(second.url)
  const writes = new ModelCacheWrites()
  const cached = new Map<string, readonly (readonly string[])[]>()
  const lookups = new RandomLookups()
  const silent = clientOf(second.url)
  Object.assign(silent, { _activeProvider: 'mysql' })
  const [returning, other] = [written, silent].map((client) =>
    extendPrisma(client, coordinatorOf(writes, cached, lookups), { maxRows: 5 }),
  ) as [PrismaClient, PrismaClient]
  let extended = returning
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const reads = { hits: 0, misses: 0, wholeModels: 0 }
  const observer = { forModel: () => countingReads(reads), storeChanged: () => {} }
  const tick = new Tick()
  const namespace = `differential-${process.pid}-${++opened}`
  const caches = Object.values(models).flatMap((model) =>
    model.caches.map((idFields) => {
      const name = `${model.name}.${idFields.join('.')}`
      const select = Object.fromEntries(Object.keys(model.fields).map((field) => [field, true]))
      const definition = defineModelCache<Args>()({
        model: model.name,
        name,
        schema: schemaOf(model, idFields) as never,
        id: (idFields.length === 1 ? idFields[0] : idFields) as never,
        ttl: '1h',
      })
      const cache = createModelCache(definition, {
        namespace,
        store,
        tick,
        writes,
        observer,
        consistency: { fenceMs: 250 },
        source: createPrismaSource(returning, { name, model: model.name, idFields, select }),
      })
      return { model, idFields, cache: cache as unknown as ReadThroughCache<object, never> }
    }),
  )
  const [firstTables, secondTables] = connections as [pg.Client, pg.Client]
  const reader = new SnapshotReader(secondTables, written as never)
  return {
    plain: plain as never,
    get extended() {
      return extended as never
    },
    cached: () => caches.filter(({ model, idFields }) => cached.get(model.name)?.includes(idFields)),
    reads,
    lookups,
    snapshot: () => reader.read(),
    async refill(random, share) {
      cached.clear()
      for (const { name, caches: all } of Object.values(models)) {
        const some = random.some(all, 80)
        if (random.chance(share)) cached.set(name, some.length > 0 ? some : all)
      }
      lookups.choose(random)
      extended = random.chance(25) ? other : returning
      await Promise.all(connections.map((connection) => connection.query(script('refill.sql'))))
      await Promise.all(caches.map(({ cache }) => cache.invalidateAll()))
    },
    async differingTables() {
      const [one, other] = await Promise.all([contentsOf(firstTables), contentsOf(secondTables)])
      return Object.keys(one)
        .filter((table) => one[table] !== other[table])
        .map((table) => `${table}\n  plain:    ${one[table]}\n  extended: ${other[table]}`)
    },
    async close() {
      for (const { cache } of caches) await cache.close()
      await store.close()
      await Promise.all([
        plain.$disconnect(),
        written.$disconnect(),
        silent.$disconnect(),
        ...connections.map((each) => each.end()),
      ])
      await Promise.all([first.drop(), second.drop()])
    },
  }
}

/** The coordinator, as if there were only caches of these models, by these ids, with these lookups. */
function coordinatorOf(
  writes: ModelCacheWrites,
  cached: ReadonlyMap<string, readonly (readonly string[])[]>,
  lookups: RandomLookups,
): ModelCacheWrites {
  return new Proxy(writes, {
    get(target, name) {
      // The caches above have no tables.
      if (name === 'forSchema') return undefined
      if (name === 'idFieldsOf') return (model: string) => cached.get(model) ?? []
      if (name === 'lookupsOf') return (model: string) => (cached.has(model) ? lookups.of(model) : [])
      if (name === 'begin') return () => lookups.watch(target.begin())
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

let opened = 0
const scripts = new Map<string, string>()

function script(name: string): string {
  const text = scripts.get(name) ?? readFileSync(join(import.meta.dirname, name), 'utf8')
  scripts.set(name, text)
  return text
}

/** The rows of all models, as Prisma gives them. What has not changed since is not read again. */
class SnapshotReader {
  readonly #connection: pg.Client
  readonly #client: Client
  readonly #texts = new Map<string, string>()
  readonly #rows = new Map<string, readonly Args[]>()

  constructor(connection: pg.Client, client: Client) {
    this.#connection = connection
    this.#client = client
  }

  async read(): Promise<Snapshot> {
    const { rows } = await this.#connection.query<{ model: string; text: string | null }>({
      name: 'contents by model',
      text: contentsByModel,
    })
    for (const { model: name, text } of rows) {
      if (this.#texts.get(name) === String(text)) continue
      this.#texts.set(name, String(text))
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

const contentsByModel = [...Object.values(models), ...joinTables.map((table) => ({ name: table, table }))]
  .map(
    ({ name, table }) =>
      `SELECT '${name}' AS model, string_agg(t::text, ';' ORDER BY t::text) AS text FROM "${table}" t`,
  )
  .join(' UNION ALL ')
const columns: Record<string, string> = { updatedAt: 'updated_at' }
const contents = [
  ...Object.values(models),
  ...joinTables.map((table) => ({ table, timestamps: [] as string[] })),
]
  .map(({ table, timestamps }) => {
    const masked = timestamps.map((name) => ` - '${columns[name] ?? name}'`).join('')
    return `SELECT '${table}' AS table, string_agg((to_jsonb(t)${masked})::text, ', ' ORDER BY (to_jsonb(t)${masked})::text) AS text FROM "${table}" t`
  })
  .join(' UNION ALL ')

/** What each table holds, as text, without what differs by the time of the test. */
async function contentsOf(connection: pg.Client): Promise<Record<string, string>> {
  const { rows } = await connection.query<{ table: string; text: string | null }>({
    name: 'contents',
    text: contents,
  })
  return Object.fromEntries(rows.map(({ table, text }) => [table, String(text)]))
}

const arkTypes: Record<Field['type'], Type> = {
  Int: type('number.integer') as never,
  Float: type('number') as never,
  BigInt: type('bigint') as never,
  String: type('string') as never,
  Boolean: type('boolean') as never,
  DateTime: type('Date') as never,
  Decimal: decimal as never,
  Bytes: bytes as never,
  Json: json as never,
  Role: type("'MEMBER' | 'ADMIN' | 'GUEST'") as never,
}

/** Ids are not nullable to a cache: rows without one are not in it. */
function schemaOf(model: Model, idFields: readonly string[]): Type {
  const fields = Object.entries(model.fields).map(([name, { type: fieldType, isList, isNullable }]) => {
    const value = arkTypes[fieldType]
    if (isList) return [name, value.array()]
    return [name, isNullable && !idFields.includes(name) ? value.or('null') : value]
  })
  return type(Object.fromEntries(fields) as never) as never
}

function countingReads(reads: EqualDatabases['reads']): ModelObserver {
  const observer: Partial<ModelObserver> = {
    reads: (_layer, outcome, count) => {
      if (outcome === 'hit') reads.hits += count
      else reads.misses += count
    },
    unknownWrites: () => void reads.wholeModels++,
  }
  return new Proxy(observer as ModelObserver, {
    get: (known, name) => known[name as keyof ModelObserver] ?? (() => {}),
  })
}
