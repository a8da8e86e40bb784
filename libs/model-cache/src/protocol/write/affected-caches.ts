import type { WatchedLookup } from '../../source/write-coordinator.js'
import { type AffectedCache, affectedCache } from './affected-cache.js'
import type { ExistingCaches, UnansweredNamespace, WriterCaches } from './existing-caches.js'
import type { WriterSchema } from '../../source/tables.js'
import type { WrittenCache } from './written-cache.js'

/** What writes to one model affect. */
export interface AffectedByModel {
  readonly caches: readonly AffectedCache[]
  readonly idFields: readonly (readonly string[])[]
  readonly lookups: readonly WatchedLookup[]
}

/** The caches that writes to each model of a schema affect, worked out once for each list of caches. */
export class AffectedCaches implements WriterCaches {
  readonly #existing: ExistingCaches
  readonly #schema: WriterSchema | undefined
  #derivedFrom: readonly WrittenCache[] = []
  #comparedBy: WriterSchema['models'] | undefined
  #byModel = new Map<string, AffectedByModel>()

  /** @param schema that of the writer. Without it models and fields are compared by name: they are those of the caches */
  constructor(existing: ExistingCaches, schema?: WriterSchema) {
    this.#existing = existing
    this.#schema = schema
  }

  get all(): readonly WrittenCache[] {
    return this.#existing.all
  }

  ask(): Promise<UnansweredNamespace | undefined> {
    return this.#existing.ask()
  }

  of(model: string): readonly AffectedCache[] {
    return this.by(model).caches
  }

  by(model: string): AffectedByModel {
    const { all } = this.#existing
    const models = this.#schema?.models
    if (all !== this.#derivedFrom || models !== this.#comparedBy) {
      this.#derivedFrom = all
      this.#comparedBy = models
      this.#byModel = new Map()
    }
    let affected = this.#byModel.get(model)
    if (!affected) this.#byModel.set(model, (affected = this.#derive(model)))
    return affected
  }

  #derive(model: string): AffectedByModel {
    const caches = this.#derivedFrom.flatMap((cache) => affectedCache(cache, model, this.#schema) ?? [])
    return {
      caches,
      idFields: caches.map(({ idFields }) => idFields),
      lookups: caches.flatMap(({ lookups }) =>
        lookups.map(({ fields, key, through }) => ({ key, fields, through })),
      ),
    }
  }
}
