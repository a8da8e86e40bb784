/** Two clients of one database: a plain one, and one whose reads are answered from caches; and what users make of both. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  type CacheObserver,
  createModelCache,
  createPrismaSource,
  type ModelObserver,
  type ReadThroughCache,
  schemaFactsOf,
  Tick,
  ValkeyStore,
} from 'model-cache/advanced'
import pg from 'pg'
import { patientMs, patientTransactions } from '../../../support/patience.ts'
import { createDatabase, valkeyUrl } from '../../../support/servers.ts'
import { PrismaClient } from './client/client.ts'
import { definitions } from './definitions.ts'
import { type Extensible, extensions } from './extensions.ts'

/** The parts of a client that are used here. */
export type Client = Record<string, Record<string, (args: unknown) => PromiseLike<unknown>>> & {
  $transaction(
    work: PromiseLike<unknown>[] | ((client: Client) => Promise<unknown>),
    options?: object,
  ): Promise<unknown>
}

export interface ReadClients {
  /** By name. Each is the same in both: the client itself, or extended further, or with options of its own. */
  readonly plain: Readonly<Record<string, Client>>
  readonly extended: Readonly<Record<string, Client>>
  /** How many reads of a model had an outcome: `Article answered`. */
  readonly outcomes: Map<string, number>
  /** The lookups that have found rows, or none, for a query: `Article.best`. */
  readonly lookupsRead: ReadonlySet<string>
  /** Makes the tables what they were in the beginning, and empties the caches. */
  refill(): Promise<void>
  close(): Promise<void>
}

let opened = 0

export async function openReadClients(): Promise<ReadClients> {
  const database = await createDatabase()
  const connection = new pg.Client({ connectionString: database.url })
  await connection.connect()
  await connection.query(script('tables.sql'))
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const outcomes = new Map<string, number>()
  const lookupsRead = new Set<string>()
  const observer: CacheObserver = {
    forModel: (model, lookup) =>
      lookup === undefined
        ? observerOf({ prismaReads: (outcome, count) => add(`${model} ${outcome}`, count) })
        : observerOf({ readSeconds: () => void lookupsRead.add(`${model}.${lookup}`) }),
    storeChanged: () => {},
  }
  const add = (name: string, count: number): void =>
    void outcomes.set(name, (outcomes.get(name) ?? 0) + count)
  const closing: (() => Promise<unknown>)[] = []
  const caches = new Map<string, ReadThroughCache<object, never>>()
  const clientOf = (options: object): PrismaClient => {
    const client = new PrismaClient({
      adapter: new PrismaPg({ connectionString: database.url, max: 4 }),
      transactionOptions: patientTransactions,
      ...options,
    } as never)
    closing.push(() => client.$disconnect())
    return client as never
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
      omitting: omittingClient as never,
      omittingComputed: extensions.computed!(omittingClient as unknown as Extensible) as never,
    }
  }
  const writes = new ModelCacheWrites()
  const extended = variants((options) => extendPrisma(clientOf(options), writes, { reads: definitions }))
  const tick = new Tick()
  const namespace = `reads-${process.pid}-${++opened}`
  for (const derived of definitions) {
    const definition = bindDefinition(derived, schemaFactsOf(extended.client!))
    const cache = createModelCache(definition, {
      namespace,
      store,
      tick,
      writes,
      observer,
      consistency: { fenceMs: 250 },
      source: createPrismaSource(extended.client!, { ...definition, ...definition.selection }),
    })
    caches.set(definition.name, cache as never)
    closing.push(() => cache.close())
  }
  const plain = variants(clientOf)
  return {
    plain,
    extended,
    outcomes,
    lookupsRead,
    async refill() {
      await connection.query(script('rows.sql'))
      await Promise.all(Array.from(caches.values(), (cache) => cache.invalidateAll()))
    },
    async close() {
      for (const close of closing.toReversed()) await close()
      await store.close()
      await connection.end()
      await database.drop()
    },
  }
}

/** Hears of these, and of nothing else. */
function observerOf(heard: Partial<ModelObserver>): ModelObserver {
  return new Proxy(heard as ModelObserver, {
    get: (known, name) => known[name as keyof ModelObserver] ?? (() => {}),
  })
}

const scripts = new Map<string, string>()

function script(name: string): string {
  const text = scripts.get(name) ?? readFileSync(join(import.meta.dirname, name), 'utf8')
  scripts.set(name, text)
  return text
}
