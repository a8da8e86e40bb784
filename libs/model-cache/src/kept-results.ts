import { createHash } from 'node:crypto'
import type { Pressure } from '@model-cache/event-loop'
import { noPressure, Slicer } from '@model-cache/event-loop/internal'
import type {
  CacheContext,
  CachePolicy,
  Coherence,
  ModelContext,
  Runtime,
  Telemetry,
} from './cache/context.js'
import { createTelemetry, observerOf } from './cache/create-telemetry.js'
import { type CreatedWrites, createWrites } from './cache/create-writes.js'
import { InFlight } from './cache/in-flight.js'
import { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
import { createNotFoundBudgets } from './cache/load/not-found-budget.js'
import { Filler } from './cache/load/filler.js'
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
import { createResultCodec, type StoredResult } from './cache/results/stored-result.js'
import { History } from './cache/telemetry/history.js'
import { LargePayloads } from './cache/telemetry/large-payloads.js'
import { type CacheObserver, silentObserver } from './cache/telemetry/observer.js'
import { createFreeForm, type FreeForm } from './codec/free-form.js'
import { invalidOptionError } from './configuration-errors.js'
import {
  type CacheDescription,
  createKeySpace,
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

/** Characters of a result. Decoding a larger one would block the event loop for longer than a time slice. */
const longest = 1_000_000
/** Bytes from which on results count as large. */
const largeBytes = 256 * 1_024

/** Raise it whenever the bytes of a stored result change. */
const wireVersion = 1

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
  readonly #runtime: Omit<Runtime, 'permits' | 'notFound'>
  readonly #loads: LoadPermits
  readonly #models = new Map<string, ResultModel>()
  /** By the model of the query, and all that it reads. */
  readonly #collectors = new Map<string, ReadCollector<StoredResult, ResultId> | undefined>()

  constructor(options: KeptResultsOptions) {
    this.#options = options
    this.#settings = cacheSettings(options)
    this.#log = shieldLog(options)
    this.#form = createFreeForm(options.facts.Decimal as never)
    this.#loads = options.loads ?? createLoadPermits()
    this.#runtime = {
      tick: options.tick ?? new Tick(),
      slicer: options.slicer ?? new Slicer(),
      pressure: options.pressure ?? noPressure,
      inFlight: new InFlight(),
    }
    for (const [name, result] of options.models) this.#models.set(name, this.#createModel(name, result))
  }

  answer(query: ResultQuery): Promise<unknown> | undefined {
    const collector = this.#collectorOf(query)
    return collector && read(collector, query)
  }

  async invalidate(models: readonly string[] = [...this.#models.keys()]): Promise<void> {
    const known = models.flatMap((name) => this.#models.get(name)?.writes.fences ?? [])
    await Promise.all(known.map((fences) => fences.releaseAll('', 'all')))
    await Promise.all(known.map((fences) => fences.settled()))
  }

  /** Lists all models in the catalogue, which the first read does otherwise. Never rejects. */
  async join(): Promise<void> {
    await Promise.all([...this.#models.values()].map(({ writes }) => writes.register.join()))
  }

  /** Resolves when the reads and fills in flight have ended. */
  async drain(): Promise<void> {
    for (const _ of ['this turn', 'the next']) await new Promise(setImmediate)
    await this.#runtime.inFlight.drained()
  }

  async close(): Promise<void> {
    await this.drain()
    for (const { writes } of this.#models.values()) {
      await Promise.all([writes.fences.stop(), writes.backplane?.stop()])
      writes.listing.close()
    }
  }

  #collectorOf({ model, models }: ResultQuery): ReadCollector<StoredResult, ResultId> | undefined {
    const names = [...models].toSorted()
    const key = [model, ...names].join()
    if (!this.#collectors.has(key)) this.#collectors.set(key, this.#createCollector(model, names))
    return this.#collectors.get(key)
  }

  /** Returns undefined if the results of one of the models are not kept. */
  #createCollector(
    model: string,
    names: readonly string[],
  ): ReadCollector<StoredResult, ResultId> | undefined {
    const read = names.map((name) => this.#models.get(name))
    if (!read.every((one) => one !== undefined)) return undefined
    const root = this.#models.get(model)!
    const fingerprint = digestOf(read.map((one) => one.fingerprint).join()).slice(0, 11)
    const { keys, name, observer, permits } = root
    const codec = createResultCodec(fingerprint, this.#form)
    const { model: observed, telemetry } = createTelemetry<StoredResult, ResultId>({
      model: {
        name,
        codec,
        keys: withIds(keys(fingerprint)),
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
      permits,
      audit: { ...this.#settings.audit, rate: 0 },
      onUse: () => this.#options.database?.noteUse(),
    })
    const coherences = read.map((one) => one.writes.coherence) as [Coherence, ...Coherence[]]
    const policy: CachePolicy = {
      ...root.policy,
      ttlMs: Math.min(...read.map((one) => one.policy.ttlMs)),
      staleForMs: Math.min(...read.map((one) => one.policy.staleForMs)),
    }
    const context: CacheContext<StoredResult, ResultId> = {
      model: observed,
      policy,
      runtime: {
        ...this.#runtime,
        permits,
        notFound: createNotFoundBudgets(this.#settings.maxNotFoundBytes, policy),
      },
      coherence: jointCoherence(coherences),
      telemetry,
    }
    const path = new ReadPath(context, undefined, new Filler(context), () => new Delivery(context))
    return new ReadCollector(context, path)
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
      if (!isStorable) observer.fills('refused', 1)
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

  #createModel(model: string, { staleFor, ttl }: ResultOptions): ResultModel {
    const { database, facts, observer: observers = silentObserver, store, writes } = this.#options
    const option = `reads.results.${model}`
    const policy: CachePolicy = {
      ttlMs: parseDuration(ttl as Duration, option, 'ttl'),
      notFoundTtlMs: 0,
      refreshAheadMs: 0,
      staleForMs: staleFor === undefined ? 0 : parseDuration(staleFor as Duration, option, 'staleFor'),
      leaseWaitMs: this.#settings.consistency.leaseWaitMs,
      sharesRows: false,
    }
    const fingerprint = digestOf(JSON.stringify([wireVersion, shapeOf(facts, model)])).slice(0, 11)
    const description = describe(model, facts, this.#settings.buckets)
    const shared = database?.sharedTables
    const name = description.name
    const observer = observerOf(observers, this.#log, model, 'results')
    const { namespace } = this.#settings
    const keys = (of: string): KeySpace<StoredResult, string> =>
      createKeySpace<StoredResult, string>({ ...description, namespace, fingerprint: of })
    const described: ModelContext<StoredResult, string> = {
      name,
      codec: createResultCodec(fingerprint, this.#form),
      keys: keys(fingerprint),
      store,
      source: { load: () => Promise.resolve([]), mayBlameOneId: () => false },
    }
    const telemetry: Telemetry<string> = {
      observer,
      history: new History(),
      largePayloads: new LargePayloads(name, Infinity, observer, this.#log),
      auditor: undefined,
      log: this.#log,
    }
    const created = createWrites<StoredResult, string>({
      description: shared ? withShared(description, shared) : description,
      model: described,
      policy,
      telemetry,
      settings: this.#settings,
      announcements: writes,
      database,
      follow: undefined,
    })
    if (!shared) database?.onTables((found) => created.listing.describe(withShared(description, found)))
    return { name, fingerprint, policy, writes: created, observer, keys, permits: this.#loads.ofCache() }
  }
}

/** What a process keeps of one model for the results that read it. */
interface ResultModel {
  readonly name: string
  /** Of what the schema says of the model: results of another one are not those of this process. */
  readonly fingerprint: string
  readonly policy: CachePolicy
  readonly writes: CreatedWrites
  readonly observer: Telemetry<unknown>['observer']
  readonly keys: (fingerprint: string) => KeySpace<StoredResult, string>
  readonly permits: Runtime['permits']
}

/** A query that is being read. */
interface ResultId extends Pick<ResultQuery, 'run'> {
  readonly digest: string
}

async function read(
  collector: ReadCollector<StoredResult, ResultId>,
  { run, text }: ResultQuery,
): Promise<unknown> {
  const found = await collector.get({ digest: digestOf(text), run })
  const { error, value } = found!
  if (error) throw error.error
  return value
}

function withIds(keys: KeySpace<StoredResult, string>): KeySpace<StoredResult, ResultId> {
  return { ...keys, toRowId: ({ digest }) => keys.toRowId(digest), snapshot: (id) => id }
}

/**
 * How the catalogue lists the results that read a model: each write to it concerns all of them. They are rows of no model, so that a follower
 * goes on to tell which rows of caches of the model have changed.
 */
function describe(model: string, facts: SchemaFacts, buckets: number): CacheDescription {
  const name = `${model}.results`
  return {
    name,
    model: name,
    id: [{ name: 'digest', kind: 'string' }],
    buckets,
    dependsOn: [model],
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
  const { relationTargets, scalars } = facts.models.get(model)!
  const tables = tablesOf(facts, { model, dependsOn: [], fields: [...scalars.keys()], relations: [] })
  return [tables?.models[0], [...relationTargets], facts.omittedOf(model) ?? null]
}

/** 43 characters. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
