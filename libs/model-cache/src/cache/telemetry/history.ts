import { LRUCache } from 'lru-cache'
import { entryIn, type RegisterScope, type RowId } from '../../protocol/index.js'
import type { MissReason } from './observer.js'

/** The last events of a row in this process. Times are those of `performance.now()`. */
export interface RowHistory {
  readonly miss?: Miss | undefined
  /** A fence, a release or an invalidation. */
  readonly write?: Write | undefined
  /** A write of this process that it could not name the rows of, and that concerns the row. */
  readonly unknownWrite?: UnknownWrite | undefined
}

interface Miss {
  readonly reason: MissReason
  readonly atMs: number
}

interface Write {
  readonly atMs: number
  readonly by: Writer
  /** All rows and entries that the process heard of together. */
  readonly rowIds: readonly RowId[]
}

interface UnknownWrite {
  readonly atMs: number
  readonly scope: RegisterScope
}

/** The last event of a row or an entry. */
export interface RecentEvent {
  readonly rowId: RowId
  readonly atMs: number
  readonly what: 'missed' | 'written'
}

/** Where a process learns of a write: by itself, from a message of another process, or from the follower of the database's log. */
export type Writer = 'this process' | 'another process' | 'log'

/** Rows whose events are remembered, at most. */
const maxRows = 1_000

/** Remembers why rows were missed and when they were written, for `explain`. */
export class History {
  readonly #rows = new LRUCache<RowId, { miss: Miss | undefined; write: Write | undefined }>({ max: maxRows })
  readonly #unknownWrites: { [Scope in RegisterScope]?: UnknownWrite } = {}

  of(rowId: RowId): RowHistory {
    const { all, existence } = this.#unknownWrites
    // What rows hold does not change with others that are created, but which rows there are.
    const isLater = entryIn(rowId) && existence && existence.atMs > (all?.atMs ?? 0)
    return { ...this.#rows.peek(rowId), unknownWrite: isLater ? existence : all }
  }

  /** The last event of each row and entry that is remembered, the newest first. */
  *recent(): Iterable<RecentEvent> {
    for (const [rowId, { miss, write }] of this.#rows.entries()) {
      if (miss && miss.atMs >= (write?.atMs ?? 0)) yield { rowId, atMs: miss.atMs, what: 'missed' }
      else if (write) yield { rowId, atMs: write.atMs, what: 'written' }
    }
  }

  missed(rowId: RowId, reason: MissReason): void {
    const miss = { reason, atMs: performance.now() }
    const known = this.#rows.get(rowId)
    if (known) known.miss = miss
    else this.#rows.set(rowId, { miss, write: undefined })
  }

  written(rowIds: readonly RowId[], by: Writer): void {
    const write = { atMs: performance.now(), by, rowIds }
    for (let i = Math.max(0, rowIds.length - maxRows); i < rowIds.length; i++) {
      const known = this.#rows.get(rowIds[i]!)
      if (known) known.write = write
      else this.#rows.set(rowIds[i]!, { miss: undefined, write })
    }
  }

  writtenUnknown(scope: RegisterScope): void {
    this.#unknownWrites[scope] = { atMs: performance.now(), scope }
  }
}
