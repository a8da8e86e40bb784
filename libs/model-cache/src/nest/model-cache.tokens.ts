/** Token of the store that all caches share. */
export const MODEL_CACHE_STORE = Symbol('MODEL_CACHE_STORE')

/** Token of the observer that exports to prom-client. */
export const MODEL_CACHE_OBSERVER = Symbol('MODEL_CACHE_OBSERVER')

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
