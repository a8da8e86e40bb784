import type { CacheContext } from '../context.js'
import {
  type Examination,
  examine,
  explainLocally,
  type LocalExplanation,
} from '../inspection/explanation.js'
import type { Invalidator } from '../invalidator.js'
import type { RowReads } from '../read/read-collector.js'
import type { TransactionReads } from '../read/transaction-reads.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { MemberRows } from './entry-delivery.js'
import type { EntryL1 } from './entry-l1.js'
import type { L1Lists } from './l1-lists.js'
import type { LookupEntry } from './lookup-entry.js'
import type { Matcher } from './matcher.js'

/** What a lookup consists of. */
export interface CachedLookupParts<Row, Id> {
  readonly rows: MemberRows<Row, Id>
  readonly matcher: Matcher
  readonly l1: EntryL1<Row> | undefined
  readonly reads: RowReads<LookupEntry<Row>, unknown>
  /** Entries and rows in L1; undefined unless L1 has entries, and rows that are shared. */
  readonly l1Lists: L1Lists<Row, Id> | undefined
  readonly transactionReads: TransactionReads<LookupEntry<Row>, unknown>
  readonly invalidator: Invalidator<LookupEntry<Row>, unknown>
}

/** A lookup whose entries are read like rows, by their keys. `createLookup` builds its parts. */
export class CachedLookup<Row, Id> {
  readonly bound: BoundLookup
  readonly context: CacheContext<LookupEntry<Row>, unknown>
  readonly #parts: CachedLookupParts<Row, Id>

  constructor(
    bound: BoundLookup,
    context: CacheContext<LookupEntry<Row>, unknown>,
    parts: CachedLookupParts<Row, Id>,
  ) {
    this.bound = bound
    this.context = context
    this.#parts = parts
  }

  /** Whether no read is waiting for the end of its tick. */
  get isEmpty(): boolean {
    return this.#parts.reads.isEmpty
  }

  get l1(): EntryL1<Row> | undefined {
    return this.#parts.l1
  }

  get matcher(): Matcher {
    return this.#parts.matcher
  }

  /** Returns the rows of a key: of a unique key one at most. Every caller gets an array of its own. */
  find(key: unknown): Promise<Row[]> {
    const { l1Lists, reads, transactionReads } = this.#parts
    const scope = transactionReads.current()
    if (scope) return transactionReads.get(scope, key).then(this.#shapedRowsOf)
    const rows = l1Lists?.get(key)
    return rows ? Promise.resolve(rows) : reads.get(key).then(this.#rowsOf)
  }

  findMany(keys: readonly unknown[]): Promise<Row[][]> {
    const { l1Lists, reads, transactionReads } = this.#parts
    if (keys.length === 0) return Promise.resolve([])
    if (l1Lists || transactionReads.current()) return Promise.all(Array.from(keys, (key) => this.find(key)))
    return reads.getMany(keys).then((entries) => entries.map(this.#rowsOf))
  }

  invalidate(keys: readonly unknown[]): Promise<void> {
    return this.#parts.invalidator.invalidate(keys)
  }

  /** Explains an entry, and shows the ids that it names. @throws InvalidIdError, StoreError */
  async examine(key: unknown): Promise<Examination<{ readonly ids: readonly unknown[] }>> {
    return examine(this.context, this.#parts.l1, this.context.model.keys.toRowId(key))
  }

  /** The key of an entry in the store. @throws InvalidIdError */
  storeKeyOf(key: unknown): string {
    const { keys } = this.context.model
    return keys.keyOf(keys.toRowId(key))
  }

  /** @throws InvalidIdError */
  explainLocally(key: unknown): LocalExplanation {
    return explainLocally(this.context, this.#parts.l1, this.context.model.keys.toRowId(key))
  }

  /** Ends its audits. */
  stop(): void {
    this.context.telemetry.auditor?.stop()
  }

  /** Shared rows come in one array, which a caller may change. */
  readonly #rowsOf = (entry: LookupEntry<Row> | null): Row[] => {
    const rows = (entry?.rows ?? []) as Row[]
    return this.context.policy.sharesRows ? rows.slice() : rows
  }

  /** Gives rows that a transaction has read the form of other rows. */
  readonly #shapedRowsOf = (entry: LookupEntry<Row> | null): Row[] => {
    const { codec } = this.#parts.rows.context.model
    return this.#rowsOf(entry).map((row) => codec.normalize(row))
  }
}
