import type { Explanation } from '../cache/explanation.js'
import type { ModelCache } from '../cache/model-cache.js'
import { LoadContractError } from '../errors.js'

/** A cache that is injected while providers are created, and bound during start-up, once the Prisma client exists. */
export class DeferredCache<Row, Id> implements ModelCache<Row, Id> {
  #cache: ModelCache<Row, Id>

  constructor(name: string) {
    this.#cache = unboundCache(name)
  }

  bind(cache: ModelCache<Row, Id>): void {
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

  prime(rows: readonly Row[]): Promise<void> {
    return this.#cache.prime(rows)
  }

  invalidate(ids: Id | readonly Id[]): Promise<void> {
    return this.#cache.invalidate(ids)
  }

  invalidateAll(): Promise<void> {
    return this.#cache.invalidateAll()
  }

  explain(id: Id): Promise<Explanation> {
    return this.#cache.explain(id)
  }
}

/** Rejects every call. */
function unboundCache<Row, Id>(name: string): ModelCache<Row, Id> {
  const refuse = async (): Promise<never> => {
    throw new LoadContractError(
      name,
      'cannot run before ModelCacheModule has been initialised; use the cache in onApplicationBootstrap or later.',
    )
  }
  return {
    get: refuse,
    getMany: refuse,
    getManySettled: refuse,
    prime: refuse,
    invalidate: refuse,
    invalidateAll: refuse,
    explain: refuse,
  }
}
