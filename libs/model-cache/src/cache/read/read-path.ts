import { isLong } from '../../protocol/index.js'
import type { Coherence, Runtime, Telemetry } from '../context.js'
import { newLoad } from '../load/load.js'
import type { Loader } from '../load/loader.js'
import type { RowDelivery } from './delivery.js'
import type { L1 } from './l1.js'
import { fillEpochsOf, noEpochs, type Read } from './read.js'
import type { StoredRows } from './stored-rows.js'

export interface ReadPathDependencies<Row, Id> {
  readonly runtime: Pick<Runtime, 'slicer'>
  readonly coherence: Pick<Coherence, 'register' | 'pending' | 'backplane'>
  readonly telemetry: Pick<Telemetry<Id>, 'observer' | 'history'>
  readonly l1: L1<Row> | undefined
  readonly stored: StoredRows<Row, Id>
  readonly loader: Loader<Row, Id>
  readonly delivery: RowDelivery<Row>
}

const hasLongId = ({ rowId }: Read<unknown, unknown>): boolean => isLong(rowId)

/** Answers reads from L1, then from the store, then from the source. */
export class ReadPath<Row, Id> {
  readonly #dependencies: ReadPathDependencies<Row, Id>

  constructor(dependencies: ReadPathDependencies<Row, Id>) {
    this.#dependencies = dependencies
  }

  /** Never rejects; each read is delivered or fails by itself. */
  answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    return reads.some(hasLongId) ? this.#answerLong(reads) : this.#answer(reads)
  }

  async #answerLong(reads: readonly Read<Row, Id>[]): Promise<void> {
    const { loader, telemetry } = this.#dependencies
    const long = reads.filter(hasLongId)
    telemetry.observer.misses('long_id', long.length)
    // Their epochs are unknown, so they are loaded without a lease, and not stored.
    const loading = loader.load(long.map((read) => newLoad(read)))
    await Promise.all([loading, this.#answer(reads.filter((read) => !hasLongId(read)))])
  }

  async #answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    const { coherence, l1, loader, telemetry } = this.#dependencies
    const missed = l1 ? await this.#readL1(l1, reads) : reads
    if (coherence.pending.isEmpty) return this.readStore(missed)
    // The store may still have rows whose invalidation it has not taken.
    const { pending = [], cacheable = [] } = Object.groupBy(missed, ({ rowId }) =>
      coherence.pending.has(rowId) ? 'pending' : 'cacheable',
    )
    if (pending.length > 0) telemetry.observer.misses('pending_invalidation', pending.length)
    for (const { rowId } of pending) telemetry.history.missed(rowId, 'pending_invalidation')
    await Promise.all([this.readStore(cacheable), loader.load(pending.map((read) => newLoad(read)))])
  }

  /** Answers from the store, and from the source what the store does not have. */
  async readStore(reads: readonly Read<Row, Id>[]): Promise<void> {
    if (reads.length === 0) return
    const { loader, stored } = this.#dependencies
    const { missed, outdated } = await stored.read(reads)
    // Misses need not wait until all hits of the tick are decoded.
    const loading = loader.load(missed.map((read) => newLoad(read)))
    if (outdated) await loader.load(await outdated)
    await loading
  }

  /**
   * Loads rows again whose value was found outdated after it had been read. Never rejects.
   *
   * @param mayStore whether the rows may be stored; otherwise the source answers, whatever other processes do
   */
  async reload(reads: readonly Read<Row, Id>[], mayStore: boolean): Promise<void> {
    const { coherence, loader } = this.#dependencies
    // What is stored carries the epochs that were read before its load.
    const epochs = mayStore ? await coherence.register.read().then(fillEpochsOf, () => noEpochs) : noEpochs
    for (const read of reads) read.epochs = epochs
    await loader.load(reads.map((read) => newLoad(read, true)))
  }

  /** @returns the reads that L1 has no row for; all of them, while writes of other processes are not heard */
  async #readL1(l1: L1<Row>, reads: readonly Read<Row, Id>[]): Promise<readonly Read<Row, Id>[]> {
    const { coherence, delivery, runtime, telemetry } = this.#dependencies
    coherence.backplane?.start()
    if (coherence.backplane?.isUp === false) return reads
    const missed: Read<Row, Id>[] = []
    const lookUp = (read: Read<Row, Id>): void => {
      const row = l1.get(read.rowId)
      if (row === undefined) missed.push(read)
      else delivery.deliver(read, row, true)
    }
    await runtime.slicer.each(reads, lookUp, (seconds) => telemetry.observer.syncSeconds('copy', seconds))
    if (missed.length < reads.length) telemetry.observer.reads('l1', 'hit', reads.length - missed.length)
    if (missed.length > 0) telemetry.observer.reads('l1', 'miss', missed.length)
    return missed
  }
}
