import type { Codec } from '../codec/codec.js'
import type { ModelCacheWrites, TransactionScope } from '../consistency/writes.js'
import type { Source } from '../source/source.js'
import { loadIsolating } from './isolating-load.js'
import type { RowId } from '../consistency/row-id.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { ModelObserver } from './observer.js'
import type { Waiter } from './waiters.js'

export interface TransactionReadsParts<Row, Id> {
  readonly name: string
  /** Knows whether the caller is in a transaction. */
  readonly writes: Pick<ModelCacheWrites, 'current'> | undefined
  /** Reads a row outside of transactions. */
  readonly getOutside: (id: Id) => Promise<Row | null>
  /** Whether callers get frozen rows. */
  readonly sharesRows: boolean
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly source: Source<Row, Id>
  readonly observer: ModelObserver
}

interface Asked<Row, Id> {
  readonly id: Id
  readonly rowId: RowId
  readonly waiter: Waiter<Row>
}

/**
 * Reads within transactions: past the cache, through the client of the transaction, which sees what it has written itself;
 * and nothing of it is kept. Those that one stretch of code asks for are one query, or a few of `maxIds` ids. A read that
 * outlives its transaction is answered as one outside of it.
 */
export class TransactionReads<Row, Id> {
  readonly #parts: TransactionReadsParts<Row, Id>
  readonly #asked = new Map<TransactionScope, Asked<Row, Id>[]>()

  constructor(parts: TransactionReadsParts<Row, Id>) {
    this.#parts = parts
  }

  /** The transaction that the caller is in, if it is one of the database that rows are loaded from. */
  current(): TransactionScope | undefined {
    const scope = this.#parts.writes?.current()
    if (scope === undefined || this.#parts.source.isOwnTransaction?.(scope.client) === false) return undefined
    return scope
  }

  /** @throws InvalidIdError */
  async get(scope: TransactionScope, id: Id): Promise<Row | null> {
    const { keys } = this.#parts
    const waiter = Promise.withResolvers<Row | null>()
    this.#ask(scope, { id: keys.snapshot(id), rowId: keys.toRowId(id), waiter })
    return waiter.promise
  }

  #ask(scope: TransactionScope, read: Asked<Row, Id>): void {
    let asked = this.#asked.get(scope)
    if (!asked) {
      this.#asked.set(scope, (asked = []))
      queueMicrotask(() => void this.#load(scope))
    }
    asked.push(read)
  }

  async #load(scope: TransactionScope): Promise<void> {
    const { getOutside, keys, name, observer, source } = this.#parts
    const asked = this.#asked.get(scope)!
    this.#asked.delete(scope)
    // One id may be asked for twice, and each caller gets a row of its own: the second in a query of its own.
    const distinct = new Map(asked.map((read) => [read.rowId, read]))
    const again = asked.filter((read) => distinct.get(read.rowId) !== read)
    for (const read of again) this.#ask(scope, read)
    const first = [...distinct.values()]
    // An error ends a transaction, so there is no use in trying halves.
    const within: Source<Row, Id> = {
      isCanonical: source.isCanonical,
      load: (ids) => source.load(ids, scope.client),
      mayBlameOneId: () => false,
    }
    const { maxIds = 5_000 } = source
    // In sequence, as the one connection of the transaction answers them.
    for (let i = 0; i < first.length; i += maxIds) {
      const part = first.slice(i, i + maxIds)
      const loaded = scope.isOver ? undefined : await loadIsolating(within, keys, part, name)
      if (loaded) observer.misses('transaction', part.length)
      for (const [n, { id, waiter }] of part.entries()) {
        const outcome = loaded?.[n]
        // The transaction may have ended while it was asked.
        if (!outcome || ('error' in outcome && scope.isOver))
          getOutside(id).then(waiter.resolve, waiter.reject)
        else if ('error' in outcome) waiter.reject(outcome.error)
        else waiter.resolve(outcome.row && this.#shape(outcome.row))
      }
    }
  }

  /** Gives a row the form of one that was read from the store. */
  #shape(row: Row): Row {
    const { codec, sharesRows } = this.#parts
    const normal = codec.normalize(row)
    try {
      return sharesRows ? codec.freeze(normal) : normal
    } catch {
      // It does not match its schema, and is served all the same.
      return normal
    }
  }
}
