import type { Identity } from './identity.js'
import type { ModelWrites } from './model-writes.js'

/** A cache as writers see it, for one model whose writes concern it. */
export interface WrittenCache {
  /** The Prisma model; undefined for every model. */
  readonly model: string | undefined
  /** What {@link identityOf} needs of a row; empty where each write counts as one of all rows. */
  readonly idFields: readonly string[]
  /** What a row, or an object of its id fields, is known by. @throws InvalidIdError */
  readonly identityOf: (row: Readonly<Record<string, unknown>>) => Identity
  /** The same for all entries of the catalogue that differ in nothing but the fingerprint. */
  readonly layout: string
  readonly writes: ModelWrites
  /** Called with a fixed word when the rows of a write are unknown. */
  readonly onAllTouched: (reason: string) => void
}
