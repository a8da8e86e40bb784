import type { CacheContext } from '../context.js'
import type { L1 } from './l1.js'
import type { RowReads } from './read-collector.js'

/** Requests of more rows are answered in time slices. */
const maxAtOnce = 250

/**
 * Rows, or lists of them, that are answered at once in one event-loop turn: some milliseconds. A caller that awaits one after another
 * would otherwise keep timers and messages of writes waiting for as long as L1 has them.
 */
export const maxPerTurn = 10_000

/**
 * Answers requests for shared rows at once if L1 has them: a frozen row needs neither a copy nor a time slice. All other requests wait
 * for the end of their tick, with the collector.
 */
export class L1Reads<Row, Id> implements RowReads<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #l1: L1<Row>
  readonly #collector: RowReads<Row, Id>
  /** Answered in this turn. */
  #hits = 0

  constructor(context: CacheContext<Row, Id>, l1: L1<Row>, collector: RowReads<Row, Id>) {
    this.#context = context
    this.#l1 = l1
    this.#collector = collector
  }

  get isEmpty(): boolean {
    return this.#collector.isEmpty
  }

  get(id: Id): Promise<Row | null> {
    const row = this.#isUsable() ? this.#rowOf(id) : undefined
    if (row === undefined) return this.#collector.get(id)
    this.#count(1)
    return Promise.resolve(row)
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    if (ids.length > maxAtOnce || !this.#isUsable()) return this.#collector.getMany(ids)
    const rows: (Row | null)[] = []
    for (const id of ids) {
      const row = this.#rowOf(id)
      if (row === undefined) return this.#collector.getMany(ids)
      rows.push(row)
    }
    this.#count(rows.length)
    return Promise.resolve(rows)
  }

  /** Whether L1 is to be trusted, and the turn not used up. */
  #isUsable(): boolean {
    return this.#hits < maxPerTurn && this.#context.coherence.backplane?.isUp !== false
  }

  /** Returns the row that L1 holds; undefined if it has no entry, or the id is invalid. */
  #rowOf(id: Id): Row | null | undefined {
    try {
      return this.#l1.get(this.#context.model.keys.toRowId(id))
    } catch {
      return undefined
    }
  }

  #count(hits: number): void {
    if (this.#hits === 0) setImmediate(this.#observe)
    this.#hits += hits
  }

  readonly #observe = (): void => {
    const { observer } = this.#context.telemetry
    observer.reads('l1', 'hit', this.#hits)
    observer.readSeconds(0, this.#hits, 'hit')
    this.#hits = 0
  }
}
