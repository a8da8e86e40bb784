import type { MissReason } from 'model-cache/internal'
import type { CacheName, ProcessesReport } from './report.js'

/* What the JSON API says of single rows and entries; see report.ts. */

/** A value as text, and whether the text was cut. */
export type ShownValue =
  | { readonly kind: 'text'; readonly type: string; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'masked'; readonly type: string }
  | { readonly kind: 'absent' }

/** What a process knows of a row or an entry beside what the store has. */
export interface ProcessKnowledge {
  readonly process: string
  readonly host: string
  readonly pid: number
  readonly l1: { readonly isHeld: boolean; readonly isTrusted: boolean } | null
  readonly isInvalidationPending: boolean
  readonly lastMiss: { readonly at: string; readonly reason: MissReason } | null
  readonly lastWrite: {
    readonly at: string
    /** `this process`, `another process`, or `log`: the follower, which read it in the log of the database. */
    readonly by: string
    /** The ids of rows that the same write has changed, as text: the first ten. */
    readonly rows: readonly string[]
    /** How many rows the same write has changed. */
    readonly rowCount: number
  } | null
  /** When the process last wrote rows that it could not name: `all` of the model, or, for an entry, rows `created` with unknown keys. */
  readonly lastUnknownWrite: { readonly at: string; readonly what: 'all' | 'created' } | null
}

/** What the store has of a row or an entry, and whether a read would use it. */
export type StoredReport =
  | { readonly isHit: true; readonly storedAt: string; readonly expiresAt: string; readonly bytes: number }
  | { readonly isHit: false; readonly reason: MissReason }

/** `GET row`: a row, layer by layer. */
export interface RowReport {
  readonly at: string
  readonly cache: CacheName
  readonly id: string
  readonly key: string
  readonly epoch: string | null
  readonly mayFill: boolean
  readonly stored:
    | StoredReport
    /** The store did not answer. */
    | { readonly isHit: null; readonly error: string }
  readonly guard: 'none' | 'lease' | 'fences' | 'released' | 'unknown'
  readonly holders: readonly string[]
  readonly processes: readonly ProcessKnowledge[]
  readonly silent: ProcessesReport['silent']
  readonly comparison: RowComparison
}

/**
 * The row in the store beside that of the source. `changed`: a write was under way, so that a difference says nothing.
 */
export interface RowComparison {
  readonly outcome: 'same' | 'different' | 'notStored' | 'changed' | 'failed'
  /** Whether the source has the row; null if it failed. */
  readonly exists: boolean | null
  /** Why the source could not be read. */
  readonly error: string | null
  readonly fields: readonly {
    readonly name: string
    readonly isDifferent: boolean
    readonly stored: ShownValue
    readonly source: ShownValue
  }[]
}

/** `GET entry`: the entry of a lookup, layer by layer. The rows that it names are rows of their own. */
export interface EntryReport extends Omit<RowReport, 'id' | 'comparison'> {
  readonly lookup: string
  /** As given. */
  readonly lookupKey: string
  /** The ids of the rows that the entry names, as text; null if there is no usable one. */
  readonly ids: readonly string[] | null
  readonly comparison: EntryComparisonReport
}

/**
 * The entry in the store beside that of the source. `changed`: a write was under way, so that a difference says nothing. `outdated`: a read
 * would load the entry again, because a row of it, as the read gets it, does not belong to it or has moved.
 */
export interface EntryComparisonReport {
  readonly outcome: RowComparison['outcome'] | 'outdated'
  /** Why the source could not be read. */
  readonly error: string | null
  /** How many rows the stored entry names; null if a read would not use it. */
  readonly storedRows: number | null
  /** How many rows the source has; null if it failed. */
  readonly sourceRows: number | null
  /** Rows that one of the two names: those that differ first, 100 at most. */
  readonly rows: readonly EntryRow[]
}

/** A row that an entry names. */
export interface EntryRow {
  readonly id: string
  /** The place of the row in the stored entry, from 1; null if it is not in it. */
  readonly storedPlace: number | null
  /** The place of the row in the entry that the source gives. */
  readonly sourcePlace: number | null
  /** What the store has of the row itself. */
  readonly stored: StoredReport
  /** Whether the row, as a read would get it, belongs to the entry. */
  readonly belongs: boolean
  /** The last write to the row that a process remembers. */
  readonly lastWrite: { readonly at: string; readonly by: string; readonly process: string } | null
}
