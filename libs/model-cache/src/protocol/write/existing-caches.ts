import type { AffectedCache } from './affected-cache.js'
import type { WrittenCache } from './written-cache.js'

/** The existing caches, of this process and of others. */
export interface ExistingCaches {
  /** The same list until it changes. */
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
  /** Returns the caches that writes to a model affect. */
  of(model: string): readonly AffectedCache[]
}
