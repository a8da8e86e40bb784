import type { LookupDescription } from './lookup-description.js'
import type { ModelWrites } from './model-writes.js'
import type { RowId } from './row-id.js'

/** A cache as writers see it, for one model whose writes affect it. */
export interface WrittenCache {
  /** The Prisma model; undefined for every model. */
  readonly model: string | undefined
  /** The fields that {@link rowIdOf} needs of a row; empty if each write counts as a write to all rows. */
  readonly idFields: readonly string[]
  /** The row id of a row, or of an object with its id fields. @throws InvalidIdError */
  readonly rowIdOf: (row: Readonly<Record<string, unknown>>) => RowId
  readonly lookups: readonly LookupDescription[]
  /** Equal for all entries of the catalogue that differ in nothing but the fingerprint. */
  readonly layout: string
  readonly writes: ModelWrites
  /** Called with the reason, a metric label, when the rows of a write are unknown. */
  readonly onAllWritten: (reason: string) => void
}
