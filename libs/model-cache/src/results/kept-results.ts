import { noPressure, type Pressure, Slicer } from '@model-cache/event-loop/internal'
import type { Runtime } from '../cache/context.js'
import type { WriteSide } from '../cache/create-write-side.js'
import type { FollowState } from '../cache/gap.js'
import { waitToClose, InFlight } from '../cache/in-flight.js'
import { examine } from '../cache/inspection/explanation.js'
import { createLoadPermits, type LoadPermits } from '../cache/load/load-permits.js'
import { isPastDeadline } from '../cache/load/source-call.js'
import { parseBytes } from '../cache/policy/byte-size.js'
import {
  type CacheSettings,
  cacheSettings,
  type CacheSettingsOptions,
} from '../cache/policy/cache-settings.js'
import { l1OptionsOf, type L1Settings } from '../cache/policy/definition.js'
import { Tick } from '../cache/read/tick.js'
import { L1Results } from '../cache/results/l1-results.js'
import { modelOfRegister } from '../cache/results/register-name.js'
import { createResultCodec, type ResultForms } from '../cache/results/stored-result.js'
import { type CacheObserver, silentObserver } from '../cache/telemetry/observer.js'
import { createFreeForm } from '../codec/free-form.js'
import { RecordForms } from '../codec/record-forms.js'
import {
  type AtRest,
  type ModelCacheWrites,
  type NamespaceCaches,
  type NamespaceDatabase,
  type OperatorLog,
  shieldLog,
  type Store,
} from '../protocol/index.js'
import type { KeptResult, ModelResultOptions, QueryResults, ResultQuery } from '../source/query-results.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { type Collected, ResultCollectors, type ResultMemory } from './result-collectors.js'
import { dayMs, livesOf, type ResultLives } from './result-lives.js'
import { type ResultId, ResultLoader } from './result-loader.js'
import { resultDigestOf } from './result-prints.js'
import { ResultRegisters, tagRegisters } from './result-registers.js'

export interface KeptResultsOptions extends CacheSettingsOptions {
  /** The options of results, by model. A query is answered if all models that it reads are among them. */
  readonly models: ReadonlyMap<string, ModelResultOptions>
  /** The schema facts of the client whose queries are answered. */
  readonly facts: SchemaFacts
  /** Whether a client is that one. @default all clients of `writes` are of one database */
  readonly isFrom?: (client: object) => boolean
  readonly store: Store
  readonly writes: ModelCacheWrites
  /** Encrypts what is stored. It has to be open. @default nothing is encrypted */
  readonly atRest?: AtRest | undefined
  /** The database of the client. @default nothing tells results of another one apart */
  readonly database?: NamespaceDatabase
  /**
   * Returns what tells whether the writes to a model are followed, where its results may not be served otherwise. May throw a
   * ConfigurationError. @default results are served whether anybody follows or not
   */
  readonly followOf?: (model: string) => FollowState | undefined
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
  readonly #runtime: Omit<Runtime, 'notFound'>
  readonly #lives = new Map<string, ResultLives>()
  /** Bytes of results above which they are compressed, by the model of the query. */
  readonly #compressAbove = new Map<string, number>()
  readonly #registers: ResultRegisters
  readonly #loader: ResultLoader
  readonly #collectors: ResultCollectors
  #isEnding = false

  constructor(options: KeptResultsOptions) {
    this.#options = options
    this.#settings = cacheSettings(options)
    this.#log = shieldLog(options)
    // Writes of this process end what others keep, also while it keeps nothing itself.
    this.#namespaceCaches()
    const free = createFreeForm(options.facts.Decimal as never)
    const forms: ResultForms = { free, records: new RecordForms(free) }
    const compressAboveOf = (model: string): number | undefined => this.#compressAbove.get(model)
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
      followOf: options.followOf ?? (() => undefined),
      codecOf: (fingerprint) => createResultCodec(fingerprint, forms),
      compressAboveOf,
      lifeOf: (model) => {
        const { staleForMs = 0, ttlMs = 0 } = this.#lives.get(model) ?? {}
        return Math.max(ttlMs + staleForMs, dayMs)
      },
    })
    const memories = new Map<string, ResultMemory>()
    for (const [name, { by = [], l1 }] of options.models) {
      this.#registers.of(name)
      for (const field of [by].flat()) this.#registers.addScope(name, field)
      if (!l1) continue
      const { ttlMs } = this.#lives.get(name)!
      const parsed = l1OptionsOf(l1 as L1Settings, ttlMs, name, `reads.results.${name}.l1`)
      memories.set(name, {
        l1: new L1Results(parsed, this.#registers.observerOf(name)),
        ttlMs: parsed.ttlMs,
      })
    }
    this.#loader = new ResultLoader(options.facts, forms)
    this.#collectors = new ResultCollectors({
      models: options.models,
      lives: this.#lives,
      facts: options.facts,
      registers: this.#registers,
      loader: this.#loader,
      forms,
      store: options.store,
      atRest: options.atRest,
      compressAboveOf,
      memories,
      database: options.database,
      watchLoad: options.watchLoad,
      settings: this.#settings,
      log: this.#log,
      runtime: this.#runtime,
    })
  }

  isFrom(client: object): boolean {
    return this.#options.isFrom?.(client) ?? true
  }

  answer(query: ResultQuery): Promise<unknown> | undefined {
    // The cache refuses the reads of a load that was given up. Prisma still answers them.
    if (this.#isEnding || isPastDeadline()) return undefined
    const collected = this.#collectors.of(query)
    if (!collected) return undefined
    const { isAnswer, loaded, run, text } = query
    const digest = resultDigestOf(text)
    if (this.#loader.passes(digest)) return undefined
    const id: ResultId = { digest, run, isAnswer, loaded, form: this.#loader.formOf(query) }
    return collected.reads.get(id).then((found) => found!.value)
  }

  keeps(query: ResultQuery): boolean {
    return !this.#isEnding && this.#collectors.of(query) !== undefined
  }

  explain(query: ResultQuery): Promise<KeptResult> | undefined {
    const collected = this.#collectors.of(query)
    return collected && explain(collected, query)
  }

  comparedOf(model: string): ReturnType<QueryResults['comparedOf']> {
    const { name } = this.#registers.of(model)
    const observer = this.#registers.observerOf(model)
    return { name, countShadow: (outcome) => observer.prismaShadow(outcome), warn: this.#log.warn }
  }

  async invalidate(models?: readonly string[]): Promise<void> {
    const caches = this.#namespaceCaches()
    const unanswered = await caches.ask().catch(() => caches)
    if (unanswered) {
      for (const model of models ?? []) this.#registers.of(model)
      // What other processes keep that this one does not know ends once the store answers.
      unanswered.catchUp({ known: new Set(caches.all), models: new Set(models), end: 'known' })
    }
    const ended = caches.all.filter(({ layout }) => {
      const model = modelOfRegister(layout.slice(0, layout.indexOf(':')))
      return model !== undefined && (models?.includes(model) ?? true)
    })
    await this.#endAll(ended)
  }

  async invalidateTags(tags: readonly string[]): Promise<void> {
    await this.#endAll(tagRegisters(tags).flatMap((name) => this.#registers.allOf(name)))
  }

  /**
   * Ends all results of some registers: at once, or with the transaction of the caller, whose writes nobody sees yet. With that of another
   * client both, as it may be one of the same database.
   */
  async #endAll(registers: readonly Pick<WriteSide, 'fences'>[]): Promise<void> {
    const scope = this.#options.writes.current()
    if (scope) for (const { fences } of registers) scope.fences.markAllWritten(fences, 'all')
    if (scope && this.isFrom(scope.client)) return
    await Promise.all(registers.map(({ fences }) => fences.releaseAll('', 'all')))
    await Promise.all(registers.map(({ fences }) => fences.settled()))
  }

  #namespaceCaches(): NamespaceCaches {
    const { store, writes } = this.#options
    const { consistency, namespace } = this.#settings
    return writes.cachesIn({ store, namespace, consistency, ...this.#log })
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

  /**
   * Ends the results with their process, as that of a cache. Queries go to the database from now on; results can be invalidated until the
   * store is closed.
   *
   * @param limitMs how long it waits for queries and fills. @default ten seconds
   */
  async close(limitMs?: number): Promise<void> {
    this.#isEnding = true
    await waitToClose(this.drain(), limitMs)
    const registers = this.#registers.all()
    await Promise.all(registers.flatMap(({ backplane, fences }) => [fences.stop(), backplane?.stop()]))
    await Promise.all(registers.flatMap(({ onClose }) => onClose.map((end) => end())))
  }
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
