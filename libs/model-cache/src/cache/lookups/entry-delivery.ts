import type { RowId } from '../../protocol/index.js'
import { copyByValue } from '../../codec/codec.js'
import { forCalls, runningCalls } from '../load/source-call.js'
import type { CacheContext } from '../context.js'
import type { Primer } from '../load/primer.js'
import { matchesSchema, RowDelivery, shareRow } from '../read/delivery.js'
import type { L1 } from '../read/l1.js'
import { callersOf, type Read } from '../read/read.js'
import type { RowReads } from '../read/read-collector.js'
import type { ReadPath } from '../read/read-path.js'
import { maxGroupSize, type Waiter } from '../read/waiters.js'
import type { ExpectedRows } from './expected-rows.js'
import { areMembers, type LookupEntry } from './lookup-entry.js'
import type { Matcher } from './matcher.js'

/** The rows that entries name: where they are held, read and stored. */
export interface MemberRows<Row, Id> {
  readonly context: CacheContext<Row, Id>
  readonly l1: L1<Row> | undefined
  /** Reads rows by id, from L1, the store and the source. */
  readonly reads: RowReads<Row, Id>
  readonly primer: Primer<Row, Id>
  /** The rows that entries are expected to name. @default none */
  readonly expected?: ExpectedRows<Row, Id> | undefined
}

type EntryRead<Row> = Read<LookupEntry<Row>, unknown>
type EntryWaiter<Row> = Waiter<LookupEntry<Row>>
type Reloads<Row> = Pick<ReadPath<LookupEntry<Row>, unknown>, 'reload'>

/**
 * How often an outdated entry is loaded under a lease, where another process may store an older one meanwhile. After that the
 * database answers alone.
 */
const maxReloads = 3

/**
 * Gives entries to their waiters with the rows that they name. The rows are read like all others, and each is checked: one that has left the
 * list says so itself. An entry with such a row is loaded again.
 */
export class EntryDelivery<Row, Id> extends RowDelivery<LookupEntry<Row>> {
  readonly #context: CacheContext<LookupEntry<Row>, unknown>
  readonly #rows: MemberRows<Row, Id>
  readonly #matcher: Matcher
  readonly #path: Reloads<Row>
  /** How often entries of running reads were outdated. */
  readonly #reloads = new WeakMap<EntryRead<Row>, number>()
  readonly #observeCopies: (seconds: number) => void

  /** @param path loads entries again that are outdated */
  constructor(
    context: CacheContext<LookupEntry<Row>, unknown>,
    rows: MemberRows<Row, Id>,
    matcher: Matcher,
    path: Reloads<Row>,
  ) {
    super(context.telemetry.observer)
    this.#context = context
    this.#rows = rows
    this.#matcher = matcher
    this.#path = path
    this.#observeCopies = (seconds) => context.telemetry.observer.syncSeconds('copy', seconds)
  }

  deliver(read: EntryRead<Row>, entry: LookupEntry<Row> | null): void {
    if (entry === null) return this.resolve(read, null)
    if (entry.ids.length === 0 && areMembers(this.#matcher, entry, [])) return this.#resolveEmpty(read, entry)
    void this.#context.runtime.inFlight.track(this.#readRows(read, entry))
  }

  /** Delivers, as {@link deliver} does, an entry that was loaded with its rows. */
  deliverLoaded(read: EntryRead<Row>, entry: LookupEntry<Row> | null): void {
    // Nobody waits for a background load, unless a read has joined it, and its rows are in the cache.
    const isUnwanted = read.batch.isBackground && !read.others
    if (entry === null || isUnwanted) return this.resolve(read, entry)
    void this.#context.runtime.inFlight.track(this.#takeRows(read, entry))
  }

  async #readRows(read: EntryRead<Row>, entry: LookupEntry<Row>): Promise<void> {
    try {
      const { expected, reads } = this.#rows
      const ids = entry.ids as readonly Id[]
      const taken = ids.length === 0 ? [] : expected?.take(read, ids)
      let rows = taken && (await taken)
      if (!rows) {
        // A call of a source that waits for the entry waits for its rows, too.
        rows = await forCalls(runningCalls(callersOf(read)), () => reads.getMany(ids))
        expected?.note(read, ids)
      }
      if (areMembers(this.#matcher, entry, rows)) await this.#deliverRows(read, entry, rows)
      else await this.#reload(read)
    } catch (error) {
      this.fail(read, error)
    }
  }

  async #reload(read: EntryRead<Row>): Promise<void> {
    const { telemetry } = this.#context
    const reloads = (this.#reloads.get(read) ?? 0) + 1
    this.#reloads.set(read, reloads)
    telemetry.observer.misses('outdated', 1)
    telemetry.history.missed(read.rowId, 'outdated')
    await this.#path.reload([read], reloads <= maxReloads)
  }

  /** Gives loaded rows the form that rows of the store have, and stores them before a caller may change them. */
  async #takeRows(read: EntryRead<Row>, entry: LookupEntry<Row>): Promise<void> {
    const { policy, runtime } = this.#context
    const { context, expected, l1, primer } = this.#rows
    const { codec, keys } = context.model
    const rows: Row[] = []
    const readAtMs = performance.now()
    const latest = new Set<RowId>()
    const take = (row: Row): void => {
      rows.push(codec.normalize(row))
      if (!l1) return
      // What memory holds of a row may be older, and reads must not go back in time.
      const rowId = keys.rowIdOf(row)
      if (l1.supersede(rowId, entry.loadedAtMs!, readAtMs)) latest.add(rowId)
    }
    // Only rows that callers cannot change may be theirs and in memory.
    const keep =
      l1 && policy.sharesRows
        ? (rowId: RowId, row: Row, length: number): void =>
            void (latest.has(rowId) && l1.keep({ rowId, since: read.since }, readAtMs, row, length))
        : undefined
    try {
      await runtime.slicer.each(entry.rows!, take, this.#observeCopies)
      if (entry.isStorable ?? true) expected?.note(read, entry.ids as readonly Id[])
      const { leaseUntilMs, ofRows = null } = read.epochs
      const store = await primer.prepare(rows, entry.loadedAtMs!, { epoch: ofRows, leaseUntilMs }, keep)
      if (keep) await this.#share(rows)
      const storing = store()
      void runtime.inFlight.track(storing)
      // A row that this region has written of late, and the entry with it: the primary has them.
      if (entry.mayLag && (await storing) === 'written') return await this.#path.reload([read], false)
      await this.#deliverRows(read, entry, rows)
    } catch (error) {
      this.fail(read, error)
    }
  }

  async #deliverRows(read: EntryRead<Row>, entry: LookupEntry<Row>, rows: readonly Row[]): Promise<void> {
    const { key, ids, orderDigest } = entry
    const delivered = { key, ids, orderDigest, rows }
    if (read.others && !this.#context.policy.sharesRows) await this.#copyTo(read.others, delivered)
    else if (read.others) {
      await this.#share(rows)
      for (const other of read.others) other.resolve(delivered)
    }
    read.waiter.resolve(delivered)
    this.countDelivered(read)
  }

  #share(rows: readonly Row[]): Promise<void> {
    const { model, runtime } = this.#rows.context
    return runtime.slicer.each(rows, (row) => shareRow(model.codec, row), this.#observeCopies)
  }

  /** Gives each waiter rows of its own. */
  async #copyTo(
    waiters: readonly EntryWaiter<Row>[],
    { rows = [], ...entry }: LookupEntry<Row>,
  ): Promise<void> {
    const { model, runtime } = this.#rows.context
    const areMatching: boolean[] = []
    for (let start = 0; start < waiters.length; start += maxGroupSize) {
      const group = waiters.slice(start, start + maxGroupSize)
      const lists = group.map((): Row[] => [])
      const copy = (row: Row, i: number): void => {
        const isMatching = (areMatching[i] ??= matchesSchema(model.codec, row))
        const copies = isMatching ? model.codec.cloneMany(row, group.length) : undefined
        for (const [n, list] of lists.entries()) list.push(copies ? copies[n]! : copyByValue(row))
      }
      await runtime.slicer.each(rows, copy, this.#observeCopies)
      for (const [n, waiter] of group.entries()) waiter.resolve({ ...entry, rows: lists[n]! })
    }
  }

  /** There is nothing to wait for; each waiter has a list of its own. */
  #resolveEmpty(read: EntryRead<Row>, entry: LookupEntry<Row>): void {
    read.waiter.resolve({ ...entry, rows: [] })
    if (read.others) for (const other of read.others) other.resolve({ ...entry, rows: [] })
    this.countDelivered(read)
  }
}
