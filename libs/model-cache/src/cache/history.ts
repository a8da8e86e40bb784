import { LRUCache } from 'lru-cache'
import type { RowId } from '../consistency/row-id.js'
import type { MissReason } from './observer.js'

/** What happened to a row in this process, at last. Moments are those of `performance.now()`. */
export interface RowHistory {
  readonly miss?: { readonly reason: MissReason; readonly atMs: number }
  /** Fenced, settled or invalidated, here or elsewhere. */
  readonly write?: { readonly atMs: number }
}

/** Rows whose last events are remembered. */
const maxRows = 1_000

/** Remembers why rows were missed and when they were written, for who asks for an explanation. */
export class History {
  readonly #rows = new LRUCache<RowId, RowHistory>({ max: maxRows })

  of(rowId: RowId): RowHistory {
    return this.#rows.peek(rowId) ?? {}
  }

  missed(rowId: RowId, reason: MissReason): void {
    this.#rows.set(rowId, { ...this.#rows.peek(rowId), miss: { reason, atMs: performance.now() } })
  }

  written(rowIds: readonly RowId[]): void {
    const write = { atMs: performance.now() }
    for (const rowId of rowIds.slice(-maxRows)) this.#rows.set(rowId, { ...this.#rows.peek(rowId), write })
  }
}
