import type { RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { currentCalls } from '../load/source-call.js'
import { addCallers, addOutsider, addWaiter, newBatch, newRead, type Read, type TickBatch } from './read.js'
import type { ReadPath } from './read-path.js'
import { CopyGroup, nobody, RowsWaiter, SharingGroup, type Waiter, type WaiterGroup } from './waiters.js'

/** Takes the requests of callers outside of transactions. */
export interface RowReads<Row, Id> {
  /** Rejects with InvalidIdError, and with the error of the read. */
  get(id: Id): Promise<Row | null>
  /** Rejects with the first error; the other rows are read nevertheless. */
  getMany(ids: readonly Id[]): Promise<(Row | null)[]>
  /** Whether no read is waiting for the end of its tick. */
  readonly isEmpty: boolean
}

/**
 * Coalesces the requests of one tick: each distinct row is one read, however many callers wait for it. The path answers them at the end
 * of the tick.
 */
export class ReadCollector<Row, Id> implements RowReads<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #path: Pick<ReadPath<Row, Id>, 'answer'>
  readonly #newGroup: () => WaiterGroup<Row>
  #reads = new Map<RowId, Read<Row, Id>>()
  #batch: TickBatch = newBatch()
  #coalesced = 0

  constructor(context: CacheContext<Row, Id>, path: Pick<ReadPath<Row, Id>, 'answer'>) {
    this.#context = context
    this.#path = path
    this.#newGroup = context.policy.sharesRows ? () => new SharingGroup() : () => new CopyGroup()
  }

  get isEmpty(): boolean {
    return this.#reads.size === 0
  }

  get(id: Id): Promise<Row | null> {
    let read: Read<Row, Id>
    try {
      read = this.#request(id)
    } catch (error) {
      return Promise.reject(error as Error)
    }
    if (read.waiter !== nobody) return this.#join(read)
    const waiter = Promise.withResolvers<Row | null>()
    read.waiter = waiter
    return waiter.promise
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    const { promise, ...waiter } = Promise.withResolvers<(Row | null)[]>()
    const rows = new RowsWaiter<Row>(ids.length, waiter)
    // A list with holes has as many ids as it is long.
    for (let i = 0; i < ids.length; i++) this.#wait(ids[i]!, rows.at(i))
    return promise
  }

  /**
   * As {@link #readOf}, noting the call of a source that waits for it.
   *
   * @throws InvalidIdError
   * @throws ModelCacheError (`E_LOAD_TIMEOUT`) if the call has been given up
   */
  #request(id: Id): Read<Row, Id> {
    const calls = currentCalls()
    const read = this.#readOf(id)
    if (calls !== undefined) addCallers(read, calls)
    else addOutsider(read)
    return read
  }

  /**
   * Returns the read of an id in this tick, and begins it if there is none.
   *
   * @throws InvalidIdError
   */
  #readOf(id: Id): Read<Row, Id> {
    const { model, coherence, runtime } = this.#context
    const rowId = model.keys.toRowId(id)
    const requested = this.#reads.get(rowId)
    if (requested) return requested
    if (this.#reads.size === 0) {
      this.#batch = newBatch()
      runtime.tick.schedule(this.#endTick)
    }
    this.#batch.ids++
    this.#batch.undelivered++
    const read = newRead<Row, Id>(model.keys.snapshot(id), rowId, coherence.clock.now(), this.#batch)
    this.#reads.set(rowId, read)
    return read
  }

  #join(read: Read<Row, Id>): Promise<Row | null> {
    this.#coalesced++
    let { group } = read
    if (!group || group.isFull) read.group = group = this.#newGroup()
    addWaiter(read, group)
    return group.join()
  }

  #wait(id: Id, waiter: Waiter<Row>): void {
    try {
      const read = this.#request(id)
      if (read.waiter !== nobody) this.#coalesced++
      addWaiter(read, waiter)
    } catch (error) {
      waiter.reject(error)
    }
  }

  readonly #endTick = (): void => {
    const reads = [...this.#reads.values()]
    this.#reads = new Map()
    const { runtime, telemetry } = this.#context
    telemetry.observer.batchKeys(reads.length)
    if (this.#coalesced > 0) telemetry.observer.reads('tick', 'coalesced', this.#coalesced)
    this.#coalesced = 0
    void runtime.inFlight.track(this.#path.answer(reads))
  }
}
