import type { Explanation } from '../cache/inspection/explanation.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { LookupKeys, NoLookups } from '../cache/policy/lookup-options.js'
import { notStartedError } from '../errors.js'

/** A cache that is injected while providers are created, and bound during start-up, once the Prisma client exists. */
export class DeferredCache<Row, Id, Keys extends LookupKeys = NoLookups> implements ModelCache<
  Row,
  Id,
  Keys
> {
  #cache: ModelCache<Row, Id, Keys>

  constructor(name: string) {
    this.#cache = unboundCache(name)
  }

  bind(cache: ModelCache<Row, Id, Keys>): void {
    this.#cache = cache
  }

  get(id: Id): Promise<Row | null> {
    return this.#cache.get(id)
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    return this.#cache.getMany(ids)
  }

  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]> {
    return this.#cache.getManySettled(ids)
  }

  getBy<Name extends keyof Keys['unique'] & string>(
    name: Name,
    key: Keys['unique'][Name],
  ): Promise<Row | null> {
    return this.#cache.getBy(name, key)
  }

  getManyBy<Name extends keyof Keys['unique'] & string>(
    name: Name,
    keys: readonly Keys['unique'][Name][],
  ): Promise<(Row | null)[]> {
    return this.#cache.getManyBy(name, keys)
  }

  list<Name extends keyof Keys['lists'] & string>(name: Name, key: Keys['lists'][Name]): Promise<Row[]> {
    return this.#cache.list(name, key)
  }

  listMany<Name extends keyof Keys['lists'] & string>(
    name: Name,
    keys: readonly Keys['lists'][Name][],
  ): Promise<Row[][]> {
    return this.#cache.listMany(name, keys)
  }

  prime(rows: readonly Row[]): Promise<void> {
    return this.#cache.prime(rows)
  }

  invalidate(ids: Id | readonly Id[]): Promise<void> {
    return this.#cache.invalidate(ids)
  }

  invalidateBy(...key: Parameters<ModelCache<Row, Id, Keys>['invalidateBy']>): Promise<void> {
    return this.#cache.invalidateBy(...key)
  }

  invalidateAll(): Promise<void> {
    return this.#cache.invalidateAll()
  }

  explain(...asked: never[]): Promise<Explanation> {
    return this.#cache.explain(...(asked as [never]))
  }
}

/** Rejects every call. */
function unboundCache<Row, Id, Keys extends LookupKeys>(name: string): ModelCache<Row, Id, Keys> {
  const refuse = async (): Promise<never> => {
    throw notStartedError(name)
  }
  return {
    get: refuse,
    getMany: refuse,
    getManySettled: refuse,
    getBy: refuse,
    getManyBy: refuse,
    list: refuse,
    listMany: refuse,
    prime: refuse,
    invalidate: refuse,
    invalidateBy: refuse,
    invalidateAll: refuse,
    explain: refuse,
  }
}
