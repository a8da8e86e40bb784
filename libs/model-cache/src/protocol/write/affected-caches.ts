import type { WatchedLookup } from '../../source/write-coordinator.js'
import { type AffectedCache, affectedCache } from './affected-cache.js'
import type { WriterSchema } from '../../source/tables.js'
import type { WrittenCache } from './written-cache.js'

/** What writes to one model affect. */
export interface AffectedByModel {
  readonly caches: readonly AffectedCache[]
  readonly idFields: readonly (readonly string[])[]
  readonly lookups: readonly WatchedLookup[]
}

/** The caches that writes to each model of a schema affect, worked out once for each list of caches. */
export class AffectedCaches {
  readonly #all: () => readonly WrittenCache[]
  readonly #schema: WriterSchema | undefined
  #derivedFrom: readonly WrittenCache[] = []
  #byModel = new Map<string, AffectedByModel>()

  /**
   * @param all the existing caches: the same list until it changes
   * @param schema that of the writer. Without it models and fields are compared by name
   */
  constructor(all: () => readonly WrittenCache[], schema?: WriterSchema) {
    this.#all = all
    this.#schema = schema
  }

  by(model: string): AffectedByModel {
    const all = this.#all()
    if (all !== this.#derivedFrom) {
      this.#derivedFrom = all
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
