import type { CachePolicy } from '../context.js'
import type { EntryComparison } from '../inspection/compare-entry.js'
import {
  type Examination,
  examine,
  type ExplainDependencies,
  explainLocally,
  type LocalExplanation,
} from '../inspection/explanation.js'
import type { Invalidator } from '../invalidator.js'
import type { RowReads } from '../read/read-collector.js'
import type { TransactionReads } from '../read/transaction-reads.js'
import type { HeldLists } from './held-lists.js'
import type { LookupEntry } from './lookup-entry.js'
import type { Lookup } from './lookups.js'

export interface CachedLookupDependencies<Row> extends ExplainDependencies<LookupEntry<Row>, unknown> {
  readonly name: string
  readonly kind: Lookup<Row>['kind']
  readonly policy: Pick<CachePolicy, 'sharesRows'>
  readonly reads: RowReads<LookupEntry<Row>, unknown>
  /** Undefined unless L1 holds entries, and rows that are shared. */
  readonly held: HeldLists<Row> | undefined
  readonly transactionReads: TransactionReads<LookupEntry<Row>, unknown>
  readonly invalidator: Invalidator<LookupEntry<Row>, unknown>
  readonly compare: (key: unknown) => Promise<EntryComparison>
  /** Gives rows that a transaction has read the form of other rows. */
  readonly shape: (row: Row) => Row
}

/** A lookup whose entries are read like rows, by their keys. `createLookup` builds its collaborators. */
export class CachedLookup<Row> implements Lookup<Row> {
  readonly name: string
  readonly kind: Lookup<Row>['kind']
  readonly #dependencies: CachedLookupDependencies<Row>

  constructor(dependencies: CachedLookupDependencies<Row>) {
    this.name = dependencies.name
    this.kind = dependencies.kind
    this.#dependencies = dependencies
  }

  get isEmpty(): boolean {
    return this.#dependencies.reads.isEmpty
  }

  find(key: unknown): Promise<Row[]> {
    const { held, reads, transactionReads } = this.#dependencies
    const scope = transactionReads.current()
    if (scope) return transactionReads.get(scope, key).then(this.#shapedRowsOf)
    const rows = held?.get(key)
    return rows ? Promise.resolve(rows) : reads.get(key).then(this.#rowsOf)
  }

  findMany(keys: readonly unknown[]): Promise<Row[][]> {
    const { held, reads, transactionReads } = this.#dependencies
    if (keys.length === 0) return Promise.resolve([])
    if (held || transactionReads.current()) return Promise.all(keys.map((key) => this.find(key)))
    return reads.getMany(keys).then((entries) => entries.map(this.#rowsOf))
  }

  invalidate(keys: readonly unknown[]): Promise<void> {
    return this.#dependencies.invalidator.invalidate(keys)
  }

  async examine(key: unknown): Promise<Examination<{ readonly ids: readonly unknown[] }>> {
    return examine(this.#dependencies, this.#dependencies.model.keys.toRowId(key))
  }

  compare(key: unknown): Promise<EntryComparison> {
    return this.#dependencies.compare(key)
  }

  storeKeyOf(key: unknown): string {
    const { keys } = this.#dependencies.model
    return keys.keyOf(keys.toRowId(key))
  }

  explainLocally(key: unknown): LocalExplanation {
    return explainLocally(this.#dependencies, this.#dependencies.model.keys.toRowId(key))
  }

  /** Shared rows come in one array, which a caller may change. */
  readonly #rowsOf = (entry: LookupEntry<Row> | null): Row[] => {
    const rows = (entry?.rows ?? []) as Row[]
    return this.#dependencies.policy.sharesRows ? rows.slice() : rows
  }

  readonly #shapedRowsOf = (entry: LookupEntry<Row> | null): Row[] =>
    this.#rowsOf(entry).map(this.#dependencies.shape)
}
