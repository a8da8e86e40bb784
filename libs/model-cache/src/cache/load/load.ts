import { guardOf, type RowId } from '../../protocol/index.js'
import type { InvalidationMoment } from '../invalidation-clock.js'
import type { Read, StaleRow } from '../read/read.js'
import type { SourceCall } from './source-call.js'

/** A row that this process may store: where, under which lease, and since when invalidations of it count. */
export interface Leaseholder {
  readonly rowId: RowId
  readonly key: string
  readonly guard: string
  /** The lease; null without one, and the row is not stored. */
  readonly token: string | null
  readonly since: InvalidationMoment
}

/**
 * ```
 * queued ─> leased ─> loading ─> delivered
 *              │          └────> failed
 *              └─> waiting ─> (its read goes back to the store)
 * ```
 */
export type LoadState =
  /** Waits for a permit. Reads of the same row join it. */
  | 'queued'
  /** Takes part in a call of the source, with a lease or without. */
  | 'leased'
  /** The source has been called. */
  | 'loading'
  | 'delivered'
  | 'failed'
  /** Another process loads the row, or has stored it. */
  | 'waiting'

/** A read whose row comes from the source. Only the loader changes it, as an {@link OwnLoad}. */
export interface Load<Row, Id> extends Leaseholder {
  readonly read: Read<Row, Id>
  /** Whether the store has a value, which the row is to replace. */
  readonly replaces: boolean
  /** Served while another process loads the row, or when the source fails. */
  readonly stale: StaleRow<Row> | undefined
  readonly state: LoadState
  /** The call of the source that it takes part in; set when the load leaves the queue. */
  readonly call: SourceCall | undefined
  /** Resolves when the call has ended, and what it loaded has been stored; set with it. */
  readonly ended: Promise<void> | undefined
}

/** A load as the loader changes it. */
export type OwnLoad<Row, Id> = { -readonly [Field in keyof Load<Row, Id>]: Load<Row, Id>[Field] }

/** A load that is not queued yet. Its read has a key. */
export function newLoad<Row, Id>(
  read: Read<Row, Id>,
  replaces = false,
  stale?: StaleRow<Row>,
): Load<Row, Id> {
  const { rowId, key, since } = read
  return {
    read,
    rowId,
    key,
    guard: guardOf(key),
    since,
    replaces,
    stale,
    state: 'queued',
    token: null,
    call: undefined,
    ended: undefined,
  }
}

/** Milliseconds between two reads of a row that another process loads: at first, doubled each time, and at most. */
const firstWaitMs = 5
const longestWaitMs = 50

/** How long a read waits for another process, in milliseconds, after so many waits. */
export function waitMsAfter(waits: number): number {
  return Math.min(firstWaitMs * 2 ** waits, longestWaitMs)
}
