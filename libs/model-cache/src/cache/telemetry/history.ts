import { LRUCache } from 'lru-cache'
import type { RowId } from '../../consistency/row-id.js'
import type { MissReason } from './observer.js'

/** The last events of a row in this process. Times are those of `performance.now()`. */
export interface RowHistory {
  readonly miss?: { readonly reason: MissReason; readonly atMs: number }
  /** A fence, a release or an invalidation. */
  readonly write?: { readonly atMs: number; readonly by: Writer }
}

/** By whom a process hears of a write: itself, a message of another process, or the follower of the database's log. */
export type Writer = 'this process' | 'another process' | 'log'

/** Rows whose events are remembered, at most. */
const maxRows = 1_000

/** Remembers why rows were missed and when they were written, for `explain`. */
export class History {
  readonly #rows = new LRUCache<RowId, RowHistory>({ max: maxRows })

  of(rowId: RowId): RowHistory {
    return this.#rows.peek(rowId) ?? {}
  }

  missed(rowId: RowId, reason: MissReason): void {
    this.#rows.set(rowId, { ...this.#rows.peek(rowId), miss: { reason, atMs: performance.now() } })
  }

  written(rowIds: readonly RowId[], by: Writer): void {
    const write = { atMs: performance.now(), by }
    for (const rowId of rowIds.slice(-maxRows)) this.#rows.set(rowId, { ...this.#rows.peek(rowId), write })
  }
}
