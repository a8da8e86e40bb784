/** Token of the store that all caches share. */
export const MODEL_CACHE_STORE = Symbol('MODEL_CACHE_STORE')

/** Token of the observer that exports to prom-client. */
export const MODEL_CACHE_OBSERVER = Symbol('MODEL_CACHE_OBSERVER')

/** Token of {@link L1Coherence}. */
export const MODEL_CACHE_L1 = Symbol('MODEL_CACHE_L1')

/** Whether the memories of this process hear of writes in others. */
export interface L1Coherence {
  /** Models whose rows in memory are not used just now, because writes elsewhere are not heard of. */
  readonly distrusted: readonly string[]
}

/** Token of the event loop's metrics. */
export const EVENT_LOOP_METRICS = Symbol('EVENT_LOOP_METRICS')

/**
 * The token of a model's cache, for `overrideProvider` in tests and for `useFactory` providers.
 *
 * @param definition the definition, or its name
 */
export function getModelCacheToken(definition: { readonly name: string } | string): string {
  return `ModelCache:${typeof definition === 'string' ? definition : definition.name}`
}
