import type { RowId } from './row-id.js'
import type { ModelWrites } from './model-writes.js'

/** A cache as writers see it, for one model whose writes concern it. */
export interface WrittenCache {
  /** The Prisma model; undefined for every model. */
  readonly model: string | undefined
  /** What {@link rowIdOf} needs of a row; empty where each write counts as one of all rows. */
  readonly idFields: readonly string[]
  /** What a row, or an object of its id fields, is known by. @throws InvalidIdError */
  readonly rowIdOf: (row: Readonly<Record<string, unknown>>) => RowId
  /** The same for all entries of the catalogue that differ in nothing but the fingerprint. */
  readonly layout: string
  readonly writes: ModelWrites
  /** Called with a fixed word when the rows of a write are unknown. */
  readonly onAllWritten: (reason: string) => void
}
