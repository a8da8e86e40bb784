import { noPressure, type Pressure, Slicer } from '@model-cache/event-loop/internal'
import { AtRestStore } from './cache/at-rest-store.js'
import type { CacheContext, CachePolicy, Coherence, Runtime, Telemetry } from './cache/context.js'
import { createTelemetry } from './cache/create-telemetry.js'
import { InFlight } from './cache/in-flight.js'
import { examine } from './cache/inspection/explanation.js'
import { Filler } from './cache/load/filler.js'
import { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
import { createNotFoundBudgets } from './cache/load/not-found-budget.js'
import {
  type CacheSettings,
  cacheSettings,
  type CacheSettingsOptions,
} from './cache/policy/cache-settings.js'
import { parseBytes } from './cache/policy/byte-size.js'
import { type Duration, parseDuration } from './cache/policy/duration.js'
import { Delivery } from './cache/read/delivery.js'
import { ReadCollector } from './cache/read/read-collector.js'
import { ReadPath } from './cache/read/read-path.js'
import { Tick } from './cache/read/tick.js'
import { jointCoherence } from './cache/results/joint-coherence.js'
import type { ResultScope } from './cache/results/result-scope.js'
import {
  createResultCodec,
  type ResultForms,
  type StoredResult,
  writeResult,
} from './cache/results/stored-result.js'
import { History } from './cache/telemetry/history.js'
import { LargePayloads } from './cache/telemetry/large-payloads.js'
import { type CacheObserver, silentObserver } from './cache/telemetry/observer.js'
import { createFreeForm } from './codec/free-form.js'
import { type RecordForm, RecordForms } from './codec/record-forms.js'
import type { WirePlan } from './codec/wire-plan.js'
import { invalidOptionError } from './configuration-errors.js'
import {
  type AtRest,
  type KeySpace,
  type ModelCacheWrites,
  type NamespaceDatabase,
  type OperatorLog,
  shieldLog,
  type Store,
  type StoredForm,
  storedForm,
} from './protocol/index.js'
import { resultDigestOf, lasting, ResultRegisters, tagRegisters } from './result-registers.js'
import type {
  KeptResult,
  ModelResultOptions,
  QueryResults,
  ResultOptions,
  ResultQuery,
} from './source/query-results.js'
import { planOfShape } from './definitions/row-plan.js'
import type { SchemaFacts } from './source/schema-facts.js'

export interface KeptResultsOptions extends CacheSettingsOptions {
  /** By model. A query is answered if all models that it reads are among them. */
  readonly models: ReadonlyMap<string, ModelResultOptions>
  /** Those of the client whose queries are answered. */
  readonly facts: SchemaFacts
  /** Whether a client is that one. @default all clients of `writes` are of one database */
  readonly isFrom?: (client: object) => boolean
  readonly store: Store
  readonly writes: ModelCacheWrites
  /** Encrypts what is stored. It has to be open. @default nothing is encrypted */
  readonly atRest?: AtRest | undefined
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

/** How long results of single queries may be kept at most. */
const dayMs = 86_400_000

/** Combinations of models and options whose reads are collected apart. */
const maxCollectors = 1_000

/** What answers queries of the same models, of the same values. */
interface Collected {
  readonly context: CacheContext<StoredResult, ResultId>
  readonly reads: ReadCollector<StoredResult, ResultId>
}

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
  readonly #forms: ResultForms
  readonly #runtime: Omit<Runtime, 'notFound'>
  readonly #lives = new Map<string, Lives>()
  /** Bytes of results above which they are compressed, by the model of the query. */
  readonly #compressAbove = new Map<string, number>()
  readonly #registers: ResultRegisters
  /** What queries of the same models have in common, by these and the options of the query. */
  readonly #parts = new Map<string, CollectorParts | undefined>()
  /** As {@link #parts}, and by the values of the rows that are read. */
  readonly #collectors = new Map<string, Collected | undefined>()
  /** How many queries with a result that could not be stored are yet to go to the database at once, by digest. */
  readonly #unstorable = new Map<string, number>()

  constructor(options: KeptResultsOptions) {
    this.#options = options
    this.#settings = cacheSettings(options)
    this.#log = shieldLog(options)
    const free = createFreeForm(options.facts.Decimal as never)
    this.#forms = { free, records: new RecordForms(free) }
    this.#runtime = {
      tick: options.tick ?? new Tick(),
      slicer: options.slicer ?? new Slicer(),
      pressure: options.pressure ?? noPressure,
      inFlight: new InFlight(),
      permits: (options.loads ?? createLoadPermits()).ofCache(),
    }
    for (const [name, kept] of options.models) {
      const option = `reads.results.${name}`
      this.#lives.set(name, livesOf(kept, option))
      if (kept.compress)
        this.#compressAbove.set(name, parseBytes(kept.compress.above, `${option}.compress.above`))
    }
    this.#registers = new ResultRegisters({
      facts: options.facts,
      store: options.store,
      atRest: options.atRest,
      settings: this.#settings,
      writes: options.writes,
      database: options.database,
      observer: options.observer ?? silentObserver,
      log: this.#log,
      runtime: this.#runtime,
      codecOf: (fingerprint) => createResultCodec(fingerprint, this.#forms),
      compressAboveOf: (model) => this.#compressAbove.get(model),
      lifeOf: (model) => {
        const { staleForMs = 0, ttlMs = 0 } = this.#lives.get(model) ?? {}
        return Math.max(ttlMs + staleForMs, dayMs)
      },
    })
    for (const [name, { by = [] }] of options.models) {
      this.#registers.of(name)
      for (const field of [by].flat()) this.#registers.addScope(name, field)
    }
  }

  isFrom(client: object): boolean {
    return this.#options.isFrom?.(client) ?? true
  }

  answer(query: ResultQuery): Promise<unknown> | undefined {
    const collected = this.#collectedOf(query)
    if (!collected) return undefined
    const digest = resultDigestOf(query.text)
    return this.#passes(digest)
      ? undefined
      : read(collected, { digest, run: query.run, loaded: query.loaded, form: this.#formOfRows(query) })
  }

  keeps(query: ResultQuery): boolean {
    return this.#collectedOf(query) !== undefined
  }

  explain(query: ResultQuery): Promise<KeptResult> | undefined {
    const collected = this.#collectedOf(query)
    return collected && explain(collected, query)
  }

  comparedOf(model: string): ReturnType<QueryResults['comparedOf']> {
    const { name } = this.#registers.of(model)
    const observer = this.#registers.observerOf(model)
    return { name, countShadow: (outcome) => observer.prismaShadow(outcome), warn: this.#log.warn }
  }

  async invalidate(models: readonly string[] = this.#registers.models): Promise<void> {
    const known = models.flatMap((name) => this.#registers.allOf(name)).map(({ fences }) => fences)
    await Promise.all(known.map((fences) => fences.releaseAll('', 'all')))
    await Promise.all(known.map((fences) => fences.settled()))
  }

  async invalidateTags(tags: readonly string[]): Promise<void> {
    await this.invalidate(tagRegisters(tags))
  }

  /** Lists all models in the catalogue, which the first read does otherwise. Never rejects. */
  async join(): Promise<void> {
    await Promise.all(this.#registers.all().map(({ register }) => register.join()))
  }

  /** Resolves when the reads and fills in flight have ended. */
  async drain(): Promise<void> {
    for (const _ of ['this turn', 'the next']) await new Promise(setImmediate)
    await this.#runtime.inFlight.drained()
  }

  async close(): Promise<void> {
    await this.drain()
    for (const { backplane, fences, listing } of this.#registers.all()) {
      await Promise.all([fences.stop(), backplane?.stop()])
      listing.close()
    }
  }

  #collectedOf({ model, models, options, scopes }: ResultQuery): Collected | undefined {
    const names = [...models].toSorted()
    const own = options ? JSON.stringify(options) : ''
    const key = [own, model, ...names].join()
    const read = options?.mayBeStale ? undefined : scopes && this.#scopesIn(scopes, names)
    const collectorKey = read ? `${key} ${read.text}` : key
    if (!this.#collectors.has(collectorKey)) {
      if (this.#collectors.size >= maxCollectors) this.#collectors.clear()
      if (!this.#parts.has(key)) {
        if (this.#parts.size >= maxCollectors) this.#parts.clear()
        this.#parts.set(key, this.#createParts(model, names, options, own))
      }
      const parts = this.#parts.get(key)
      this.#collectors.set(collectorKey, parts && collectWith(parts, this.#coherenceOf(names, options, read)))
    }
    return this.#collectors.get(collectorKey)
  }

  /** Undefined if the results of no model of these end by values. */
  #scopesIn(scopes: NonNullable<ResultQuery['scopes']>, names: readonly string[]): ReadScopes | undefined {
    const found: ReadScopes['of'] = new Map()
    let text = ''
    for (const name of names) {
      const values = scopes.get(name)?.flatMap(({ field, value }) => {
        const scope = this.#registers.scope(name, field)
        const found = scope?.textOf(value)
        return found === undefined ? [] : [{ scope: scope!, value, text: `${scope!.name}=${found}` }]
      })
      if (!values || values.length < scopes.get(name)!.length) continue
      const byText = new Map(values.map((each) => [each.text, each]))
      const sorted = [...byText.keys()].toSorted()
      found.set(
        name,
        sorted.map((each) => byText.get(each)!),
      )
      text += JSON.stringify(sorted)
    }
    return found.size > 0 ? { of: found, text } : undefined
  }

  /** In an order that all processes have. */
  #coherenceOf(
    names: readonly string[],
    options: ResultQuery['options'],
    read: ReadScopes | undefined,
  ): Coherence {
    const parts = (options?.mayBeStale ? [lasting] : names).flatMap(
      (name) =>
        read?.of.get(name)?.map(({ scope, value }) => scope.coherenceOf(value)) ?? [
          this.#registers.of(name).coherence,
        ],
    )
    const tags = tagRegisters(options?.tags ?? []).map((name) => this.#registers.of(name).coherence)
    return jointCoherence([...parts, ...tags] as [Coherence, ...Coherence[]])
  }

  /** Returns undefined if the results of one of the models are not kept. */
  #createParts(
    model: string,
    names: readonly string[],
    options: ResultQuery['options'],
    own: string,
  ): CollectorParts | undefined {
    const lives = options
      ? livesOf(options, 'cached')
      : shortestOf(names.map((name) => this.#lives.get(name)))
    if (!lives) return undefined
    const prints = names.map((name) => [
      this.#registers.fingerprintOf(name),
      this.#options.models.get(name)?.by,
    ])
    const form = this.#formOf(model, names)
    const printed = [own, ...prints, ...(form ? [form.name] : [])]
    const fingerprint = resultDigestOf(JSON.stringify(printed)).slice(0, 11)
    const { keysOf, name } = this.#registers.of(
      options?.mayBeStale ? lasting : names.includes(model) ? model : names[0]!,
    )
    const observer = this.#registers.observerOf(model)
    const log = this.#log
    const { database, store, watchLoad } = this.#options
    const { permits, slicer } = this.#runtime
    const { model: context, telemetry } = createTelemetry<StoredResult, ResultId>({
      model: {
        name,
        codec: createResultCodec(fingerprint, this.#forms),
        keys: withIds(keysOf(fingerprint, form?.hashId)),
        store: form ? new AtRestStore({ name, store, form, slicer, observer, log }) : store,
        isEncrypted: form?.described.isEncrypted,
        source: {
          load: (ids) => this.#load(ids, observer),
          // Each of them is a query of its own, and its error is a part of its row.
          mayBlameOneId: () => false,
          watchLoad,
        },
        mayStore: ({ text }) => text !== undefined,
      },
      observer,
      history: new History(),
      largePayloads: new LargePayloads(name, largeBytes, observer, log),
      log,
      permits,
      audit: { ...this.#settings.audit, rate: 0 },
      onUse: () => database?.noteUse(),
    })
    const policy: CachePolicy = {
      ...lives,
      notFoundTtlMs: 0,
      refreshAheadMs: 0,
      leaseWaitMs: this.#settings.consistency.leaseWaitMs,
      sharesRows: false,
    }
    const notFound = createNotFoundBudgets(this.#settings.maxNotFoundBytes, policy)
    return { model: context, policy, runtime: { ...this.#runtime, notFound }, telemetry }
  }

  /** One query alone rejects with its error, so that a stale result may stand in for it. */
  async #load(
    ids: readonly ResultId[],
    observer: Telemetry<unknown>['observer'],
  ): Promise<readonly StoredResult[]> {
    const run = async ({ digest, form, loaded, run }: ResultId): Promise<StoredResult> => {
      const value = await run()
      const { text, form: written } = writeResult(value, this.#forms, form)
      const isStorable = text !== undefined && text.length <= longest
      if (!isStorable) this.#refuse(digest, observer)
      loaded?.(isStorable ? text.length : undefined)
      return { digest, value, form: written, text: isStorable ? text : undefined }
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

  /** How its rows are written; undefined if not as records. A result that is read may have been written so by another process. */
  #formOfRows({ rows }: ResultQuery): RecordForm | undefined {
    const planOf = (): WirePlan => {
      const { shape, isList } = rows!
      const row = planOfShape(shape, this.#options.facts.Decimal as never)
      return isList ? { kind: 'array', items: row, nullable: false, undefinable: false } : row
    }
    return rows && this.#forms.records.of(rows, planOf)
  }

  /** How results of queries of a model are stored that read these models. */
  #formOf(model: string, names: readonly string[]): StoredForm | undefined {
    const { atRest } = this.#options
    return storedForm({ atRest, models: names, compressAboveBytes: this.#compressAbove.get(model) })
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
}

/** What the collectors of the same models share, whichever rows they read. */
type CollectorParts = Omit<CacheContext<StoredResult, ResultId>, 'coherence'>

function collectWith(parts: CollectorParts, coherence: Coherence): Collected {
  const context = { ...parts, coherence }
  const path = new ReadPath(context, undefined, new Filler(context), () => new Delivery(context))
  return { context, reads: new ReadCollector(context, path) }
}

/** The values of fields whose rows a query reads, by model. */
interface ReadScopes {
  readonly of: Map<string, readonly { readonly scope: ResultScope; readonly value: unknown }[]>
  /** Equal for the same values. */
  readonly text: string
}

/** A query that is being read. */
interface ResultId extends Pick<ResultQuery, 'run' | 'loaded'> {
  readonly digest: string
  readonly form?: RecordForm | undefined
}

async function read({ reads }: Collected, id: ResultId): Promise<unknown> {
  const found = await reads.get(id)
  const { error, value } = found!
  if (error) throw error.error
  return value
}

async function explain({ context }: Collected, { run, text }: ResultQuery): Promise<KeptResult> {
  const { staleForMs, ttlMs } = context.policy
  const { explanation } = await examine(
    context,
    undefined,
    context.model.keys.toRowId({ digest: resultDigestOf(text), run }),
  )
  const { mayFill, stored } = explanation
  return { ttlMs, staleForMs, stored, mayFill }
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
