/** Two clients of one database: a plain one, and one whose reads are answered from caches; and what users make of both. */
import { setTimeout as sleep } from 'node:timers/promises'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  type CacheObserver,
  createModelCache,
  createPrismaSource,
  databaseOf,
  KeptResults,
  NamespaceDatabase,
  type ReadThroughCache,
  type SchemaFacts,
  schemaFactsOf,
  silentObserver,
  Tick,
  ValkeyStore,
  watchLoadOf,
} from 'model-cache/advanced'
import { patientMs, patientTransactions } from '../../../support/patience.ts'
import { valkeyUrl } from '../../../support/servers.ts'
import type { PrismaClient } from './client/client.ts'
import { compressed, RotatingKeys } from '../rotating-keys.ts'
import { type Extensible, extensions } from './extensions.ts'
import { type ReadDialect, readDialectNamed } from './read-dialects.ts'

/** The parts of a client that are used here. */
export type Client = Record<string, Record<string, (args: unknown) => PromiseLike<unknown>>> & {
  $transaction(
    work: PromiseLike<unknown>[] | ((client: Client) => Promise<unknown>),
    options?: object,
  ): Promise<unknown>
}

export interface ReadClients {
  readonly dialect: ReadDialect
  /** By name. Each is the same in both: the client itself, or extended further, or with options of its own. */
  readonly plain: Readonly<Record<string, Client>>
  readonly extended: Readonly<Record<string, Client>>
  /** How many reads of a model had an outcome: `Article answered`. */
  readonly outcomes: Map<string, number>
  /** The lookups that have found rows, or none, for a query: `Article.best`. */
  readonly lookupsRead: ReadonlySet<string>
  /** Makes the tables what they were in the beginning, and empties the caches. */
  refill(): Promise<void>
  /** Resolves when results that are being stored have been. */
  stored(): Promise<void>
  /** Whether results of queries are kept: each query is sent twice then, the second time for what the first one has stored. */
  readonly keepsResults: boolean
  /** Has the process start again with other keys, if it encrypts: over the same Valkey, with what was stored before. */
  rotateKeys(): Promise<void>
  close(): Promise<void>
}

let opened = 0

const fenceMs = 250

export interface ReadClientsOptions {
  /** Of the sessions of PostgreSQL. @default 'UTC' */
  readonly timeZone?: string
  /** Whether results of queries are kept, of all models. @default false */
  readonly keepsResults?: boolean
  /** Whether what is stored is encrypted, with ids hashed in keys, and compressed. @default false */
  readonly atRest?: boolean
}

export async function openReadClients(
  name = 'postgresql',
  { atRest = false, keepsResults = false, timeZone = 'UTC' }: ReadClientsOptions = {},
): Promise<ReadClients> {
  const dialect = readDialectNamed(name, timeZone)
  const { definitions } = dialect
  const database = await dialect.kind.create()
  await database.run(dialect.tables())
  if (dialect.kind.provider === 'postgresql')
    await database.run(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = ''${timeZone}''', current_database()); END $$`,
    )
  const Client = await dialect.client()
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const outcomes = new Map<string, number>()
  const lookupsRead = new Set<string>()
  const observer: CacheObserver = {
    forModel: (model, lookup) => {
      const silent = silentObserver.forModel(model)
      return lookup === undefined
        ? { ...silent, prismaReads: (outcome, count) => add(`${model} ${outcome}`, count) }
        : { ...silent, readSeconds: () => void lookupsRead.add(`${model}.${lookup}`) }
    },
    storeChanged: () => {},
  }
  const add = (name: string, count: number): void =>
    void outcomes.set(name, (outcomes.get(name) ?? 0) + count)
  const closing: (() => Promise<unknown>)[] = []
  const caches = new Map<string, ReadThroughCache<object, never>>()
  const clientOf = (options: object): PrismaClient => {
    const client = new Client({
      adapter: database.adapter(4),
      transactionOptions: patientTransactions,
      ...options,
    }) as PrismaClient
    closing.push(() => client.$disconnect())
    return client
  }
  const omitting = {
    omit: { person: { secret: true }, article: { rank: true }, everything: { bytes: true } },
  }
  const variants = (make: (options: object) => PrismaClient): Record<string, Client> => {
    const client = make({})
    const omittingClient = make(omitting)
    return {
      client: client as never,
      ...Object.fromEntries(
        Object.entries(extensions).map(([name, extend]) => [
          name,
          extend(client as unknown as Extensible) as never,
        ]),
      ),
      // An extension as well: with one, Prisma takes the arguments a little later.
      uncached: ((client as { $uncached?: object }).$uncached ?? client.$extends({ client: {} })) as never,
      // Answered before Prisma prepares the query, where caches do.
      minimal: make({ errorFormat: 'minimal' }) as never,
      omitting: omittingClient as never,
      omittingComputed: extensions.computed!(omittingClient as unknown as Extensible) as never,
    }
  }
  const writes = new ModelCacheWrites()
  const results = Object.fromEntries(
    [...schemaFactsOf(clientOf({})).models.values()].flatMap((model, i) => {
      if (!keepsResults || !model.isVisible || model.isView) return []
      // Queries of some models are answered from memory, and those of others from the store.
      const l1 = i % 4 > 0 && { l1: { ttl: '1h' } }
      return [
        [model.name, { ttl: '1h', by: scopeFieldsOf(model), ...(atRest && compressed), ...l1 }] as const,
      ]
    }),
  )
  const reads = { caches: definitions, results }
  const extended = variants((options) => extendPrisma(clientOf(options), writes, { reads }))
  // What it makes of its columns.
  await databaseOf(extended.client!).describe()
  const tick = new Tick()
  const namespace = `reads-${process.pid}-${++opened}`
  const whose = new NamespaceDatabase({ store, namespace, database: databaseOf(extended.client!) })
  await whose.start()
  closing.push(() => whose.stop())
  const facts = schemaFactsOf(extended.client!)
  const shared = { namespace, store, tick, writes, consistency: { fenceMs }, database: whose }
  const keys = atRest ? new RotatingKeys() : undefined
  let kept: KeptResults
  let closeCaches: () => Promise<unknown>
  const openCaches = (): void => {
    const options = { ...shared, ...(keys && { atRest: keys.next() }) }
    caches.clear()
    for (const derived of definitions) {
      const definition = {
        ...bindDefinition(derived, facts),
        ...(atRest && { compressAboveBytes: compressed.compress.above }),
      }
      caches.set(
        definition.name,
        createModelCache(definition, {
          ...options,
          observer,
          source: createPrismaSource(extended.client!, { ...definition, ...definition.selection }),
        }) as never,
      )
    }
    kept = new KeptResults({
      ...options,
      facts,
      watchLoad: watchLoadOf(extended.client!),
      models: new Map(Object.entries(results)),
      observer: {
        ...observer,
        forModel: (model) => ({
          ...silentObserver.forModel(model),
          reads: (layer, outcome, count) => add(`${model} results ${layer} ${outcome}`, count),
        }),
      },
    })
    if (keepsResults) writes.reads.results = kept
    closeCaches = () => Promise.all([kept.close(), ...Array.from(caches.values(), (cache) => cache.close())])
  }
  openCaches()
  closing.push(() => closeCaches())
  const plain = variants(clientOf)
  const rows = await dialect.rows()
  return {
    dialect,
    plain,
    extended,
    outcomes,
    lookupsRead,
    async refill() {
      await database.run(rows)
      await Promise.all(Array.from(caches.values(), (cache) => cache.invalidateAll()))
      await kept.invalidate()
    },
    async stored() {
      if (keepsResults) await kept.drain()
    },
    keepsResults,
    async rotateKeys() {
      if (!keys) return
      await closeCaches()
      openCaches()
      // A new process stores nothing until writes that do not know of it are over.
      await sleep(fenceMs)
    },
    async close() {
      for (const close of closing.toReversed()) await close()
      await store.close()
      await database.drop()
    },
  }
}

/** The fields by whose values results may end, whatever the database makes of them. */
function scopeFieldsOf({ scalars }: ReturnType<SchemaFacts['models']['get']> & object): readonly string[] {
  return [...scalars.values()].flatMap(({ isList, kind, name, type }) =>
    !isList && (kind === 'day' || ['String', 'Int', 'BigInt', 'Enum'].includes(type)) ? [name] : [],
  )
}
