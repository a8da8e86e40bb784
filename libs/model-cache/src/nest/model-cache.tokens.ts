import { ModelCacheWrites } from '../consistency/writes.js'

/** Token of the store that all caches share. */
export const MODEL_CACHE_STORE = Symbol('MODEL_CACHE_STORE')

/** Token of the observer that exports to prom-client. */
export const MODEL_CACHE_OBSERVER = Symbol('MODEL_CACHE_OBSERVER')

/** Token of {@link CacheState}. */
export const MODEL_CACHE_STATE = Symbol('MODEL_CACHE_STATE')

/** How the caches of a root are doing. */
export interface CacheState {
  /** Models whose rows in memory are not used just now, because writes elsewhere are not heard of. */
  readonly distrusted: readonly string[]

  /**
   * Models whose schema is new among running processes, so that this process does not store their rows yet, with the time from which
   * it does. Asks the store, and so begins the wait of models that have not been read yet; a store that does not answer keeps nobody.
   */
  newSchemas(): Promise<ReadonlyMap<string, Date>>
}

/**
 * The token of a model's cache, for `overrideProvider` in tests and for `useFactory` providers.
 *
 * @param definition the definition, or its name
 * @param root the name of the root that it is registered with. @default the unnamed one
 */
export function getModelCacheToken(definition: { readonly name: string } | string, root?: string): string {
  const name = typeof definition === 'string' ? definition : definition.name
  return root === undefined ? `ModelCache:${name}` : `ModelCache:${root}:${name}`
}

/** The token of the {@link ModelCacheWrites} of a root, for `extendPrisma`. Of the unnamed root it is the class. */
export function getModelCacheWritesToken(root?: string): string | typeof ModelCacheWrites {
  return root === undefined ? ModelCacheWrites : `ModelCacheWrites:${root}`
}

/** The token of the store of a root. Of the unnamed root it is {@link MODEL_CACHE_STORE}. */
export function getModelCacheStoreToken(root?: string): string | symbol {
  return root === undefined ? MODEL_CACHE_STORE : `ModelCacheStore:${root}`
}

/** The token of the {@link CacheState} of a root. */
export function getCacheStateToken(root?: string): string | symbol {
  return root === undefined ? MODEL_CACHE_STATE : `ModelCacheState:${root}`
}

/** The token of the observer of a root. */
export function getObserverToken(root?: string): string | symbol {
  return root === undefined ? MODEL_CACHE_OBSERVER : `ModelCacheObserver:${root}`
}
