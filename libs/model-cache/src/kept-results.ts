import { createHash } from 'node:crypto'
import { noPressure, type Pressure, Slicer } from '@model-cache/event-loop/internal'
import type { CachePolicy, Coherence, Runtime, Telemetry } from './cache/context.js'
import { createTelemetry, observerOf } from './cache/create-telemetry.js'
import { InFlight } from './cache/in-flight.js'
import { Filler } from './cache/load/filler.js'
import { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
import { createNotFoundBudgets } from './cache/load/not-found-budget.js'
import {
  type CacheSettings,
  cacheSettings,
  type CacheSettingsOptions,
} from './cache/policy/cache-settings.js'
import { type Duration, parseDuration } from './cache/policy/duration.js'
import { Delivery } from './cache/read/delivery.js'
import { ReadCollector } from './cache/read/read-collector.js'
import { ReadPath } from './cache/read/read-path.js'
import { Tick } from './cache/read/tick.js'
import { jointCoherence } from './cache/results/joint-coherence.js'
import { createResultRegister, type ResultRegister } from './cache/results/result-register.js'
import { createResultCodec, type StoredResult } from './cache/results/stored-result.js'
import { History } from './cache/telemetry/history.js'
import { LargePayloads } from './cache/telemetry/large-payloads.js'
import { type CacheObserver, silentObserver } from './cache/telemetry/observer.js'
import { createFreeForm, type FreeForm } from './codec/free-form.js'
import { invalidOptionError } from './configuration-errors.js'
import {
  type CacheDescription,
  type KeySpace,
  type ModelCacheWrites,
  type NamespaceDatabase,
  type OperatorLog,
  shieldLog,
  type Store,
} from './protocol/index.js'
import type { QueryResults, ResultOptions, ResultQuery } from './source/query-results.js'
import type { SchemaFacts } from './source/schema-facts.js'
import type { SharedTables } from './source/shared-tables.js'
import { tablesOf, withSharedTables } from './source/tables.js'

export interface KeptResultsOptions extends CacheSettingsOptions {
  /** By model. A query is answered if all models that it reads are among them. */
  readonly models: ReadonlyMap<string, ResultOptions>
  /** Those of the client whose queries are answered. */
  readonly facts: SchemaFacts
  /** Whether a client is that one. @default all clients of `writes` are of one database */
  readonly isFrom?: (client: object) => boolean
  readonly store: Store
  readonly writes: ModelCacheWrites
  /** The database of the client. @default nothing tells results of another one apart */
  readonly database?: NamespaceDatabase
  /** Begins to watch a load; see {@link Source.watchLoad}. @default what is read is committed */
  readonly watchLoad?: (() => () => boolean) | undefined
  /** Caches that share a tick share its commands. @default one of its own */
  readonly tick?: Tick
  /** @default one of its own */
  readonly slicer?: Slicer
  /** @default 8 of its own */
  readonly loads?: LoadPermits
  /** @default none */
  readonly pressure?: Pressure
  /** @default observes nothing */
  readonly observer?: CacheObserver
  readonly warn?: (message: string) => void
  readonly info?: (message: string) => void
}

/** Characters of a result. One that is as long takes some 30 ms to decode, and Prisma several times as long to make. */
const longest = 4_000_000
/** Queries that go to the database at once after one whose result could not be stored. */
const passes = 100
/** Such queries that are remembered. */
const maxUnstorable = 1_000
/** Bytes from which on results count as large. */
const largeBytes = 256 * 1_024

/** Raise it whenever the bytes of a stored result change. */
const wireVersion = 2

/** How long results of single queries may be kept at most. */
const dayMs = 86_400_000

/** Combinations of models and options whose reads are collected apart. */
const maxCollectors = 1_000

type Collector = ReadCollector<StoredResult, ResultId>

/** For how long results are kept, in milliseconds. */
interface Lives {
  readonly ttlMs: number
  readonly staleForMs: number
}

/**
 * Keeps the results of queries. Each model has a register of its own for them, which every write to the model renews, as that of a cache
 * that depends on the model. A result carries the epochs of all models that it was read from.
 *
 * @throws ConfigurationError
 */
export class KeptResults implements QueryResults {
  readonly #options: KeptResultsOptions
  readonly #settings: CacheSettings
  readonly #log: OperatorLog
  readonly #form: FreeForm
  readonly #runtime: Omit<Runtime, 'notFound'>
  readonly #lives = new Map<string, Lives>()
  readonly #registers = new Map<string, ResultRegister>()
  /** By the model of the query, all that it reads, and the options of the query. */
  readonly #collectors = new Map<string, Collector | undefined>()
  /** How many queries with a result that could not be stored are yet to go to the database at once, by digest. */
  readonly #unstorable = new Map<string, number>()

  constructor(options: KeptResultsOptions) {
    this.#options = options
    this.#settings = cacheSettings(options)
    this.#log = shieldLog(options)
    this.#form = createFreeForm(options.facts.Decimal as never)
    this.#runtime = {
      tick: options.tick ?? new Tick(),
      slicer: options.slicer ?? new Slicer(),
      pressure: options.pressure ?? noPressure,
      inFlight: new InFlight(),
      permits: (options.loads ?? createLoadPermits()).ofCache(),
    }
    for (const [name, kept] of options.models) this.#lives.set(name, livesOf(kept, `reads.results.${name}`))
    for (const name of options.models.keys()) this.#registerOf(name)
  }

  isFrom(client: object): boolean {
    return this.#options.isFrom?.(client) ?? true
  }

  answer(query: ResultQuery): Promise<unknown> | undefined {
    const collector = this.#collectorOf(query)
    if (!collector) return undefined
    const digest = digestOf(query.text)
    return this.#passes(digest) ? undefined : read(collector, { digest, run: query.run })
  }

  async invalidate(models: readonly string[] = [...this.#registers.keys()]): Promise<void> {
    const known = models.map((name) => this.#registerOf(name).fences)
    await Promise.all(known.map((fences) => fences.releaseAll('', 'all')))
    await Promise.all(known.map((fences) => fences.settled()))
  }

  /** Lists all models in the catalogue, which the first read does otherwise. Never rejects. */
  async join(): Promise<void> {
    await Promise.all([...this.#registers.values()].map(({ register }) => register.join()))
  }

  /** Resolves when the reads and fills in flight have ended. */
  async drain(): Promise<void> {
    for (const _ of ['this turn', 'the next']) await new Promise(setImmediate)
    await this.#runtime.inFlight.drained()
  }

  async close(): Promise<void> {
    await this.drain()
    for (const { backplane, fences, listing } of this.#registers.values()) {
      await Promise.all([fences.stop(), backplane?.stop()])
      listing.close()
    }
  }

  #collectorOf({ model, models, options }: ResultQuery): Collector | undefined {
    const names = [...models].toSorted()
    const own = options ? JSON.stringify(options) : ''
    const key = [own, model, ...names].join()
    if (!this.#collectors.has(key)) {
      if (this.#collectors.size >= maxCollectors) this.#collectors.clear()
      this.#collectors.set(key, this.#createCollector(model, names, options, own))
    }
    return this.#collectors.get(key)
  }

  /** Returns undefined if the results of one of the models are not kept. */
  #createCollector(
    model: string,
    names: readonly string[],
    options: ResultQuery['options'],
    own: string,
  ): Collector | undefined {
    const lives = options
      ? livesOf(options, 'cached')
      : shortestOf(names.map((name) => this.#lives.get(name)))
    if (!lives) return undefined
    const registers = (options?.mayBeStale ? [lasting] : names).map((name) => this.#registerOf(name))
    const fingerprint = digestOf([own, ...names.map((name) => this.#fingerprintOf(name))].join()).slice(0, 11)
    const { keysOf, name } = registers.find((register) => register.name === nameOf(model)) ?? registers[0]!
    const observer = this.#observerOf(model)
    const { model: context, telemetry } = createTelemetry<StoredResult, ResultId>({
      model: {
        name,
        codec: createResultCodec(fingerprint, this.#form),
        keys: withIds(keysOf(fingerprint)),
        store: this.#options.store,
        source: {
          load: (ids) => this.#load(ids, observer),
          // Each of them is a query of its own, and its error is a part of its row.
          mayBlameOneId: () => false,
          watchLoad: this.#options.watchLoad,
        },
        mayStore: ({ text }) => text !== undefined,
      },
      observer,
      history: new History(),
      largePayloads: new LargePayloads(name, largeBytes, observer, this.#log),
      log: this.#log,
      permits: this.#runtime.permits,
      audit: { ...this.#settings.audit, rate: 0 },
      onUse: () => this.#options.database?.noteUse(),
    })
    const policy: CachePolicy = {
      ...lives,
      notFoundTtlMs: 0,
      refreshAheadMs: 0,
      leaseWaitMs: this.#settings.consistency.leaseWaitMs,
      sharesRows: false,
    }
    const notFound = createNotFoundBudgets(this.#settings.maxNotFoundBytes, policy)
    const collected = {
      model: context,
      policy,
      runtime: { ...this.#runtime, notFound },
      coherence: jointCoherence(registers.map(({ coherence }) => coherence) as [Coherence, ...Coherence[]]),
      telemetry,
    }
    const path = new ReadPath(collected, undefined, new Filler(collected), () => new Delivery(collected))
    return new ReadCollector(collected, path)
  }

  /** One query alone rejects with its error, so that a stale result may stand in for it. */
  async #load(
    ids: readonly ResultId[],
    observer: Telemetry<unknown>['observer'],
  ): Promise<readonly StoredResult[]> {
    const run = async ({ digest, run }: ResultId): Promise<StoredResult> => {
      const value = await run()
      const text = this.#form.write(value)
      const isStorable = text !== undefined && text.length <= longest
      if (!isStorable) this.#refuse(digest, observer)
      return { digest, value, text: isStorable ? text : undefined }
    }
    const [first] = ids
    if (first && ids.length === 1) return [await run(first)]
    const failed = (digest: string, error: unknown): StoredResult => ({
      digest,
      value: null,
      error: { error },
    })
    return Promise.all(ids.map((id) => run(id).catch((error: unknown) => failed(id.digest, error))))
  }

  /** Whether the database answers a query at once, as its result could not be stored. */
  #passes(digest: string): boolean {
    const left = this.#unstorable.get(digest)
    if (left === undefined) return false
    if (left > 1) this.#unstorable.set(digest, left - 1)
    else this.#unstorable.delete(digest)
    return true
  }

  #refuse(digest: string, observer: Telemetry<unknown>['observer']): void {
    observer.fills('refused', 1)
    if (this.#unstorable.size >= maxUnstorable) this.#unstorable.clear()
    this.#unstorable.set(digest, passes)
  }

  /** The register of a model, or {@link lasting}. */
  #registerOf(name: string): ResultRegister {
    let found = this.#registers.get(name)
    if (!found) this.#registers.set(name, (found = this.#createRegister(name)))
    return found
  }

  #createRegister(model: string): ResultRegister {
    const { database, facts, store, writes } = this.#options
    const { staleForMs = 0, ttlMs = 0 } = this.#lives.get(model) ?? {}
    const shared = database?.sharedTables
    const description = describe(model, facts, this.#settings.buckets)
    const register = createResultRegister({
      description: shared ? withShared(description, shared) : description,
      lifeMs: Math.max(ttlMs + staleForMs, dayMs),
      codec: createResultCodec(this.#fingerprintOf(model), this.#form),
      store,
      settings: this.#settings,
      writes,
      database,
      telemetry: { observer: this.#observerOf(model), log: this.#log },
    })
    if (!shared) database?.onTables((found) => register.listing.describe(withShared(description, found)))
    return register
  }

  #observerOf(model: string): Telemetry<unknown>['observer'] {
    return observerOf(this.#options.observer ?? silentObserver, this.#log, model, 'results')
  }

  #fingerprintOf(model: string): string {
    return digestOf(JSON.stringify([wireVersion, shapeOf(this.#options.facts, model)])).slice(0, 11)
  }
}

/** Stands for a model that nobody writes: its register is that of results that may be stale. */
const lasting = 'lasting'

/** A query that is being read. */
interface ResultId extends Pick<ResultQuery, 'run'> {
  readonly digest: string
}

async function read(collector: Collector, id: ResultId): Promise<unknown> {
  const found = await collector.get(id)
  const { error, value } = found!
  if (error) throw error.error
  return value
}

function withIds(keys: KeySpace<StoredResult, string>): KeySpace<StoredResult, ResultId> {
  return { ...keys, toRowId: ({ digest }) => keys.toRowId(digest), snapshot: (id) => id }
}

/** @throws ConfigurationError */
function livesOf({ staleFor, ttl }: ResultOptions, option: string): Lives {
  const ttlMs = parseDuration(ttl as Duration, option, 'ttl')
  const staleForMs = staleFor === undefined ? 0 : parseDuration(staleFor as Duration, option, 'staleFor')
  if (option === 'cached' && ttlMs + staleForMs > dayMs)
    throw invalidOptionError('cached.ttl', ttl, 'a day at most, `staleFor` included')
  return { ttlMs, staleForMs }
}

/** Undefined if there is none for one of the models. */
function shortestOf(lives: readonly (Lives | undefined)[]): Lives | undefined {
  if (!lives.every((each) => each !== undefined)) return undefined
  return {
    ttlMs: Math.min(...lives.map(({ ttlMs }) => ttlMs)),
    staleForMs: Math.min(...lives.map(({ staleForMs }) => staleForMs)),
  }
}

const nameOf = (model: string): string => `${model}.results`

/**
 * How the catalogue lists the results that read a model: each write to it concerns all of them. They are rows of no model, so that a follower
 * goes on to tell which rows of caches of the model have changed.
 */
function describe(model: string, facts: SchemaFacts, buckets: number): CacheDescription {
  const name = nameOf(model)
  return {
    name,
    model: name,
    id: [{ name: 'digest', kind: 'string' }],
    buckets,
    dependsOn: model === lasting ? [] : [model],
    lookups: [],
    tables: tablesOf(facts, { model, dependsOn: [model], fields: [], relations: [] }),
  }
}

/** @throws ConfigurationError if writes that change rows of the model cannot be known */
function withShared(description: CacheDescription, shared: SharedTables): CacheDescription {
  const { name, tables } = description
  if (!tables) return description
  for (const table of tables.models) {
    const { isMaterialized, isOpaque } = shared.of(table) ?? {}
    if (isMaterialized || isOpaque)
      throw invalidOptionError(
        `reads.results.${name.replace(/\.results$/, '')}`,
        'a view',
        'a model whose rows are in tables, or in a view of tables that the database shows; leave it out',
      )
  }
  return { ...description, tables: withSharedTables(tables, shared, false) }
}

/** What decides the results of queries of a model, besides the queries. */
function shapeOf(facts: SchemaFacts, model: string): unknown {
  const known = facts.models.get(model)
  if (!known) return null
  const { relationTargets, scalars } = known
  const tables = tablesOf(facts, { model, dependsOn: [], fields: [...scalars.keys()], relations: [] })
  return [tables?.models[0], [...relationTargets], facts.omittedOf(model) ?? null]
}

/** 43 characters. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
