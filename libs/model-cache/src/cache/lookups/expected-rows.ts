import { handled, type KeySpace, type RowId } from '../../protocol/index.js'
import { callersOf, type Read } from '../read/read.js'
import type { RowReads } from '../read/read-collector.js'
import type { LookupEntry } from './lookup-entry.js'

/** Rows of one entry that are read before it: more would cost much where it names others. */
const mostRows = 32
/** Entries whose rows are remembered. */
const mostEntries = 1_000

interface Named<Id> {
  readonly ids: readonly Id[]
  readonly rowIds: readonly RowId[]
}

interface Expected<Row> {
  readonly rowIds: readonly RowId[]
  readonly rows: Promise<(Row | null)[]>
}

type EntryRead<Row> = Read<LookupEntry<Row>, unknown>

/**
 * Reads the rows that an entry named last in one command with the entry, as it nearly always names the same: a lookup then takes one round
 * trip instead of two. Of an entry that names others, the rows are read after it.
 */
export class ExpectedRows<Row, Id> {
  readonly #keys: Pick<KeySpace<Row, Id>, 'toRowId'>
  readonly #reads: RowReads<Row, Id>
  readonly #named = new Map<RowId, Named<Id>>()
  readonly #expected = new WeakMap<EntryRead<Row>, Expected<Row>>()

  constructor(keys: Pick<KeySpace<Row, Id>, 'toRowId'>, reads: RowReads<Row, Id>) {
    this.#keys = keys
    this.#reads = reads
  }

  /** Begins to read the rows that the entries of these reads are expected to name. */
  begin(reads: readonly EntryRead<Row>[]): void {
    for (const read of reads) {
      const named = this.#named.get(read.rowId)
      // Who waits for an entry may be a call of a source, which then waits for its rows.
      if (!named || callersOf(read)) continue
      this.#expected.set(read, { rowIds: named.rowIds, rows: handled(this.#reads.getMany(named.ids)) })
    }
  }

  /** The rows of an entry, if they have been expected. */
  take(read: EntryRead<Row>, ids: readonly Id[]): Promise<(Row | null)[]> | undefined {
    const expected = this.#expected.get(read)
    // Their waiters are those of the first answer.
    this.#expected.delete(read)
    if (expected?.rowIds.length !== ids.length) return undefined
    return ids.every((id, i) => this.#keys.toRowId(id) === expected.rowIds[i]) ? expected.rows : undefined
  }

  /** Notes what an entry names. */
  note({ rowId }: EntryRead<Row>, ids: readonly Id[]): void {
    if (ids.length === 0 || ids.length > mostRows) return void this.#named.delete(rowId)
    if (this.#named.size >= mostEntries) this.#named.clear()
    this.#named.set(rowId, { ids, rowIds: ids.map((id) => this.#keys.toRowId(id)) })
  }
}
