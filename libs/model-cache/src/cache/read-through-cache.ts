import { setTimeout as delay } from 'node:timers/promises'
import type { Codec } from '../codec/codec.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Source } from '../source/source.js'
import type { Store } from '../store/store.js'
import { Answers } from './answers.js'
import { newEpoch } from './envelope.js'
import type { Fill } from './filler.js'
import { Filler } from './filler.js'
import type { Identity, KeySpace } from './key-space.js'
import { L1 } from './l1.js'
import type { L1Options } from './l1.js'
import { LargeRows } from './large-rows.js'
import { Loader } from './loader.js'
import type { ModelCache } from './model-cache.js'
import type { LoadPermits } from './load-permits.js'
import type { ModelObserver } from './observer.js'
import type { Read, ReadBatch, Waiter } from './read.js'
import { RowsWaiter } from './read.js'
import { Stamps } from './stamps.js'
import { StoredRows } from './stored-rows.js'
import type { Tick } from './tick.js'
import { Unsettled } from './unsettled.js'

export interface ReadThroughCacheParts<Row, Id> {
  readonly name: string
  readonly ttlMs: number
  readonly absentTtlMs: number
  readonly l1: L1Options | undefined
  /** Whether all callers get one row, deeply frozen. */
  readonly sharesRows: boolean
  /** Characters of a row as text from which on it is told of. */
  readonly largeRow: number
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly store: Store
  readonly source: Source<Row, Id>
  readonly tick: Tick
  readonly slicer: Slicer
  readonly loads: LoadPermits
  readonly observer: ModelObserver
  /** Told what an operator should know, once per kind or per change of state; never throws. */
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/** How long the end of the process waits for reads and fills. */
const closeLimitMs = 10_000

/** {@link ModelCache} over a codec, a store and a source. */
export class ReadThroughCache<Row, Id> implements ModelCache<Row, Id> {
  readonly #parts: ReadThroughCacheParts<Row, Id>
  readonly #stamps = new Stamps()
  readonly #l1: L1<Row> | undefined
  readonly #answers: Answers<Row>
  readonly #stored: StoredRows<Row, Id>
  readonly #loader: Loader<Row, Id>
  readonly #filler: Filler<Row>
  readonly #unsettled: Unsettled
  /** Asked for in this tick. */
  #asked = new Map<Identity, Read<Row, Id>>()
  #batch: ReadBatch = newBatch()
  #joined = 0
  /** Reads and fills under way. */
  readonly #working = new Set<Promise<unknown>>()

  constructor(parts: ReadThroughCacheParts<Row, Id>) {
    this.#parts = parts
    const stamps = this.#stamps
    const track = (work: Promise<void>): Promise<void> => this.#track(work)
    this.#l1 = parts.l1 && new L1(parts.l1)
    this.#answers = new Answers({ ...parts, track })
    const largeRows = new LargeRows(parts)
    this.#filler = new Filler({ ...parts, largeRows, stamps, track })
    this.#stored = new StoredRows({
      ...parts,
      largeRows,
      onDecoded: (read, row, length) => this.#take(read, row, length),
    })
    this.#loader = new Loader({
      ...parts,
      stamps,
      onJoined: (read) => this.#answers.answered(read),
      onLoaded: (read, row) => this.#takeLoaded(read, row),
      onFailed: (read, error) => this.#answers.fail(read, error),
      onEnd: () => void this.#filler.flush(),
    })
    this.#unsettled = new Unsettled({
      ...parts,
      invalidateModel: () => parts.store.set(parts.keys.epochKey, newEpoch()),
    })
  }

  get(id: Id): Promise<Row | null> {
    const waiter = Promise.withResolvers<Row | null>()
    this.#ask(id, waiter)
    return waiter.promise
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    if (ids.length === 0) return Promise.resolve([])
    const { promise, ...waiter } = Promise.withResolvers<(Row | null)[]>()
    const rows = new RowsWaiter<Row>(ids.length, waiter)
    ids.forEach((id, i) => this.#ask(id, rows.at(i)))
    return promise
  }

  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]> {
    return Promise.allSettled(ids.map((id) => this.get(id)))
  }

  async prime(rows: readonly Row[]): Promise<void> {
    const { codec, keys, slicer } = this.#parts
    const since = this.#stamps.now()
    const fills = rows.map((row): Fill => {
      const identity = keys.identityOfRow(row)
      return { identity, key: keys.keyOf(identity), since }
    })
    const texts: string[] = []
    const encodeAll = slicer.each(rows, (row) => texts.push(codec.encode(row)), this.#observeEncoding)
    await this.#track(encodeAll.then(() => this.#prime(fills, texts)))
  }

  async invalidate(ids: Id | readonly Id[]): Promise<void> {
    const { keys, observer, store } = this.#parts
    const identities = (Array.isArray(ids) ? (ids as readonly Id[]) : [ids as Id]).map(keys.identityOf)
    const outdated = identities.map(keys.keyOf)
    observer.invalidations('ids', identities.length)
    this.#forget(identities)
    try {
      await store.deleteMany(outdated)
    } catch {
      this.#unsettled.add(outdated)
    }
    // What was read while the store had not taken it yet.
    this.#forget(identities)
  }

  async invalidateAll(): Promise<void> {
    const { keys, observer, store } = this.#parts
    observer.invalidations('all', 1)
    this.#forgetAll()
    try {
      await store.set(keys.epochKey, newEpoch())
    } catch {
      this.#unsettled.addAll()
    }
    this.#forgetAll()
  }

  /** Resolves when the reads and fills that are under way have ended. */
  async drain(): Promise<void> {
    if (this.#asked.size > 0) await new Promise(setImmediate)
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  /**
   * For the end of the process: waits for reads that are under way and for their fills, at most ten seconds, and gives
   * up invalidations that the store has not taken.
   */
  async close(): Promise<void> {
    const limit = new AbortController()
    const tooLate = delay(closeLimitMs, undefined, { signal: limit.signal, ref: false }).catch(() => {})
    if (this.#asked.size > 0) await new Promise(setImmediate)
    // Not until nothing is under way: who still reads could keep the process from ending.
    for (const _ of ['reads', 'fills']) await Promise.race([Promise.allSettled(this.#working), tooLate])
    limit.abort()
    await this.#unsettled.stop()
  }

  #ask(id: Id, waiter: Waiter<Row>): void {
    // Most often an id is its own identity, and who asks for one that is asked for already needs no more than this.
    const asked = this.#asked.get(id as Identity)
    if (asked) return this.#join(asked, waiter)
    const { keys, tick } = this.#parts
    let identity: Identity
    try {
      identity = keys.identityOf(id)
    } catch (error) {
      return waiter.reject(error)
    }
    if (identity !== id) {
      const known = this.#asked.get(identity)
      if (known) return this.#join(known, waiter)
    }
    if (this.#asked.size === 0) {
      this.#batch = newBatch()
      tick.schedule(this.#answerAsked)
    }
    this.#batch.ids++
    this.#batch.unanswered++
    this.#asked.set(identity, {
      id: keys.snapshot(id),
      identity,
      since: this.#stamps.now(),
      batch: this.#batch,
      waiter,
      others: undefined,
      key: '',
      epoch: null,
    })
  }

  #join(read: Read<Row, Id>, waiter: Waiter<Row>): void {
    this.#joined++
    if (read.others) read.others.push(waiter)
    else read.others = [waiter]
  }

  readonly #answerAsked = (): void => {
    const reads = [...this.#asked.values()]
    this.#asked = new Map()
    const { observer } = this.#parts
    observer.batchKeys(reads.length)
    if (this.#joined > 0) observer.reads('tick', 'joined', this.#joined)
    this.#joined = 0
    void this.#track(this.#answer(reads))
  }

  async #answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    const sought = this.#l1 ? await this.#answerFromL1(this.#l1, reads) : reads
    if (this.#unsettled.isEmpty) return this.#answerFromStore(sought)
    const { keys, observer } = this.#parts
    const isUnsettled = ({ identity }: Read<Row, Id>): boolean => this.#unsettled.has(keys.keyOf(identity))
    const { unsettled = [], settled = [] } = Object.groupBy(sought, (read) =>
      isUnsettled(read) ? 'unsettled' : 'settled',
    )
    if (unsettled.length > 0) observer.misses('unsettled', unsettled.length)
    await Promise.all([this.#answerFromStore(settled), this.#loader.load(unsettled)])
  }

  /** @returns the reads that it has no row for */
  async #answerFromL1(l1: L1<Row>, reads: readonly Read<Row, Id>[]): Promise<readonly Read<Row, Id>[]> {
    const { observer, slicer } = this.#parts
    const missed: Read<Row, Id>[] = []
    const lookUp = (read: Read<Row, Id>): void => {
      const row = l1.get(read.identity)
      if (row === undefined) missed.push(read)
      else this.#answers.settle(read, row, true)
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

  /** Keeps a row that came from the source, and answers with it. */
  #takeLoaded(read: Read<Row, Id>, row: Row | null): void {
    // Encoded before anybody gets the row, who might change it; for this process's memory too, which keeps nothing that
    // does not match its schema, as that cannot be copied.
    const isWanted = read.epoch !== null || this.#l1 !== undefined
    const text = isWanted ? this.#filler.add(read, row, read.epoch) : undefined
    this.#take(read, row, text?.length)
  }

  /** @param length of the row as text; undefined where there is none */
  #take(read: Read<Row, Id>, row: Row | null, length: number | undefined): void {
    if (this.#parts.sharesRows && row !== null) this.#freeze(row)
    const isKept =
      this.#l1 !== undefined && length !== undefined && this.#stamps.isUntouched(read.identity, read.since)
    if (isKept) this.#l1!.set(read.identity, row, length!, row === null ? this.#parts.absentTtlMs : undefined)
    this.#answers.settle(read, row, isKept)
  }

  /** A row that does not match its schema cannot be frozen; it is served all the same. */
  #freeze(row: Row): void {
    try {
      this.#parts.codec.freeze(row)
    } catch {
      // It has been told of where it could not be encoded.
    }
  }

  /** Rows that were asked for before now are not kept, in this process or in the store. */
  #forget(identities: readonly Identity[]): void {
    for (const identity of identities) {
      this.#stamps.touch(identity)
      this.#l1?.delete(identity)
    }
  }

  #forgetAll(): void {
    this.#stamps.touchAll()
    this.#l1?.clear()
  }

  readonly #observeEncoding = (seconds: number): void => this.#parts.observer.syncSeconds('encode', seconds)

  async #prime(fills: readonly Fill[], texts: readonly string[]): Promise<void> {
    const { observer, slicer, ttlMs } = this.#parts
    const epoch = await this.#stored.epoch().catch(() => null)
    if (epoch === null) observer.fills('store_error', fills.length)
    else {
      const add = (fill: Fill, i: number): void => {
        if (!this.#unsettled.has(fill.key)) this.#filler.addText(fill, texts[i]!, epoch, ttlMs)
      }
      await slicer.each(fills, add, this.#observeEncoding)
      await this.#filler.flush()
    }
    // Only now: before, the store still gave what these rows replace.
    this.#forget(fills.map(({ identity }) => identity))
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work)
    try {
      return await work
    } finally {
      this.#working.delete(work)
    }
  }
}

function newBatch(): ReadBatch {
  return { askedAtMs: performance.now(), ids: 0, unanswered: 0 }
}
