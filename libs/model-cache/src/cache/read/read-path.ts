import { hashOf, isLong } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import type { Filler } from '../load/filler.js'
import { newLoad } from '../load/load.js'
import { LoadedRows } from '../load/loaded-rows.js'
import { Loader } from '../load/loader.js'
import type { RowDelivery } from './delivery.js'
import type { RowMemory } from './l1.js'
import { fillEpochsOf, noEpochs, type Read } from './read.js'
import { StoredRows } from './stored-rows.js'

/** Reads whose keys are made in microseconds. */
const fewReads = 16

const hasLongId = ({ rowId }: Read<unknown, unknown>): boolean => isLong(rowId)

/** Answers reads from L1, then from the store, then from the source: those of rows, or of the entries of a lookup. */
export class ReadPath<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #l1: RowMemory<Row> | undefined
  readonly #delivery: RowDelivery<Row>
  readonly #stored: StoredRows<Row, Id>
  readonly #loader: Loader<Row, Id>

  /** @param deliveryOver creates the delivery, over the path by which it may have rows loaded again */
  constructor(
    context: CacheContext<Row, Id>,
    l1: RowMemory<Row> | undefined,
    filler: Filler<Row, Id>,
    deliveryOver: (path: ReadPath<Row, Id>) => RowDelivery<Row>,
  ) {
    const delivery = deliveryOver(this)
    this.#context = context
    this.#l1 = l1
    this.#delivery = delivery
    this.#stored = new StoredRows(context, l1, delivery)
    const readAgain = (reads: readonly Read<Row, Id>[]): Promise<void> => this.#readStore(reads)
    this.#loader = new Loader(context, new LoadedRows(context, { l1, filler, delivery, readAgain }))
  }

  /** Never rejects; each read is delivered or fails by itself. */
  answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    return reads.some(hasLongId) ? this.#answerLong(reads) : this.#answer(reads)
  }

  async #answerLong(reads: readonly Read<Row, Id>[]): Promise<void> {
    const long = reads.filter(hasLongId)
    this.#context.telemetry.observer.misses('long_id', long.length)
    // Their epochs are unknown, so they are loaded without a lease, and not stored.
    const loading = this.#loader.load(long.map((read) => newLoad(read)))
    await Promise.all([loading, this.#answer(reads.filter((read) => !hasLongId(read)))])
  }

  async #answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    const { coherence, runtime, telemetry } = this.#context
    let missed = reads
    if (this.#isL1Usable()) missed = await this.#readL1(this.#l1!, reads)
    else if (reads.length > fewReads) await runtime.slicer.each(reads, this.#setKey, unobserved)
    else reads.forEach(this.#setKey)
    if (coherence.pending.isEmpty) return this.#readStore(missed)
    // The store may still have rows whose invalidation it has not taken.
    const { pending = [], cacheable = [] } = Object.groupBy(missed, ({ rowId }) =>
      coherence.pending.has(rowId) ? 'pending' : 'cacheable',
    )
    if (pending.length > 0) telemetry.observer.misses('pending_invalidation', pending.length)
    for (const { rowId } of pending) telemetry.history.missed(rowId, 'pending_invalidation')
    await Promise.all([this.#readStore(cacheable), this.#loader.load(pending.map((read) => newLoad(read)))])
  }

  async #readStore(reads: readonly Read<Row, Id>[]): Promise<void> {
    if (reads.length === 0) return
    const { missed, outdated } = await this.#stored.read(reads)
    // Misses need not wait until all hits of the tick are decoded.
    const loading = this.#loader.load(missed.map((read) => newLoad(read)))
    if (outdated) await this.#loader.load(await outdated)
    await loading
  }

  /**
   * Loads rows again whose value was found outdated after it had been read. Never rejects.
   *
   * @param mayStore whether the rows may be stored; otherwise the source answers, whatever other processes do
   */
  async reload(reads: readonly Read<Row, Id>[], mayStore: boolean): Promise<void> {
    // What is stored carries the epochs that were read before its load.
    const epochs = mayStore
      ? await this.#context.coherence.register.read().then(fillEpochsOf, () => noEpochs)
      : noEpochs
    for (const read of reads) read.epochs = epochs
    await this.#loader.load(reads.map((read) => newLoad(read, true)))
  }

  /** Whether L1 may answer: not while writes of other processes are not heard. */
  #isL1Usable(): boolean {
    if (!this.#l1) return false
    const { backplane } = this.#context.coherence
    backplane?.start()
    return backplane?.isUp !== false
  }

  readonly #setKey = (read: Read<Row, Id>): void => {
    read.key = this.#context.model.keys.keyOf(read.rowId)
  }

  /** @returns the reads that L1 has no row for, with their keys */
  async #readL1(l1: RowMemory<Row>, reads: readonly Read<Row, Id>[]): Promise<readonly Read<Row, Id>[]> {
    const { model, runtime, telemetry } = this.#context
    const delivery = this.#delivery
    const missed: Read<Row, Id>[] = []
    const lookUp = (read: Read<Row, Id>): void => {
      const row = l1.get(read.rowId)
      if (row !== undefined) return delivery.deliver(read, row, true)
      const hash = hashOf(String(read.rowId))
      l1.countMiss(read.rowId, hash)
      read.key = model.keys.keyOf(read.rowId, hash)
      missed.push(read)
    }
    await runtime.slicer.each(reads, lookUp, (seconds) => telemetry.observer.syncSeconds('copy', seconds))
    if (missed.length < reads.length) telemetry.observer.reads('l1', 'hit', reads.length - missed.length)
    if (missed.length > 0) telemetry.observer.reads('l1', 'miss', missed.length)
    return missed
  }
}

const unobserved = (): void => {}
