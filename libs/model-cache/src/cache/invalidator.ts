import type { RowFences, RegisterScope, RowId } from '../protocol/index.js'
import type { CacheContext } from './context.js'
import type { TransactionReads } from './read/transaction-reads.js'
import type { Siblings } from './sibling-caches.js'

/** Invalidates rows by hand: at once, or with the transaction of the caller. */
export class Invalidator<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #fences: RowFences
  readonly #transactionReads: TransactionReads<Row, Id>
  readonly #unknownScope: RegisterScope
  readonly #siblings: Pick<Siblings, 'all' | 'catchUp'>

  /**
   * @param unknownScope what an id stands for of which only the database knows the spelling
   * @param siblings what other processes store of the same ids
   */
  constructor(
    context: CacheContext<Row, Id>,
    fences: RowFences,
    transactionReads: TransactionReads<Row, Id>,
    unknownScope: RegisterScope,
    siblings: Pick<Siblings, 'all' | 'catchUp'>,
  ) {
    this.#context = context
    this.#fences = fences
    this.#transactionReads = transactionReads
    this.#unknownScope = unknownScope
    this.#siblings = siblings
  }

  /** @throws InvalidIdError */
  async invalidate(ids: readonly Id[]): Promise<void> {
    const { observer } = this.#context.telemetry
    // A hole is no id.
    const rowIds = Array.from(ids, (id) => this.#storedRowId(id))
    observer.invalidations('ids', rowIds.length)
    if (!rowIds.every((rowId) => rowId !== undefined)) {
      observer.unknownWrites('spelling')
      return this.#invalidateScope(this.#unknownScope)
    }
    const written = this.#transactionReads.current()?.fences
    if (written) {
      written.markWritten(this.#fences, rowIds)
      for (const { fences, hasSameIds } of this.#siblings.all)
        if (hasSameIds) written.markWritten(fences, rowIds)
        else written.markAllWritten(fences, this.#unknownScope)
      return
    }
    await this.#fences.release(rowIds, '')
    // Which has read the catalogue, unless the store did not answer.
    if (!this.#context.coherence.pending.isEmpty) await this.#siblings.catchUp()
    const releases = this.#siblings.all.map(({ fences, hasSameIds }) =>
      hasSameIds ? fences.release(rowIds, '') : fences.releaseAll('', this.#unknownScope),
    )
    await Promise.all(releases)
  }

  async invalidateAll(): Promise<void> {
    this.#context.telemetry.observer.invalidations('all', 1)
    await this.#invalidateScope('all')
  }

  async #invalidateScope(scope: RegisterScope): Promise<void> {
    const written = this.#transactionReads.current()?.fences
    if (written) written.markAllWritten(this.#fences, scope)
    else await this.#fences.releaseAll('', scope)
  }

  /** The row id as the database spells it; undefined where only the database knows. */
  #storedRowId(id: Id): RowId | undefined {
    const { keys, source } = this.#context.model
    const rowId = keys.toRowId(id)
    if (!source.canonicalOf) return rowId
    const canonical = source.canonicalOf(id)
    return canonical === undefined ? undefined : keys.toRowId(canonical)
  }
}
