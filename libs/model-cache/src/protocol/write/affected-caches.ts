import type { WatchedLookup } from '../../source/write-coordinator.js'
import { type AffectedCache, affectedCache, type WrittenCache } from './affected-cache.js'
import type { WriterSchema } from '../../source/tables.js'

/** The existing caches, of this process and of others. */
interface ExistingCaches {
  /** All existing caches: the same array until they change. */
  readonly all: readonly WrittenCache[]
  /**
   * Checks whether there are others.
   *
   * @returns in available mode, the namespace if its store did not answer
   * @throws FenceError in strict mode if the store does not answer
   */
  ask(): Promise<UnansweredNamespace | undefined>
}

/** A namespace of which nobody knows whether it has other caches. */
export interface UnansweredNamespace {
  /** Call it after the write: empties the caches that the write did not know, as soon as the store answers. It may have affected their rows. */
  catchUp(write: EndedWrite): void
}

/** A write that did not learn of all caches. */
export interface EndedWrite {
  /** The caches that it knew. */
  readonly known: ReadonlySet<WrittenCache>
  /** The models that it wrote, as their schema names them. */
  readonly models: ReadonlySet<string>
  readonly end: 'known' | 'unknown'
}

/** The existing caches, as a writer sees them whose models and fields have names of their own. */
export interface WriterCaches extends ExistingCaches {
  /** The tables of the writer; others once more is known of them. Undefined if models and fields are compared by name. */
  readonly tables: WriterSchema['models'] | undefined
  /** Returns the caches that writes to a model affect. */
  of(model: string): readonly AffectedCache[]
}

/** What writes to one model affect. */
export interface AffectedByModel {
  readonly caches: readonly AffectedCache[]
  readonly idFields: readonly (readonly string[])[]
  readonly lookups: readonly WatchedLookup[]
}

/** The caches that writes to each model of a schema affect, worked out once for each list of caches. */
export class AffectedCaches implements WriterCaches {
  readonly #existing: () => ExistingCaches | undefined
  readonly #schema: WriterSchema | undefined
  #derivedFrom: readonly WrittenCache[] = []
  #comparedBy: WriterSchema['models'] | undefined
  #byModel = new Map<string, AffectedByModel>()

  /**
   * @param existing returns those at each moment; undefined while there are none
   * @param schema that of the writer. Without it models and fields are compared by name: they are those of the caches
   */
  constructor(existing: () => ExistingCaches | undefined, schema?: WriterSchema) {
    this.#existing = existing
    this.#schema = schema
  }

  get all(): readonly WrittenCache[] {
    return this.#existing()?.all ?? none
  }

  get tables(): WriterSchema['models'] | undefined {
    return this.#schema?.models
  }

  ask(): Promise<UnansweredNamespace | undefined> {
    return this.#existing()?.ask() ?? answered
  }

  of(model: string): readonly AffectedCache[] {
    return this.by(model).caches
  }

  by(model: string): AffectedByModel {
    const { all, tables } = this
    if (all !== this.#derivedFrom || tables !== this.#comparedBy) {
      this.#derivedFrom = all
      this.#comparedBy = tables
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

const none: readonly never[] = []
const answered = Promise.resolve(undefined)
