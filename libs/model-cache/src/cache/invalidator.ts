import type { RowFences, RegisterScope, RowId } from '../protocol/index.js'
import type { ModelContext, Telemetry } from './context.js'
import type { TransactionReads } from './read/transaction-reads.js'

export interface InvalidatorDependencies<Row, Id> {
  readonly model: Pick<ModelContext<Row, Id>, 'keys' | 'source'>
  readonly telemetry: Pick<Telemetry<Id>, 'observer'>
  readonly writes: RowFences
  readonly transactionReads: Pick<TransactionReads<Row, Id>, 'current'>
  /** What an id stands for of which only the database knows the spelling. */
  readonly unknownScope: RegisterScope
}

/** Invalidates rows by hand: at once, or with the transaction of the caller. */
export class Invalidator<Row, Id> {
  readonly #dependencies: InvalidatorDependencies<Row, Id>

  constructor(dependencies: InvalidatorDependencies<Row, Id>) {
    this.#dependencies = dependencies
  }

  /** @throws InvalidIdError */
  async invalidate(ids: readonly Id[]): Promise<void> {
    const { telemetry, transactionReads, unknownScope, writes } = this.#dependencies
    const rowIds = ids.map((id) => this.#storedRowId(id))
    telemetry.observer.invalidations('ids', rowIds.length)
    if (!rowIds.every((rowId) => rowId !== undefined)) {
      telemetry.observer.unknownWrites('spelling')
      return this.#invalidateScope(unknownScope)
    }
    const fences = transactionReads.current()?.fences
    if (fences) fences.markWritten(writes, rowIds)
    else await writes.release(rowIds, '')
  }

  async invalidateAll(): Promise<void> {
    this.#dependencies.telemetry.observer.invalidations('all', 1)
    await this.#invalidateScope('all')
  }

  async #invalidateScope(scope: RegisterScope): Promise<void> {
    const { transactionReads, writes } = this.#dependencies
    const fences = transactionReads.current()?.fences
    if (fences) fences.markAllWritten(writes, scope)
    else await writes.releaseAll('', scope)
  }

  /** The row id as the database spells it; undefined where only the database knows. */
  #storedRowId(id: Id): RowId | undefined {
    const { keys, source } = this.#dependencies.model
    const rowId = keys.toRowId(id)
    if (!source.canonicalOf) return rowId
    const canonical = source.canonicalOf(id)
    return canonical === undefined ? undefined : keys.toRowId(canonical)
  }
}
