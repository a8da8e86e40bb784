import { undefinedImportError } from '../configuration-errors.js'
import { ModelCacheWrites } from '../protocol/index.js'
import type { FollowerReport } from './followed-root.js'
import { Inject } from '@nestjs/common'

/** Token of the store that the caches of the unnamed root share. */
export const MODEL_CACHE_STORE = Symbol('MODEL_CACHE_STORE')

/** Token of the observer that exports metrics to prom-client. */
export const MODEL_CACHE_OBSERVER = Symbol('MODEL_CACHE_OBSERVER')

/** Token of {@link CacheState}. */
export const MODEL_CACHE_STATE = Symbol('MODEL_CACHE_STATE')

/** State of the caches of a root, for health checks. */
export interface CacheState {
  /** Models whose L1 is currently bypassed, because this process receives no messages about writes of others. */
  readonly distrusted: readonly string[]

  /**
   * Models whose schema is new among running processes, each with the time from which this process stores its rows.
   * The call queries the store, which starts the wait of models that have not been read yet. If the store does not
   * answer, or has lost what it held, the result is empty.
   */
  newSchemas(): Promise<ReadonlyMap<string, Date>>

  /** What the follower of the database last said; null while nobody follows, undefined if nobody should. */
  readonly follower: FollowerReport | undefined | null
}

/**
 * Returns the token of a model's cache, for `overrideProvider` in tests and for `useFactory` providers.
 *
 * @param definition the definition or its name
 * @param root the name of the root that it is registered with. @default the unnamed root
 * @throws ConfigurationError if the definition is undefined, as in a circular import
 */
export function getModelCacheToken(definition: { readonly name: string } | string, root?: string): string {
  if (definition === undefined)
    throw undefinedImportError(
      'the definition of InjectModelCache, or of getModelCacheToken,',
      'a definition or its name',
    )
  const name = typeof definition === 'string' ? definition : definition.name
  const cache = root === undefined ? name : `${root}:${name}`
  // Nest prints the token where a cache is missing, and says nothing else of it.
  return `ModelCache:${cache} (of forFeature, or of createTestCache in a unit test)`
}

/** Returns the token of the {@link ModelCacheWrites} of a root, for `extendPrisma`: the class itself for the unnamed root. */
export function getModelCacheWritesToken(root?: string): string | typeof ModelCacheWrites {
  return root === undefined ? ModelCacheWrites : `ModelCacheWrites:${root}`
}

/** Returns the token of the store of a root: {@link MODEL_CACHE_STORE} for the unnamed root. */
export function getModelCacheStoreToken(root?: string): string | symbol {
  return root === undefined ? MODEL_CACHE_STORE : `ModelCacheStore:${root}`
}

/** Returns the token of the {@link CacheState} of a root. */
export function getCacheStateToken(root?: string): string | symbol {
  return root === undefined ? MODEL_CACHE_STATE : `ModelCacheState:${root}`
}

/** Returns the token of the observer of a root. */
export function getObserverToken(root?: string): string | symbol {
  return root === undefined ? MODEL_CACHE_OBSERVER : `ModelCacheObserver:${root}`
}

/**
 * Injects the cache of a definition.
 *
 * @param definition the definition or its name
 * @param root the name of the root that it is registered with. @default the unnamed root
 */
export const InjectModelCache = (
  definition: { readonly name: string } | string,
  root?: string,
): ReturnType<typeof Inject> => Inject(getModelCacheToken(definition, root))
