import type { RowId } from '../../consistency/row-id.js'
import type { ModelCacheWrites, TransactionScope } from '../../consistency/writes.js'
import type { Source } from '../../source/source.js'
import type { ModelContext, Telemetry } from '../context.js'
import { loadRows } from '../load/load-rows.js'
import type { Waiter } from './waiters.js'

export interface TransactionReadsDependencies<Row, Id> {
  readonly model: Omit<ModelContext<Row, Id>, 'store'>
  readonly telemetry: Pick<Telemetry<Id>, 'observer'>
  /** Knows the transaction of the caller; undefined without `extendPrisma`. */
  readonly writes: Pick<ModelCacheWrites, 'current'> | undefined
  /** Reads a row outside of transactions. */
  readonly getOutside: (id: Id) => Promise<Row | null>
}

interface TransactionRead<Row, Id> {
  readonly id: Id
  readonly rowId: RowId
  readonly waiter: Waiter<Row>
}

/**
 * Reads within transactions: past the cache, through the client of the transaction, which sees its own writes. Nothing of it
 * is kept. The reads of one synchronous stretch of code are one query, or a few of `maxIds` ids. A read that outlives its
 * transaction is answered as one outside of it.
 */
export class TransactionReads<Row, Id> {
  readonly #dependencies: TransactionReadsDependencies<Row, Id>
  readonly #reads = new Map<TransactionScope, TransactionRead<Row, Id>[]>()

  constructor(dependencies: TransactionReadsDependencies<Row, Id>) {
    this.#dependencies = dependencies
  }

  /** Whether the caller is in a transaction, of whichever database. */
  get isInTransaction(): boolean {
    return this.#dependencies.writes?.current() !== undefined
  }

  /** The transaction of the caller, if it is one of the database that rows are loaded from. */
  current(): TransactionScope | undefined {
    const { model, writes } = this.#dependencies
    const scope = writes?.current()
    if (scope === undefined || model.source.isOwnTransaction?.(scope.client) === false) return undefined
    return scope
  }

  /** @throws InvalidIdError */
  async get(scope: TransactionScope, id: Id): Promise<Row | null> {
    const { keys } = this.#dependencies.model
    const waiter = Promise.withResolvers<Row | null>()
    this.#add(scope, { id: keys.snapshot(id), rowId: keys.toRowId(id), waiter })
    return waiter.promise
  }

  #add(scope: TransactionScope, read: TransactionRead<Row, Id>): void {
    let reads = this.#reads.get(scope)
    if (!reads) {
      this.#reads.set(scope, (reads = []))
      queueMicrotask(() => void this.#load(scope))
    }
    reads.push(read)
  }

  async #load(scope: TransactionScope): Promise<void> {
    const { getOutside, model, telemetry } = this.#dependencies
    const { keys, name, source } = model
    const reads = this.#reads.get(scope)!
    this.#reads.delete(scope)
    // Each caller gets a row of its own, so a second read of one id is another query.
    const distinct = new Map(reads.map((read) => [read.rowId, read]))
    const again = reads.filter((read) => distinct.get(read.rowId) !== read)
    for (const read of again) this.#add(scope, read)
    const first = [...distinct.values()]
    // An error ends a transaction, so loading halves apart cannot help.
    const within: Source<Row, Id> = {
      isCanonical: source.isCanonical,
      load: (ids) => source.load(ids, scope.client),
      mayBlameOneId: () => false,
    }
    const { maxIds = 5_000 } = source
    // In sequence, as the transaction has one connection.
    for (let i = 0; i < first.length; i += maxIds) {
      const part = first.slice(i, i + maxIds)
      const loaded = scope.isOver ? undefined : await loadRows({ name, keys, source: within }, part)
      if (loaded) telemetry.observer.misses('transaction', part.length)
      for (const [n, { id, waiter }] of part.entries()) {
        const outcome = loaded?.[n]
        // The transaction may have ended meanwhile.
        if (!outcome || ('error' in outcome && scope.isOver))
          getOutside(id).then(waiter.resolve, waiter.reject)
        else if ('error' in outcome) waiter.reject(outcome.error)
        else waiter.resolve(outcome.row && model.codec.normalize(outcome.row))
      }
    }
  }
}
