import { handled, isLong, type RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { Delivery } from '../read/delivery.js'
import { newBatch, newRead, type Read } from '../read/read.js'
import type { RowReads } from '../read/read-collector.js'
import { StoredRows } from '../read/stored-rows.js'
import { RowsWaiter } from '../read/waiters.js'
import { History } from '../telemetry/history.js'
import { silentObserver } from '../telemetry/observer.js'
import type { LookupEntry } from './lookup-entry.js'

/** Rows of one entry that are read with it: more would cost much where it names others. */
const mostRows = 32
/** Entries of one tick whose rows are read with them. A tick of many reads takes two commands, and more than one turn. */
const mostReads = 16
/** Entries whose rows are remembered. */
const mostEntries = 1_000

/** What an entry names. */
interface Named<Id> {
  readonly ids: readonly Id[]
  readonly rowIds: readonly RowId[]
}

interface Expected<Row> extends Named<unknown> {
  readonly requestedAtMs: number
  readonly rows: Promise<readonly (Row | null)[] | undefined>
}

type EntryRead<Row> = Read<LookupEntry<Row>, unknown>

/**
 * Reads the rows that an entry named last in one command with the entry, as it nearly always names the same: a lookup then takes one round
 * trip instead of two. Only the store is asked: where it lacks one of them, or the entry names others, they are read as all rows are.
 *
 * They are as old as the first answer of the store, and belong to it alone: a read that goes on to the loader may be joined by reads that
 * began after a write to them.
 */
export class ExpectedRows<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #reads: RowReads<Row, Id>
  readonly #stored: StoredRows<Row, Id>
  readonly #named = new Map<RowId, Named<Id>>()
  readonly #expected = new WeakMap<EntryRead<Row>, Expected<Row>>()

  /** @param reads those of all rows */
  constructor(context: CacheContext<Row, Id>, reads: RowReads<Row, Id>) {
    this.#context = context
    this.#reads = reads
    const { model, telemetry } = context
    const { syncSeconds } = telemetry.observer
    // Only what is taken counts as a read.
    const observer = { ...silentObserver.forModel(model.name), syncSeconds }
    const unnoticed = { ...context, telemetry: { ...telemetry, observer, history: new History() } }
    this.#stored = new StoredRows(unnoticed, undefined, new Delivery(unnoticed))
  }

  /** Begins to read the rows that the entries of these reads are expected to name. */
  begin(reads: readonly EntryRead<Row>[]): void {
    const { coherence, model, runtime } = this.#context
    if (reads.length > mostReads || !coherence.pending.isEmpty) return
    const batch = newBatch()
    const rows: Read<Row, Id>[] = []
    for (const read of reads) {
      const named = this.#named.get(read.rowId)
      if (!named) continue
      const { ids, rowIds } = named
      const { promise, ...waiter } = Promise.withResolvers<(Row | null)[] | undefined>()
      const all = new RowsWaiter<Row>(ids.length, waiter)
      for (const [i, rowId] of rowIds.entries()) {
        const row = newRead<Row, Id>(ids[i]!, rowId, coherence.clock.now(), batch)
        row.waiter = all.at(i)
        row.key = model.keys.keyOf(rowId)
        rows.push(row)
      }
      const { requestedAtMs } = batch
      this.#expected.set(read, { ...named, requestedAtMs, rows: promise.catch(() => undefined) })
    }
    batch.ids = batch.undelivered = rows.length
    if (rows.length > 0) void runtime.inFlight.track(this.#readStore(rows))
  }

  async #readStore(rows: readonly Read<Row, Id>[]): Promise<void> {
    const { missed, outdated = [] } = await this.#stored.read(rows)
    for (const { waiter } of missed) waiter.reject(notStored)
    for (const { read } of await outdated)
      // One that expires soon has been delivered, and is loaded by a read that notices it.
      if (read.batch.isBackground) void handled(this.#reads.get(read.id))
      else read.waiter.reject(notStored)
  }

  /** The rows of an entry, if they have been expected; resolves with undefined if the store lacks one. */
  take(read: EntryRead<Row>, ids: readonly Id[]): Promise<readonly (Row | null)[] | undefined> | undefined {
    const expected = this.#expected.get(read)
    // Another answer needs rows of its own.
    this.#expected.delete(read)
    if (read.batch.isMiss || expected?.rowIds.length !== ids.length) return undefined
    const { model, telemetry } = this.#context
    if (!ids.every((id, i) => model.keys.toRowId(id) === expected.rowIds[i])) return undefined
    return expected.rows.then((rows) => {
      if (!rows) return undefined
      const { observer } = telemetry
      observer.batchKeys(rows.length)
      observer.reads('store', 'hit', rows.length)
      observer.readSeconds((performance.now() - expected.requestedAtMs) / 1_000, rows.length, 'hit')
      return rows
    })
  }

  /** Notes what an entry names that the store has. */
  note({ rowId }: EntryRead<Row>, ids: readonly Id[]): void {
    this.#named.delete(rowId)
    if (ids.length === 0 || ids.length > mostRows || isLong(rowId)) return
    const { keys } = this.#context.model
    const rowIds = ids.map((id) => keys.toRowId(id))
    if (rowIds.some(isLong)) return
    if (this.#named.size >= mostEntries) this.#named.delete(this.#named.keys().next().value!)
    this.#named.set(rowId, { ids, rowIds })
  }
}

const notStored = new Error('The store lacks a row that was expected.')
