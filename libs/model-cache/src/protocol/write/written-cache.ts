import type { CacheDescription, DescribedCache } from '../registry/cache-description.js'
import type { RowFences } from './row-fences.js'
import type { RowId } from '../format/row-id.js'

/** A cache whose rows writes fence. */
export interface FencedCache {
  readonly fences: RowFences
  /** Called with the reason, a metric label, when the rows of a write are unknown. */
  readonly onAllWritten: (reason: string) => void
}

/** A cache as writers see it. */
export interface WrittenCache extends FencedCache {
  /** What writes affect it; undefined if all do. */
  readonly affectedBy: DescribedCache['affectedBy']
  /** Undefined for a cache whose rows cannot be identified: then each write counts as one to all of them. */
  readonly description: CacheDescription | undefined
  /** The row id of a row, or of an object with its id fields. @throws InvalidIdError */
  readonly rowIdOf: (row: Readonly<Record<string, unknown>>) => RowId
  /** Equal for all entries of the catalogue that differ in nothing but the fingerprint. */
  readonly layout: string
}
