import type { KeySpace, RowId } from '../../protocol/index.js'
import type { Coherence, Telemetry } from '../context.js'
import { maxPerTurn } from '../read/held-rows.js'
import type { L1 } from '../read/l1.js'
import type { EntryKeys } from './entry-keys.js'
import { areMembers, type LookupEntry } from './lookup-entry.js'
import type { Matcher } from './matcher.js'

export interface HeldListsDependencies<Row> {
  readonly keys: EntryKeys<Row>
  /** Of the rows. */
  readonly rowKeys: Pick<KeySpace<Row, unknown>, 'toRowId'>
  readonly matcher: Matcher
  readonly coherence: Pick<Coherence, 'backplane' | 'clock'>
  readonly telemetry: Pick<Telemetry<unknown>, 'observer'>
  readonly entries: Pick<L1<LookupEntry<Row>>, 'get'>
  readonly rows: Pick<L1<Row>, 'get'>
}

/** Lists of more rows are answered in time slices. */
const maxRows = 250

/**
 * Answers requests for lists of shared rows at once if L1 has the entry and all of its rows: frozen rows need neither copies nor time
 * slices. What has been found and checked for one caller serves the others of its turn, until anything is invalidated.
 */
export class HeldLists<Row> {
  readonly #dependencies: HeldListsDependencies<Row>
  /** The lists found in this turn, by key. Keys that are objects differ from one caller to the next. */
  readonly #found = new Map<unknown, readonly Row[]>()
  /** Time of the invalidation clock for which {@link #found} holds. */
  #foundAt = 0
  /** Answered in this turn. */
  #hits = 0

  constructor(dependencies: HeldListsDependencies<Row>) {
    this.#dependencies = dependencies
  }

  /** Returns the rows of a key in an array of the caller's; undefined unless all are held, and to be trusted. */
  get(key: unknown): Row[] | undefined {
    if (this.#hits >= maxPerTurn) return undefined
    const { coherence } = this.#dependencies
    const now = coherence.clock.now()
    if (now !== this.#foundAt) {
      this.#found.clear()
      this.#foundAt = now
    }
    let rows = this.#found.get(key)
    if (!rows) {
      rows = this.#find(key)
      if (!rows) return undefined
      this.#found.set(key, rows)
    }
    if (this.#hits++ === 0) setImmediate(this.#endTurn)
    return rows.slice()
  }

  #find(key: unknown): readonly Row[] | undefined {
    const { coherence, entries, matcher } = this.#dependencies
    if (coherence.backplane?.isUp === false) return undefined
    const entryId = this.#entryIdOf(key)
    const entry = entryId === undefined ? undefined : entries.get(entryId)
    if (entry === undefined) return undefined
    if (entry === null) return []
    if (entry.ids.length > maxRows) return undefined
    const { rowKeys, rows } = this.#dependencies
    const held = entry.ids.map((id) => rows.get(rowKeys.toRowId(id)))
    return areMembers(matcher, entry, held) ? held : undefined
  }

  /** Undefined for an invalid key, which the collector refuses. */
  #entryIdOf(key: unknown): RowId | undefined {
    try {
      return this.#dependencies.keys.toRowId(key)
    } catch {
      return undefined
    }
  }

  readonly #endTurn = (): void => {
    const { observer } = this.#dependencies.telemetry
    observer.reads('l1', 'hit', this.#hits)
    observer.readSeconds(0, this.#hits, 'hit')
    this.#hits = 0
    this.#found.clear()
  }
}
