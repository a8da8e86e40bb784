import type { ModelCacheWrites, RowId, TransactionScope } from '../../protocol/index.js'
import type { Source } from '../../source/source.js'
import type { CacheContext } from '../context.js'
import { loadRows, type Loaded } from '../load/load-rows.js'
import { itemsOf, type NestedGroup, rowsPerCall } from '../load/nested-groups.js'
import { currentCalls, forCalls, SourceCall } from '../load/source-call.js'
import type { RowReads } from './read-collector.js'
import type { Waiter } from './waiters.js'

/** Knows the transaction of the caller. */
export type CurrentTransaction = Pick<ModelCacheWrites, 'current'>

interface TransactionRead<Row, Id> {
  readonly id: Id
  readonly rowId: RowId
  readonly waiter: Waiter<Row>
  /** The call of a source that waits for it. */
  readonly caller: SourceCall | undefined
}

/**
 * Reads within transactions: past the cache, through the client of the transaction, which sees its own writes. Nothing of it
 * is kept. The reads of one synchronous stretch of code are one query, or a few of `maxIds` ids. A read that outlives its
 * transaction is answered as one outside of it.
 */
export class TransactionReads<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #transactions: CurrentTransaction | undefined
  readonly #outside: RowReads<Row, Id>
  readonly #reads = new Map<TransactionScope, TransactionRead<Row, Id>[]>()

  /**
   * @param transactions undefined without `extendPrisma`
   * @param outside reads rows outside of transactions
   */
  constructor(
    context: CacheContext<Row, Id>,
    transactions: CurrentTransaction | undefined,
    outside: RowReads<Row, Id>,
  ) {
    this.#context = context
    this.#transactions = transactions
    this.#outside = outside
  }

  /** Whether the caller is in a transaction, of whichever database. */
  get isInTransaction(): boolean {
    return this.#transactions?.current() !== undefined
  }

  /** The transaction of the caller, if it is one of the database that rows are loaded from. */
  current(): TransactionScope | undefined {
    const scope = this.#transactions?.current()
    if (scope === undefined || this.#context.model.source.isOwnTransaction?.(scope.client) === false)
      return undefined
    return scope
  }

  /** @throws InvalidIdError, ModelCacheError (`E_LOAD_CYCLE`, `E_LOAD_TIMEOUT`) */
  async get(scope: TransactionScope, id: Id): Promise<Row | null> {
    const { keys } = this.#context.model
    const waiter = Promise.withResolvers<Row | null>()
    const caller = currentCalls()?.[0]
    const rowId = keys.toRowId(id)
    this.#add(scope, { id: keys.snapshot(id), rowId, waiter, caller })
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
    const reads = this.#reads.get(scope)!
    this.#reads.delete(scope)
    // Each caller gets a row of its own, so a second read of one id is another query.
    const distinct = new Map(reads.map((read) => [read.rowId, read]))
    const again = reads.filter((read) => distinct.get(read.rowId) !== read)
    for (const read of again) this.#add(scope, read)
    // In sequence, as the transaction has one connection.
    for (const part of this.#partsOf([...distinct.values()])) await this.#loadPart(scope, part)
  }

  /** The reads of each query, which have one caller. */
  #partsOf(reads: readonly TransactionRead<Row, Id>[]): (readonly TransactionRead<Row, Id>[])[] {
    const { name, source } = this.#context.model
    const groups: NestedGroup<TransactionRead<Row, Id>>[] = []
    for (const read of reads) {
      const { caller, rowId, waiter } = read
      try {
        itemsOf(groups, caller, caller?.nearestLoading(name, this, rowId)).push(read)
      } catch (error) {
        waiter.reject(error)
      }
    }
    return groups.flatMap((group) => {
      const { items } = group
      const most = rowsPerCall(group, source.maxIds ?? 5_000)
      return Array.from({ length: Math.ceil(items.length / most) }, (_, i) =>
        items.slice(i * most, (i + 1) * most),
      )
    })
  }

  async #loadPart(scope: TransactionScope, part: readonly TransactionRead<Row, Id>[]): Promise<void> {
    const { model, telemetry } = this.#context
    const loaded = scope.isOver ? undefined : await this.#loadWithin(scope, part)
    if (loaded) telemetry.observer.misses('transaction', part.length)
    for (const [n, { caller, id, waiter }] of part.entries()) {
      const outcome = loaded?.[n]
      // The transaction may have ended meanwhile.
      if (!outcome || ('error' in outcome && scope.isOver))
        forCalls(caller && [caller], () => this.#outside.get(id)).then(waiter.resolve, waiter.reject)
      else if ('error' in outcome) waiter.reject(outcome.error)
      else waiter.resolve(outcome.row && model.codec.normalize(outcome.row))
    }
  }

  #loadWithin(
    scope: TransactionScope,
    part: readonly TransactionRead<Row, Id>[],
  ): Promise<readonly Loaded<Row>[]> {
    const { model, runtime } = this.#context
    const { keys, name, source } = model
    // An error ends a transaction, so loading halves apart cannot help.
    const within: Source<Row, Id> = {
      isCanonical: source.isCanonical,
      load: (ids) => source.load(ids, scope.client),
      mayBlameOneId: () => false,
    }
    const call = new SourceCall(name, this, part, part[0]!.caller)
    return call
      .run(() => loadRows({ name, keys, source: within }, part), runtime.permits.timeoutMs)
      .catch((error: unknown) => part.map(() => ({ error })))
  }
}
