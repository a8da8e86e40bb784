import type { Codec } from '../codec/codec.js'
import type { TransactionScope } from '../consistency/writes.js'
import type { Source } from '../source/source.js'
import { loadIsolating } from './isolating-load.js'
import type { Identity } from '../consistency/identity.js'
import type { KeySpace } from './key-space.js'
import type { ModelObserver } from './observer.js'
import type { Waiter } from './waiters.js'

export interface TransactionReadsParts<Row, Id> {
  readonly name: string
  /** Whether callers get frozen rows. */
  readonly sharesRows: boolean
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly source: Source<Row, Id>
  readonly observer: ModelObserver
}

interface Asked<Row, Id> {
  readonly id: Id
  readonly identity: Identity
  readonly waiter: Waiter<Row>
}

/**
 * Reads within transactions: past the cache, through the client of the transaction, which sees what it has written itself;
 * and nothing of it is kept. Those that one stretch of code asks for are one query.
 */
export class TransactionReads<Row, Id> {
  readonly #parts: TransactionReadsParts<Row, Id>
  readonly #asked = new Map<TransactionScope, Asked<Row, Id>[]>()

  constructor(parts: TransactionReadsParts<Row, Id>) {
    this.#parts = parts
  }

  /** @throws InvalidIdError */
  async get(scope: TransactionScope, id: Id): Promise<Row | null> {
    const { keys } = this.#parts
    const waiter = Promise.withResolvers<Row | null>()
    this.#ask(scope, { id: keys.snapshot(id), identity: keys.identityOf(id), waiter })
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
    const { keys, name, observer, source } = this.#parts
    const asked = this.#asked.get(scope)!
    this.#asked.delete(scope)
    // One id may be asked for twice, and each caller gets a row of its own: the second in a query of its own.
    const distinct = new Map(asked.map((read) => [read.identity, read]))
    const again = asked.filter((read) => distinct.get(read.identity) !== read)
    for (const read of again) this.#ask(scope, read)
    const first = [...distinct.values()]
    observer.misses('transaction', first.length)
    // An error ends a transaction, so there is no use in trying halves.
    const within: Source<Row, Id> = {
      isCanonical: source.isCanonical,
      load: (ids) => source.load(ids, scope.client),
      mayBlameOneId: () => false,
    }
    const loaded = await loadIsolating(within, keys, first, name)
    for (const [i, outcome] of loaded.entries()) {
      if ('error' in outcome) first[i]!.waiter.reject(outcome.error)
      else first[i]!.waiter.resolve(outcome.row && this.#shape(outcome.row))
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
