import { setTimeout as delay } from 'node:timers/promises'
import type { Codec } from '../codec/codec.js'
import type { Leases } from '../consistency/leases.js'
import type { EpochRegister } from '../consistency/epoch-register.js'
import type { Pressure } from '../event-loop/pressure.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Source } from '../source/source.js'
import type { Store } from '../store/store.js'
import { Answers } from './answers.js'
import type { Auditor } from './auditor.js'
import type { Filler } from './filler.js'
import type { RowId } from '../consistency/row-id.js'
import type { History } from './history.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { L1 } from './l1.js'
import type { LargePayloads } from './large-payloads.js'
import { Loader } from './loader.js'
import type { LoadPermits } from './load-permits.js'
import type { ModelObserver } from './observer.js'
import type { Expired, Read } from './read.js'
import { backgroundRead, loadOf } from './read.js'
import { looksCanonical } from './spelling.js'
import { AnswerOrder, type InvalidationClock } from './invalidation-clock.js'
import { StoredRows } from './stored-rows.js'

export interface ReadPathParts<Row, Id> {
  readonly name: string
  readonly notFoundTtlMs: number
  readonly refreshAheadMs: number
  readonly staleForMs: number
  /** How long a read waits for another process's load. */
  readonly leaseWaitMs: number
  readonly sharesRows: boolean
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly store: Store
  readonly source: Source<Row, Id>
  readonly register: EpochRegister
  readonly leases: Leases
  readonly filler: Filler<Row>
  readonly largePayloads: LargePayloads
  readonly l1: L1<Row> | undefined
  /** Without which, where there is one, rows in this process's memory are not trusted. */
  readonly backplane: { readonly isUp: boolean } | undefined
  readonly clock: InvalidationClock
  /** Rows that have to be read from the source. */
  readonly pending: { readonly isEmpty: boolean; has(rowId: RowId): boolean }
  readonly slicer: Slicer
  readonly loads: LoadPermits
  readonly pressure: Pressure
  readonly observer: ModelObserver
  readonly history: History
  readonly auditor: Auditor<Row, Id> | undefined
  /** Keeps the end of the process waiting. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/** What lies between two looks at a row that another process loads, in milliseconds: at first, and at most. */
const firstWaitMs = 5
const longestWaitMs = 50

/** From reads to answers: this process's memory, the store, the source. */
export class ReadPath<Row, Id> {
  readonly #parts: ReadPathParts<Row, Id>
  readonly #l1: L1<Row> | undefined
  readonly #order = new AnswerOrder()
  readonly #answers: Answers<Row>
  readonly #stored: StoredRows<Row, Id>
  readonly #loader: Loader<Row, Id>
  readonly #maxWaits: number

  constructor(parts: ReadPathParts<Row, Id>) {
    this.#parts = parts
    this.#l1 = parts.l1
    this.#maxWaits = waitsIn(parts.leaseWaitMs)
    this.#answers = new Answers(parts)
    this.#stored = new StoredRows({
      ...parts,
      onDecoded: (read, row, length) => this.#take(read, row, length),
      onDue: (reads) => this.#refresh(reads),
    })
    this.#loader = new Loader({
      ...parts,
      maxWaits: this.#maxWaits,
      onJoined: (read) => this.#answers.answered(read),
      onHeld: (reads, refusal) => void parts.track(this.#wait(reads, refusal)),
      onLoaded: (read, row) => this.#takeLoaded(read, row),
      onFailed: (read, error) => this.#fail(read, error),
      onEnd: () => parts.filler.flush(),
    })
  }

  /** Keeps no row in this process's memory that was asked for before now. */
  forgetMemory(): void {
    this.#l1?.clear()
    this.#order.begin()
  }

  /** The same for absences. */
  forgetNotFound(): void {
    this.#l1?.clearNotFound()
    this.#order.begin()
  }

  /** Never rejects; each read is told its own outcome. */
  async answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    const { backplane, history, observer, pending: invalidations } = this.#parts
    const l1 = backplane?.isUp === false ? undefined : this.#l1
    const sought = l1 ? await this.#answerFromL1(l1, reads) : reads
    if (invalidations.isEmpty) return this.#answerFromStore(sought)
    const { pending = [], cached = [] } = Object.groupBy(sought, ({ rowId }) =>
      invalidations.has(rowId) ? 'pending' : 'cached',
    )
    if (pending.length > 0) observer.misses('pending_invalidation', pending.length)
    for (const { rowId } of pending) history.missed(rowId, 'pending_invalidation')
    await Promise.all([this.#answerFromStore(cached), this.#loader.load(pending)])
  }

  /** @returns the reads that it has no row for */
  async #answerFromL1(l1: L1<Row>, reads: readonly Read<Row, Id>[]): Promise<readonly Read<Row, Id>[]> {
    const { observer, slicer } = this.#parts
    const missed: Read<Row, Id>[] = []
    const lookUp = (read: Read<Row, Id>): void => {
      const row = l1.get(read.rowId)
      if (row === undefined) missed.push(read)
      else this.#answers.deliver(read, row, true)
    }
    await slicer.each(reads, lookUp, (seconds) => observer.syncSeconds('copy', seconds))
    if (missed.length < reads.length) observer.reads('l1', 'hit', reads.length - missed.length)
    if (missed.length > 0) observer.reads('l1', 'miss', missed.length)
    return missed
  }

  async #answerFromStore(reads: readonly Read<Row, Id>[]): Promise<void> {
    if (reads.length === 0) return
    const { missed, failed, useless } = await this.#stored.answer(reads)
    // The latter are known only when all rows of the tick are decoded, for which the others need not wait.
    await Promise.all([
      this.#loader.load([...missed, ...failed]),
      useless.then((reads) => this.#loader.load(reads)),
    ])
  }

  /** Rows that somebody else loads are there soon; and if not, the source has them. */
  async #wait(reads: readonly Read<Row, Id>[], refusal: 'leased' | 'filled'): Promise<void> {
    const { observer } = this.#parts
    const waiting = reads.filter((read) => {
      const { expired } = loadOf(read)
      if (refusal === 'leased' && expired) this.#answers.deliver(read, expired.row, false)
      else return true
      return false
    })
    if (waiting.length < reads.length) observer.reads('store', 'stale', reads.length - waiting.length)
    if (waiting.length === 0) return
    const waits = Math.max(...waiting.map((read) => loadOf(read).waits++))
    if (refusal === 'leased') await delay(Math.min(firstWaitMs * 2 ** waits, longestWaitMs))
    for (const load of waiting.map(loadOf)) {
      load.isReplacing = false
      load.expired = undefined
    }
    await this.#answerFromStore(waiting)
  }

  /** Loads rows anew that have been answered already. */
  #refresh(answered: readonly Read<Row, Id>[]): void {
    const due = answered.filter(
      ({ rowId, standing }) => standing.epoch !== null && !this.#loader.isLoading(rowId),
    )
    if (due.length > 0) void this.#parts.track(this.#loader.load(due.map(backgroundRead)))
  }

  /** Stores a row that came from the source, and answers with it. */
  #takeLoaded(read: Read<Row, Id>, row: Row | null): void {
    const { notFoundTtlMs, filler } = this.#parts
    if (row !== null) row = this.#parts.codec.normalize(row)
    if (!this.#isStorable(read, row)) {
      filler.release(loadOf(read))
      this.#keep(read, row, 0, false)
      return this.#deliver(read, row, false)
    }
    // Encoded before anybody gets the row, who might change it.
    const load = loadOf(read)
    const { epoch, membership } = read.standing
    const word = row === null ? membership : epoch
    if (word === null) filler.release(load)
    const text = load.token === null || word === null ? undefined : filler.add(load, row, word)
    const keepsRow = this.#l1 !== undefined && text !== undefined && !(row === null && notFoundTtlMs === 0)
    // The store takes it only if nobody has written the row since it was loaded. That holds for this process's memory, too.
    if (keepsRow) load.onStored = (isStored) => this.#keep(read, row, text.length, isStored)
    else this.#keep(read, row, 0, false)
    this.#deliver(read, row, keepsRow)
  }

  /**
   * Not so where the database takes an id for that of a row which it stores under another spelling. Writers name that one, so under
   * the other nobody would invalidate the row, nor its absence.
   */
  #isStorable({ id, rowId }: Read<Row, Id>, row: Row | null): boolean {
    const { keys, source } = this.#parts
    return row === null ? (source.isCanonical ?? looksCanonical)(id) : keys.isRow(row, rowId)
  }

  /** @param length of the row as text */
  #take(read: Read<Row, Id>, row: Row | null, length: number): void {
    this.#deliver(read, row, this.#keep(read, row, length, true))
  }

  /**
   * Keeps a row in this process's memory, if none that was asked for later has been answered with, and nobody has
   * written it since this one was asked for.
   *
   * @returns whether it is kept
   */
  #keep(read: Read<Row, Id>, row: Row | null, length: number, isCurrent: boolean): boolean {
    const l1 = this.#l1
    if (!l1 || !this.#order.answer(read.rowId, read.batch.askedAtMs)) return false
    const { notFoundTtlMs, clock } = this.#parts
    const isKept = isCurrent && clock.isUntouched(read.rowId, read.since)
    if (isKept) l1.set(read.rowId, row, length, row === null ? notFoundTtlMs : undefined)
    // What is there may be older than what has been answered with.
    else l1.delete(read.rowId)
    return isKept
  }

  #deliver(read: Read<Row, Id>, row: Row | null, isKept: boolean): void {
    if (this.#parts.sharesRows && row !== null) this.#freeze(row)
    this.#answers.deliver(read, row, isKept)
  }

  /** A row that does not match its schema cannot be frozen; it is served all the same. */
  #freeze(row: Row): void {
    try {
      this.#parts.codec.freeze(row)
    } catch {
      // It has been told of where it could not be encoded.
    }
  }

  /** Answers with the error; or, while grace lasts, with the row whose time is over. */
  #fail(read: Read<Row, Id>, error: unknown): void {
    const load = loadOf(read)
    this.#parts.filler.release(load)
    if (!load.expired) return this.#answers.fail(read, error)
    void this.#parts.track(this.#answerExpired(read, load.expired, error))
  }

  /** Only if it is still there: a row that was invalidated meanwhile is gone for good. */
  async #answerExpired(read: Read<Row, Id>, { row, value }: Expired<Row>, error: unknown): Promise<void> {
    const { keys, observer, register, store } = this.#parts
    const [[held], standing] = await Promise.all([
      store.getMany([keys.keyOf(read.rowId)]),
      register.read(),
    ]).catch(() => [[null], undefined] as const)
    if (held !== value || standing?.epoch !== read.standing.epoch || row === null)
      return this.#answers.fail(read, error)
    observer.reads('store', 'stale', 1)
    this.#answers.deliver(read, row, false)
  }
}

/** How many waits, each twice as long as the one before, make up a time. */
function waitsIn(timeMs: number): number {
  let waits = 0
  for (let sumMs = 0; sumMs < timeMs; waits++) sumMs += Math.min(firstWaitMs * 2 ** waits, longestWaitMs)
  return waits
}
