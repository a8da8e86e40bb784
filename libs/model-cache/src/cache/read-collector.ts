import type { RowId } from '../consistency/row-id.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { ModelObserver } from './observer.js'
import { addWaiter, newBatch, newRead, type Read, type ReadBatch } from './read.js'
import type { InvalidationClock } from './invalidation-clock.js'
import type { Tick } from './tick.js'
import { CopyCrowd, nobody, RowsWaiter, SharingCrowd, type Crowd, type Waiter } from './waiters.js'

export interface ReadCollectorParts<Row, Id> {
  readonly keys: KeySpace<Row, Id>
  readonly tick: Tick
  readonly clock: InvalidationClock
  /** Whether all callers get one row. */
  readonly sharesRows: boolean
  readonly observer: ModelObserver
  /** Told the reads of a tick when it is over, each of another row. */
  readonly onTick: (reads: readonly Read<Row, Id>[]) => void
}

/** Collects what is asked for in one tick, by anybody: each distinct row is one read, whoever waits for it. */
export class ReadCollector<Row, Id> {
  readonly #parts: ReadCollectorParts<Row, Id>
  readonly #newCrowd: () => Crowd<Row>
  #asked = new Map<RowId, Read<Row, Id>>()
  #batch: ReadBatch = newBatch()
  #joined = 0

  constructor(parts: ReadCollectorParts<Row, Id>) {
    this.#parts = parts
    this.#newCrowd = parts.sharesRows ? () => new SharingCrowd() : () => new CopyCrowd()
  }

  get isEmpty(): boolean {
    return this.#asked.size === 0
  }

  /** Rejects with InvalidIdError, and with what the read fails with. */
  get(id: Id): Promise<Row | null> {
    let read: Read<Row, Id>
    try {
      read = this.#readOf(id)
    } catch (error) {
      return Promise.reject(error as Error)
    }
    if (read.waiter !== nobody) return this.#join(read)
    const waiter = Promise.withResolvers<Row | null>()
    read.waiter = waiter
    return waiter.promise
  }

  /** Rejects with the first error; the other rows are read all the same. */
  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    const { promise, ...waiter } = Promise.withResolvers<(Row | null)[]>()
    const rows = new RowsWaiter<Row>(ids.length, waiter)
    ids.forEach((id, i) => this.#wait(id, rows.at(i)))
    return promise
  }

  /**
   * The read of an id in this tick, which begins if there is none.
   *
   * @throws InvalidIdError
   */
  #readOf(id: Id): Read<Row, Id> {
    // Most often an id is its own rowId, and who asks for one that is asked for already needs no more than this.
    const asked = this.#asked.get(id as RowId)
    if (asked) return asked
    const { keys, clock, tick } = this.#parts
    const rowId = keys.toRowId(id)
    if (rowId !== id) {
      const known = this.#asked.get(rowId)
      if (known) return known
    }
    if (this.#asked.size === 0) {
      this.#batch = newBatch()
      tick.schedule(this.#endTick)
    }
    this.#batch.ids++
    this.#batch.unanswered++
    const read = newRead<Row, Id>(keys.snapshot(id), rowId, clock.now(), this.#batch)
    this.#asked.set(rowId, read)
    return read
  }

  #join(read: Read<Row, Id>): Promise<Row | null> {
    this.#joined++
    let { crowd } = read
    if (!crowd || crowd.isFull) read.crowd = crowd = this.#newCrowd()
    addWaiter(read, crowd)
    return crowd.join()
  }

  #wait(id: Id, waiter: Waiter<Row>): void {
    try {
      const read = this.#readOf(id)
      if (read.waiter !== nobody) this.#joined++
      addWaiter(read, waiter)
    } catch (error) {
      waiter.reject(error)
    }
  }

  readonly #endTick = (): void => {
    const reads = [...this.#asked.values()]
    this.#asked = new Map()
    const { observer, onTick } = this.#parts
    observer.batchKeys(reads.length)
    if (this.#joined > 0) observer.reads('tick', 'coalesced', this.#joined)
    this.#joined = 0
    onTick(reads)
  }
}
