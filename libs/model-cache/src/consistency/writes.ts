import { AsyncLocalStorage } from 'node:async_hooks'
import type { Identity } from './identity.js'
import type { ModelWrites } from './model-writes.js'
import { WriteUnit } from './write-unit.js'

/** A cache, as who writes to its model sees it. */
export interface WrittenCache {
  /** The Prisma model. */
  readonly model: string
  /** Empty for a model that the rows of the cache depend on: each write to it counts as one to all rows. */
  readonly idFields: readonly string[]
  /** What a row, or an object of its id fields, is known by. */
  readonly identityOf: (row: Readonly<Record<string, unknown>>) => Identity
  readonly writes: ModelWrites
  /** Told of rows that could not be told, by a fixed word. */
  readonly onAllTouched: (reason: string) => void
}

/** Where a transaction is at work: reads go to it, and what is invalidated is fenced and settled with it. */
export interface TransactionScope {
  readonly unit: WriteUnit
  /** The client of the transaction. */
  readonly client: object
}

/** One write, as the Prisma extension speaks of it: in models and rows. */
class ModelWriteUnit {
  readonly unit = new WriteUnit()
  readonly #cachesOf: (model: string) => readonly WrittenCache[]

  constructor(cachesOf: (model: string) => readonly WrittenCache[]) {
    this.#cachesOf = cachesOf
  }

  get isFenced(): boolean {
    return this.unit.isFenced
  }

  touch(model: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
    for (const { idFields, identityOf, onAllTouched, writes } of this.#cachesOf(model)) {
      if (idFields.length === 0) {
        this.unit.touchAll(writes)
        onAllTouched('dependency')
        continue
      }
      const identified = rows.filter((row) => idFields.every((field) => row[field] !== undefined))
      this.unit.touch(writes, identified.map(identityOf))
    }
  }

  touchAll(model: string, reason: string): void {
    for (const { onAllTouched, writes } of this.#cachesOf(model)) {
      this.unit.touchAll(writes)
      onAllTouched(reason)
    }
  }

  fence(): Promise<void> {
    return this.unit.fence()
  }

  settle(): Promise<void> {
    return this.unit.settle()
  }
}

/**
 * What is written through Prisma reaches the caches here: `extendPrisma(client, writes)`. One for all caches of an application;
 * with Nest it is provided under this class.
 */
export class ModelCacheWrites {
  readonly #caches = new Map<string, WrittenCache[]>()
  readonly #scopes = new AsyncLocalStorage<TransactionScope>()

  add(cache: WrittenCache): void {
    const caches = this.#caches.get(cache.model)
    if (caches) caches.push(cache)
    else this.#caches.set(cache.model, [cache])
  }

  remove(cache: WrittenCache): void {
    const others = this.#of(cache.model).filter((other) => other !== cache)
    if (others.length > 0) this.#caches.set(cache.model, others)
    else this.#caches.delete(cache.model)
  }

  /** The id fields of each cache of a model, none for one that depends on it; empty when no cache is concerned. */
  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#of(model).map(({ idFields }) => idFields)
  }

  begin(): ModelWriteUnit {
    return new ModelWriteUnit((model) => this.#of(model))
  }

  /** Runs `work` so that reads of caches within it go to `client`, and what is invalidated within it belongs to the unit. */
  within<T>({ unit }: ModelWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    return this.#scopes.run({ unit, client }, work)
  }

  /** The transaction that the caller is in. */
  current(): TransactionScope | undefined {
    const scope = this.#scopes.getStore()
    // Work that nobody waited for may outlive its transaction.
    return scope?.unit.isOver ? undefined : scope
  }

  #of(model: string): readonly WrittenCache[] {
    return this.#caches.get(model) ?? none
  }
}

const none: readonly never[] = []
