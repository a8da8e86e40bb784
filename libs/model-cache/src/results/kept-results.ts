import { noPressure, type Pressure, Slicer } from '@model-cache/event-loop/internal'
import { observerOf } from '../cache/create-telemetry.js'
import type { WriteSide } from '../cache/create-write-side.js'
import type { FollowState } from '../cache/gap.js'
import { waitToClose, InFlight } from '../cache/in-flight.js'
import { examine } from '../cache/inspection/explanation.js'
import { createLoadPermits, type LoadPermits } from '../cache/load/load-permits.js'
import { isPastDeadline } from '../cache/load/source-call.js'
import { cacheSettings, type CacheSettingsOptions } from '../cache/policy/cache-settings.js'
import { Tick } from '../cache/read/tick.js'
import { modelOfRegister } from '../cache/results/register-name.js'
import { type CacheObserver, type ModelObserver, silentObserver } from '../cache/telemetry/observer.js'
import { createFreeForm } from '../codec/free-form.js'
import { RecordForms } from '../codec/record-forms.js'
import {
  type AtRest,
  type ModelCacheWrites,
  type NamespaceCaches,
  type NamespaceDatabase,
  shieldLog,
  type Store,
} from '../protocol/index.js'
import type { KeptResult, ModelResultOptions, QueryResults, ResultQuery } from '../source/query-results.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { keptModelOf } from './kept-model.js'
import { type Collected, ResultCollectors } from './result-collectors.js'
import { type ResultId, ResultLoader } from './result-loader.js'
import { resultDigestOf } from './result-prints.js'
import { type ResultParts, ResultRegisters, tagRegisters } from './result-registers.js'

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
  readonly #isFrom: NonNullable<KeptResultsOptions['isFrom']>
  readonly #parts: ResultParts
  readonly #registers: ResultRegisters
  readonly #loader: ResultLoader
  readonly #collectors: ResultCollectors
  #isEnding = false

  constructor(options: KeptResultsOptions) {
    const { atRest, database, facts, observer = silentObserver, store, watchLoad, writes } = options
    const log = shieldLog(options)
    const ofModel = (model: string): ModelObserver => observerOf(observer, log, model, 'results')
    const free = createFreeForm(facts.Decimal as never)
    this.#isFrom = options.isFrom ?? (() => true)
    this.#parts = {
      facts,
      models: new Map(Array.from(options.models, ([name, kept]) => [name, keptModelOf(name, kept, ofModel)])),
      forms: { free, records: new RecordForms(free) },
      store,
      atRest,
      settings: cacheSettings(options),
      writes,
      database,
      watchLoad,
      runtime: {
        tick: options.tick ?? new Tick(),
        slicer: options.slicer ?? new Slicer(),
        pressure: options.pressure ?? noPressure,
        inFlight: new InFlight(),
        permits: (options.loads ?? createLoadPermits()).ofCache(),
      },
      log,
      observerOf: ofModel,
      followOf: options.followOf ?? (() => undefined),
    }
    // Writes of this process end what others keep, also while it keeps nothing itself.
    this.#namespaceCaches()
    this.#registers = new ResultRegisters(this.#parts)
    for (const [name, { by }] of this.#parts.models) {
      this.#registers.of(name)
      for (const field of by) this.#registers.addScope(name, field)
    }
    this.#loader = new ResultLoader(this.#parts)
    this.#collectors = new ResultCollectors(this.#parts, this.#registers, this.#loader)
  }

  isFrom(client: object): boolean {
    return this.#isFrom(client)
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

  explain(query: ResultQuery): Promise<KeptResult> | undefined {
    const collected = this.#collectors.of(query)
    return collected && explain(collected, query)
  }

  comparedOf(query: ResultQuery): ReturnType<QueryResults['comparedOf']> {
    if (this.#isEnding || !this.#collectors.of(query)) return undefined
    const { model } = query
    const { name } = this.#registers.of(model)
    const observer = this.#parts.observerOf(model)
    return { name, countShadow: (outcome) => observer.prismaShadow(outcome), warn: this.#parts.log.warn }
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
    const scope = this.#parts.writes.current()
    if (scope) for (const { fences } of registers) scope.fences.markAllWritten(fences, 'all')
    if (scope && this.isFrom(scope.client)) return
    await Promise.all(registers.map(({ fences }) => fences.releaseAll('', 'all')))
    await Promise.all(registers.map(({ fences }) => fences.settled()))
  }

  #namespaceCaches(): NamespaceCaches {
    const { log, settings, store, writes } = this.#parts
    const { consistency, namespace } = settings
    return writes.cachesIn({ store, namespace, consistency, ...log })
  }

  /** Lists all models in the catalogue, which the first read does otherwise. Never rejects. */
  async join(): Promise<void> {
    await Promise.all(this.#registers.all().map(({ register }) => register.join()))
  }

  /** Resolves when the reads and fills in flight have ended. */
  async drain(): Promise<void> {
    for (const _ of ['this turn', 'the next']) await new Promise(setImmediate)
    await this.#parts.runtime.inFlight.drained()
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
