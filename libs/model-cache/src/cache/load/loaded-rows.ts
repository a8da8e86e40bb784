import { setTimeout as delay } from 'node:timers/promises'
import type { CacheContext } from '../context.js'
import type { RowDelivery } from '../read/delivery.js'
import type { RowMemory } from '../read/l1.js'
import type { Read, StaleRow } from '../read/read.js'
import type { Filler } from './filler.js'
import { type Load, waitMsAfter } from './load.js'
import { looksCanonical } from './collation-form.js'

/** What rows of the source pass on their way to callers, besides the context. */
export interface LoadedRowsParts<Row, Id> {
  readonly l1: RowMemory<Row> | undefined
  readonly filler: Filler<Row, Id>
  readonly delivery: RowDelivery<Row>
  /** Answers reads that have waited for another process: from the store, and from the source what the store does not have. */
  readonly readAgain: (reads: readonly Read<Row, Id>[]) => Promise<void>
}

/** Stores and delivers rows that come from the source, and serves stale ones in their place where that is allowed. */
export class LoadedRows<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #parts: LoadedRowsParts<Row, Id>

  constructor(context: CacheContext<Row, Id>, parts: LoadedRowsParts<Row, Id>) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * The source has the row, or null for none. Called in time slices.
   *
   * @param readAtMs when the source had answered, in milliseconds of `performance.now()`
   */
  loaded(load: Load<Row, Id>, row: Row | null, readAtMs: number): void {
    const { delivery, l1 } = this.#parts
    const { read } = load
    if (row !== null) row = this.#context.model.codec.normalize(row)
    const epoch = row === null ? read.epochs.existence : read.epochs.epoch
    // L1 keeps the row once the store has taken it. Until then, reads must not go back in time.
    const mayKeep = l1?.supersede(read.rowId, read.batch.requestedAtMs, readAtMs) ?? false
    let keepsRow = false
    if (load.token === null || epoch === null || !this.#isStorable(read, row)) this.#leaveOut(load)
    else keepsRow = this.#store(load, row, epoch, mayKeep ? readAtMs : undefined)
    delivery.deliverLoaded(read, row, keepsRow)
  }

  failed(load: Load<Row, Id>, error: unknown): void {
    const { delivery, filler } = this.#parts
    const { read, stale } = load
    if (this.#context.model.source.isAnswer?.(error, read.id)) {
      this.#leaveOut(load)
      return delivery.fail(read, error)
    }
    filler.release(load)
    // Without an epoch of its own, nothing would show that the row has been invalidated meanwhile.
    if (stale && stale.row !== null && read.epochs.epoch !== null)
      void this.#context.runtime.inFlight.track(this.#deliverStale(read, stale, error))
    else delivery.fail(read, error)
  }

  /** The read joined a load that has not begun, which will deliver to its waiters. */
  coalesced(read: Read<Row, Id>): void {
    this.#parts.delivery.countDelivered(read)
  }

  /**
   * Another process loads the rows (`'leased'`), or they have been stored since the store was read (`'filled'`). Meanwhile a stale one is
   * served (stale-while-revalidate).
   */
  waiting(loads: readonly Load<Row, Id>[], refusal: 'leased' | 'filled'): void {
    const { runtime, telemetry } = this.#context
    const stale = refusal === 'leased' ? loads.filter((load) => load.stale) : []
    for (const load of stale) this.#parts.delivery.deliver(load.read, load.stale!.row, false)
    if (stale.length > 0) telemetry.observer.reads('store', 'stale', stale.length)
    const waiting = stale.length === 0 ? loads : loads.filter((load) => !load.stale)
    if (waiting.length > 0)
      void runtime.inFlight.track(
        this.#wait(
          waiting.map(({ read }) => read),
          refusal,
        ),
      )
  }

  /** Called after the last row of a call of the source. Resolves when what is to be stored has been. */
  ended(): Promise<void> {
    return this.#parts.filler.flush()
  }

  async #wait(reads: readonly Read<Row, Id>[], refusal: 'leased' | 'filled'): Promise<void> {
    const waits = Math.max(...reads.map((read) => read.waits++))
    if (refusal === 'leased') await delay(waitMsAfter(waits))
    await this.#parts.readAgain(reads)
  }

  /**
   * Encodes a row before any caller gets it and may change it.
   *
   * @param readAtMs when it was read; undefined if L1 may not keep it
   * @returns whether L1 keeps the row, once the store has taken it
   */
  #store(load: Load<Row, Id>, row: Row | null, epoch: string, readAtMs: number | undefined): boolean {
    const { filler, l1 } = this.#parts
    const { model, policy, runtime, telemetry } = this.#context
    const payload = filler.encode(load, row)
    if (payload === undefined) {
      this.#leaveOut(load)
      return false
    }
    // Who can only read chooses which rows do not exist, and how many of them.
    const { entries, lists } = runtime.notFound
    const isBrief = row === null || (model.isNothing?.(row) === true && !lists.take(load.key, payload))
    if (isBrief && (policy.notFoundTtlMs === 0 || !entries.take(load.key, payload))) {
      if (row !== null || policy.notFoundTtlMs > 0) telemetry.observer.fills('too_many', 1)
      this.#leaveOut(load)
      return false
    }
    // The store takes the row only if nobody has written it since it was loaded. That holds for L1, too.
    const keepsRow = readAtMs !== undefined && l1!.admits(load.read.rowId)
    // A row that becomes hot later belongs to its caller.
    const onStored = keepsRow
      ? (isStored: boolean): void => void (isStored && l1!.keep(load.read, readAtMs, row, payload.length))
      : undefined
    filler.add({ holder: load, payload, epoch, isBrief, onStored })
    return keepsRow
  }

  /**
   * Stores nothing. A row that could be read ends, as the source has said something else since: one that was due for refresh-ahead would be
   * read until its ttl ends, one past its ttl would be served if the next load fails. A row that this process cannot read is left to those
   * that can.
   */
  #leaveOut(load: Load<Row, Id>): void {
    const { filler } = this.#parts
    if (load.stale || load.read.batch.isBackground) filler.end(load)
    else filler.release(load)
  }

  /**
   * A database may take an id for that of a row which it stores under another spelling. Writers name the stored one, so nothing
   * would invalidate a row, or a negative entry, that is cached under the other.
   */
  #isStorable({ id, rowId }: Read<Row, Id>, row: Row | null): boolean {
    const { keys, mayStore, source } = this.#context.model
    if (row === null) return (source.isCanonical ?? looksCanonical)(id)
    return keys.isRow(row, rowId) && (mayStore?.(row) ?? true)
  }

  /** Serves a stale row in place of an error, if it is still stored: an invalidated row is gone for good. */
  async #deliverStale(read: Read<Row, Id>, { row, value }: StaleRow<Row>, error: unknown): Promise<void> {
    const { coherence, model, telemetry } = this.#context
    const { delivery } = this.#parts
    const [[stored], snapshot] = await Promise.all([
      model.store.getMany([read.key]),
      coherence.register.read(),
    ]).catch(() => [[null], undefined] as const)
    if (stored !== value || snapshot?.epoch !== read.epochs.epoch) return delivery.fail(read, error)
    telemetry.observer.reads('store', 'stale', 1)
    delivery.deliver(read, row, false)
  }
}
