import type { AnsweringCache, ReadCaches } from '../../read-caches.js'
import type { Relation } from '../../schema-facts.js'
import { type CachedOptions, cachedOptionsOf, type ExtensionList, isUncached } from '../client-extensions.js'
import { omittedFieldsOf } from '../internals.js'
import type { QueryOutcome } from './read-outcome.js'
import type { ReadSettings } from './read-options.js'
import type { ReadableCache, ReadModels } from './readable-cache.js'
import { Selections } from './selections.js'

/** The caches that may answer queries, by model. */
export class AnsweredModels {
  readonly #client: object
  readonly #caches: ReadCaches
  readonly #names: ReadSettings['names']
  readonly #facts: ReadModels
  readonly #models = new Map<string, AnsweredModel>()
  readonly #extensions = new WeakMap<ExtensionList, ClientExtensions>()
  readonly #relations = new Map<string, ReadonlyMap<string, Relation | undefined>>()
  #version = -1
  /** The version of the models, as the database has described them. */
  #described = 0

  /** @param names of the caches that answer, by model; undefined for all caches */
  constructor(client: object, caches: ReadCaches, names: ReadSettings['names'], facts: ReadModels) {
    this.#client = client
    this.#caches = caches
    this.#names = names
    this.#facts = facts
    for (const model of names?.keys() ?? []) this.#models.set(model, new AnsweredModel())
  }

  /** Grows with each cache that comes or goes, and when the database has said more of its columns. */
  get version(): number {
    return this.#caches.version + this.#facts.version
  }

  /** Whether all caches may answer. */
  get areAll(): boolean {
    return this.#names === undefined
  }

  /** Returns undefined for a model whose queries are never answered. */
  of(model: string): AnsweredModel | undefined {
    this.#update()
    return this.#models.get(model)
  }

  /** The relations of a model by field; undefined for one whose rows no key leads to. */
  relationsOf(model: string): ReadonlyMap<string, Relation | undefined> {
    let known = this.#relations.get(model)
    if (!known) this.#relations.set(model, (known = this.#facts.relationsOf(model)))
    return known
  }

  /** The models whose caches may answer, by name. */
  all(): ReadonlyMap<string, AnsweredModel> {
    this.#update()
    return this.#models
  }

  /** The models that have caches which answer. */
  answered(): readonly string[] {
    this.#update()
    return [...this.#models].filter(([, { caches }]) => caches.length > 0).map(([model]) => model)
  }

  /** What the extensions of a client mean for its queries. */
  extensionsOf(list: ExtensionList): ClientExtensions {
    let known = this.#extensions.get(list)
    if (!known) {
      const selectionsOf = (model: string): Selections =>
        new Selections({
          scalars: this.#facts.scalarsOf(model),
          relations: this.#facts.relationNamesOf(model),
          computed: list.getAllComputedFields(model),
          omitted: omittedFieldsOf(this.#client, model),
        })
      this.#extensions.set(list, (known = new ClientExtensions(list, selectionsOf)))
    }
    return known
  }

  #update(): void {
    const { version } = this
    if (version === this.#version) return
    this.#version = version
    const caches = this.#caches
    const isDescribed = this.#facts.version !== this.#described
    this.#described = this.#facts.version
    if (isDescribed) this.#relations.clear()
    const existing = new Set(isDescribed ? [] : caches.all())
    for (const known of this.#models.values()) known.retain(existing)
    for (const cache of caches.all()) {
      const { model } = cache
      if (this.#names && !this.#names.get(model)?.has(cache.name)) continue
      let known = this.#models.get(model)
      if (!known) this.#models.set(model, (known = new AnsweredModel()))
      known.set(cache, this.#facts.readable(cache))
    }
  }
}

/** The caches of one model. */
export class AnsweredModel {
  /** The caches that can answer, the ones with the most fields first. */
  caches: readonly ReadableCache[] = []
  /** Queries that caches have answered, or were compared in shadow mode. */
  answered = 0
  /** All caches of the model; undefined for one that cannot answer. */
  readonly #known = new Map<AnsweringCache, ReadableCache | undefined>()
  /** Counts queries that no cache answers. */
  #counting: AnsweringCache | undefined
  /** Queries while there was no cache to count them. */
  #early = 0

  set(cache: AnsweringCache, readable: ReadableCache | undefined): void {
    if (this.#known.has(cache)) return
    this.#known.set(cache, readable)
    this.#sort()
    if (this.#early > 0) this.#counting!.countRead('not_registered', this.#early)
    this.#early = 0
  }

  /** Removes caches that have ended. */
  retain(existing: ReadonlySet<AnsweringCache>): void {
    for (const cache of this.#known.keys()) {
      if (!existing.has(cache)) this.#known.delete(cache)
    }
    this.#sort()
  }

  #sort(): void {
    this.caches = [...this.#known.values()]
      .filter((known) => known !== undefined)
      .toSorted((one, other) => other.fields.size - one.fields.size)
    const [any] = this.#known.keys()
    this.#counting = this.caches[0]?.cache ?? any
  }

  /** Counts a query that no cache answers. */
  count(outcome: QueryOutcome): void {
    if (this.#counting) this.#counting.countRead(outcome, 1)
    else this.#early++
  }
}

/** The extensions of a client, as far as they matter to its queries. */
export class ClientExtensions {
  readonly isUncached: boolean
  /** How results answer its queries, of a client that `cached` has made. */
  readonly cached: CachedOptions | undefined
  /** Whether an extension replaces how queries are sent, as that of Accelerate does. */
  readonly replacesSending: boolean
  readonly #selectionsOf: (model: string) => Selections
  readonly #selections = new Map<string, Selections>()

  constructor(list: ExtensionList, selectionsOf: (model: string) => Selections) {
    this.isUncached = isUncached(list)
    this.cached = cachedOptionsOf(list)
    this.replacesSending = list.getAllBatchQueryCallbacks().length > 0
    this.#selectionsOf = selectionsOf
  }

  selectionsOf(model: string): Selections {
    let known = this.#selections.get(model)
    if (!known) this.#selections.set(model, (known = this.#selectionsOf(model)))
    return known
  }
}
