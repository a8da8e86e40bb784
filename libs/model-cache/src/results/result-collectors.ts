import { AtRestStore } from '../cache/at-rest-store.js'
import type { CacheContext, CachePolicy } from '../cache/context.js'
import { createTelemetry } from '../cache/create-telemetry.js'
import { Filler } from '../cache/load/filler.js'
import { createNotFoundBudgets } from '../cache/load/not-found-budget.js'
import { Delivery } from '../cache/read/delivery.js'
import type { Read } from '../cache/read/read.js'
import { ReadCollector } from '../cache/read/read-collector.js'
import { ReadPath } from '../cache/read/read-path.js'
import { jointCoherence } from '../cache/results/joint-coherence.js'
import type { L1Results } from '../cache/results/l1-results.js'
import { lasting } from '../cache/results/register-name.js'
import type { ResultCoherence } from '../cache/results/result-register.js'
import type { ResultScope } from '../cache/results/result-scope.js'
import { createResultCodec, type StoredResult } from '../cache/results/stored-result.js'
import { History } from '../cache/telemetry/history.js'
import { LargePayloads } from '../cache/telemetry/large-payloads.js'
import { hasCode } from '../errors.js'
import type { KeySpace } from '../protocol/index.js'
import type { ResultQuery, Scope } from '../source/query-results.js'
import { livesOf, type ResultLives, shortestOf } from './kept-model.js'
import type { ResultId, ResultLoader } from './result-loader.js'
import { modelPrintOf, resultPrintOf } from './result-prints.js'
import { type ResultParts, type ResultRegisters, tagRegisters } from './result-registers.js'

/** Bytes from which on results count as large. */
const largeBytes = 256 * 1_024

/** Combinations of models and options whose reads are collected apart. */
const maxCollectors = 1_000

/** What answers queries of the same models, of the same values. */
export interface Collected {
  readonly context: CacheContext<StoredResult, ResultId>
  readonly reads: ReadCollector<StoredResult, ResultId>
}

/** Collects the reads of results: those of queries that read the same models, with the same options, are read together. */
export class ResultCollectors {
  readonly #parts: ResultParts
  readonly #registers: ResultRegisters
  readonly #loader: ResultLoader
  /** What queries of the same models have in common, by these and the options of the query. */
  readonly #common = new Map<string, CollectorParts | undefined>()
  /** The collectors by the same as {@link #common}, and by the values of the rows that are read. */
  readonly #collectors = new Map<string, Collected | undefined>()
  readonly #sortedModels = new WeakMap<ReadonlySet<string>, SortedModels>()
  /** The history of all results: it has room for a thousand. */
  readonly #history = new History()

  constructor(parts: ResultParts, registers: ResultRegisters, loader: ResultLoader) {
    this.#parts = parts
    this.#registers = registers
    this.#loader = loader
  }

  /** Returns undefined if the results of one of the models that a query reads are not kept. */
  of({ model, models, options, scopes }: ResultQuery): Collected | undefined {
    const { names, text } = this.#sorted(models)
    const own = options ? JSON.stringify(options) : ''
    const key = `${own},${model},${text}`
    const read = options?.mayBeStale ? undefined : scopes && this.#scopesIn(scopes, names)
    const collectorKey = read ? `${key} ${JSON.stringify(Array.from(read.values(), namesOf))}` : key
    const known = this.#collectors.get(collectorKey)
    if (known !== undefined || this.#collectors.has(collectorKey)) return known
    if (this.#collectors.size >= maxCollectors) this.#collectors.clear()
    if (!this.#common.has(key)) {
      if (this.#common.size >= maxCollectors) this.#common.clear()
      this.#common.set(key, this.#createParts(model, names, options, own))
    }
    const common = this.#common.get(key)
    const collected = common && collectWith(common, this.#coherenceOf(names, options, read))
    this.#collectors.set(collectorKey, collected)
    return collected
  }

  /** In an order that all processes have. Queries of one shape have one set. */
  #sorted(models: ReadonlySet<string>): SortedModels {
    let sorted = this.#sortedModels.get(models)
    if (!sorted) {
      const names = [...models].toSorted()
      this.#sortedModels.set(models, (sorted = { names, text: names.join() }))
    }
    return sorted
  }

  /** Returns the scopes that are read; undefined if the results of no model of these end by values. */
  #scopesIn(scopes: NonNullable<ResultQuery['scopes']>, names: readonly string[]): ReadScopes | undefined {
    const found = new Map<string, ScopedValues>()
    for (const name of names) {
      const read = scopes.get(name)
      const values = read && this.#scopedIn(name, read)
      if (values) found.set(name, values)
    }
    return found.size > 0 ? found : undefined
  }

  /** The values of a model by their texts, in an order that all processes have; undefined if one of them has no marker. */
  #scopedIn(model: string, read: readonly Scope[]): ScopedValues | undefined {
    const byText = new Map<string, ScopedValue>()
    for (const { field, value } of read) {
      const scope = this.#registers.scope(model, field)
      const text = scope?.textOf(value)
      if (text === undefined) return undefined
      byText.set(`${scope!.name}=${text}`, { scope: scope!, value })
    }
    if (byText.size < 2) return byText
    return new Map([...byText].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** Returns the joint coherence of models and scopes, in an order that all processes have. */
  #coherenceOf(
    names: readonly string[],
    options: ResultQuery['options'],
    read: ReadScopes | undefined,
  ): ResultCoherence {
    const parts = (areLasting(names, options) ? [lasting] : names).flatMap((name) => {
      const values = read?.get(name)
      if (!values) return [this.#registers.of(name).coherence]
      return Array.from(values.values(), ({ scope, value }) => scope.coherenceOf(value))
    })
    const tags = tagRegisters(options?.tags ?? []).map((name) => this.#registers.of(name).coherence)
    return jointCoherence([...parts, ...tags] as [ResultCoherence, ...ResultCoherence[]])
  }

  #createParts(
    model: string,
    names: readonly string[],
    options: ResultQuery['options'],
    own: string,
  ): CollectorParts | undefined {
    const { database, facts, forms, log, models, runtime, settings, store, watchLoad } = this.#parts
    const lives = options ? livesOf(options, 'cached') : shortestOf(names.map((name) => models.get(name)))
    if (!lives) return undefined
    const form = this.#registers.formOf(model, names)
    const prints = names.map((name) => ({
      print: modelPrintOf(facts, name),
      by: models.get(name)?.by ?? [],
    }))
    const fingerprint = resultPrintOf({ own, models: prints, form: form?.name })
    const { keysOf, name } = this.#registers.of(
      areLasting(names, options) ? lasting : names.includes(model) ? model : names[0]!,
    )
    const observer = this.#parts.observerOf(model)
    const { permits, slicer } = runtime
    const { model: context, telemetry } = createTelemetry<StoredResult, ResultId>({
      model: {
        name,
        codec: createResultCodec(fingerprint, forms),
        keys: withIds(keysOf(fingerprint, form?.hashId)),
        store: form ? new AtRestStore({ name, store, form, slicer, observer, log }) : store,
        isEncrypted: form?.described.isEncrypted,
        source: {
          isEachAlone: true,
          load: async ([id]) => [await this.#loader.load(id!, observer)],
          mayBlameOneId: () => false,
          isAnswer: (error, { isAnswer }) => isAnswer?.(error) ?? false,
          watchLoad,
        },
        mayStore: ({ text }) => text !== undefined,
      },
      observer,
      history: this.#history,
      largePayloads: new LargePayloads(name, largeBytes, observer, log),
      log,
      permits,
      audit: { ...settings.audit, rate: 0 },
      onUse: () => database?.noteUse(),
    })
    const policy: CachePolicy = {
      ...lives,
      notFoundTtlMs: 0,
      refreshAheadMs: 0,
      leaseWaitMs: settings.consistency.leaseWaitMs,
      sharesRows: false,
    }
    const notFound = createNotFoundBudgets(settings.maxNotFoundBytes, policy)
    return {
      context: { model: context, policy, runtime: { ...runtime, notFound }, telemetry },
      memory: this.#memoryOf(model, names, lives),
    }
  }

  /** Returns the memory of results; undefined unless those of all models stay in memory. */
  #memoryOf(model: string, names: readonly string[], lives: ResultLives): CollectorParts['memory'] {
    const memories = [model, ...names].map((name) => this.#parts.models.get(name)?.l1)
    if (!memories.every((each) => each !== undefined)) return undefined
    return { l1: memories[0]!, ttlMs: Math.min(lives.ttlMs, ...memories.map(({ ttlMs }) => ttlMs)) }
  }
}

/** Whether no write ends results: they may be stale, or are of raw queries that read no model. */
function areLasting(names: readonly string[], options: ResultQuery['options']): boolean {
  return options?.mayBeStale === true || names.length === 0
}

/** What the collectors of the same models share, whichever rows they read. */
interface CollectorParts {
  readonly context: Omit<CacheContext<StoredResult, ResultId>, 'coherence'>
  /** Undefined if results do not stay in memory. */
  readonly memory: { readonly l1: L1Results; readonly ttlMs: number } | undefined
}

/**
 * Delivers results. Prisma waits for a query however long it takes. So the callers of a query that is past its deadline wait for it
 * together: it runs on without a permit, and each gets a copy of the result, which is not stored.
 */
class ResultDelivery extends Delivery<StoredResult, ResultId> {
  override fail(read: Read<StoredResult, ResultId>, error: unknown): void {
    const { loading } = read.id
    if (!loading || !hasCode(error, 'E_LOAD_TIMEOUT')) return super.fail(read, error)
    loading.then(
      (result) => this.deliverLoaded(read, result, false),
      (failed: unknown) => super.fail(read, failed),
    )
  }
}

function collectWith({ context: parts, memory }: CollectorParts, coherence: ResultCoherence): Collected {
  const context = { ...parts, coherence }
  const { fingerprint } = parts.model.codec
  const l1 = memory?.l1.of(coherence.clock, { fingerprint, ttlMs: memory.ttlMs })
  const path = new ReadPath(context, l1, new Filler(context), () => new ResultDelivery(context))
  return { context, reads: new ReadCollector(context, path) }
}

interface SortedModels {
  readonly names: readonly string[]
  readonly text: string
}

interface ScopedValue {
  readonly scope: ResultScope
  readonly value: unknown
}

/** Values of fields, by texts that name them. */
type ScopedValues = ReadonlyMap<string, ScopedValue>

/** The values of fields whose rows a query reads, by model. */
type ReadScopes = ReadonlyMap<string, ScopedValues>

const namesOf = (values: ScopedValues): readonly string[] => [...values.keys()]

function withIds(keys: KeySpace<StoredResult, string>): KeySpace<StoredResult, ResultId> {
  return { ...keys, toRowId: ({ digest }) => keys.toRowId(digest), snapshot: (id) => id }
}
