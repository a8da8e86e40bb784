import type { KeySpace, RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { maxPerTurn } from '../read/l1-reads.js'
import type { L1 } from '../read/l1.js'
import type { EntryL1 } from './entry-l1.js'
import { areMembers, type LookupEntry } from './lookup-entry.js'
import type { Matcher } from './matcher.js'

/** What L1 has of a lookup. */
export interface L1ListsParts<Row, Id> {
  readonly matcher: Matcher
  readonly entries: EntryL1<Row>
  readonly rows: L1<Row>
  readonly rowKeys: KeySpace<Row, Id>
}

/** Lists of more rows are answered in time slices. */
const maxRows = 250

/**
 * Answers requests for lists of shared rows at once if L1 has the entry and all of its rows: frozen rows need neither copies nor time
 * slices. What has been found and checked for one caller serves the others of its turn, until L1 replaces or drops anything.
 */
export class L1Lists<Row, Id> {
  readonly #context: CacheContext<LookupEntry<Row>, unknown>
  readonly #parts: L1ListsParts<Row, Id>
  /** The lists found in this turn, by key. Not of keys that are objects, which their callers may change. */
  readonly #found = new Map<unknown, readonly Row[]>()
  /** The changes of L1 as of which {@link #found} holds. */
  #foundAt = 0
  /** Answered in this turn. */
  #hits = 0

  constructor(context: CacheContext<LookupEntry<Row>, unknown>, parts: L1ListsParts<Row, Id>) {
    this.#context = context
    this.#parts = parts
  }

  /** Returns the rows of a key in an array of the caller's; undefined unless L1 has all of them, and is to be trusted. */
  get(key: unknown): Row[] | undefined {
    if (this.#hits >= maxPerTurn) return undefined
    const { entries, rows: l1 } = this.#parts
    const changes = entries.changes + l1.changes
    if (changes !== this.#foundAt) {
      this.#found.clear()
      this.#foundAt = changes
    }
    let rows = this.#found.get(key)
    if (!rows) {
      rows = this.#find(key)
      if (!rows) return undefined
      if (typeof key !== 'object') this.#found.set(key, rows)
    }
    if (this.#hits++ === 0) setImmediate(this.#endTurn)
    return rows.slice()
  }

  #find(key: unknown): readonly Row[] | undefined {
    const { entries, matcher, rowKeys, rows } = this.#parts
    if (this.#context.coherence.backplane?.isUp === false) return undefined
    const entryId = this.#entryIdOf(key)
    const entry = entryId === undefined ? undefined : entries.get(entryId)
    if (entry === undefined) return undefined
    if (entry === null) return []
    if (entry.ids.length > maxRows) return undefined
    const found = entry.ids.map((id) => rows.get(rowKeys.toRowId(id as Id)))
    return areMembers(matcher, entry, found) ? found : undefined
  }

  /** Returns the id of an entry; undefined for an invalid key, which the collector refuses. */
  #entryIdOf(key: unknown): RowId | undefined {
    try {
      return this.#context.model.keys.toRowId(key)
    } catch {
      return undefined
    }
  }

  readonly #endTurn = (): void => {
    const { observer } = this.#context.telemetry
    observer.reads('l1', 'hit', this.#hits)
    observer.readSeconds(0, this.#hits, 'hit')
    this.#hits = 0
    this.#found.clear()
  }
}
