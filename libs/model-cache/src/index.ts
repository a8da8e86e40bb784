/**
 * `model-cache`: what an application needs. Stores, tools and tests of the library itself use `model-cache/advanced`;
 * an application without caches uses `@model-cache/event-loop`.
 *
 * @module model-cache
 */

// Definitions and caches
export {
  type CacheOf,
  type CacheOptions,
  type KeysOf,
  type ModelCacheDefinition,
} from './cache/policy/definition.js'
export type { LookupKeys, NoLookups } from './cache/policy/lookup-options.js'
export type { DerivedKeys } from './definitions/derived-lookups.js'
export { type DefineModelCache, modelCaches } from './definitions/model-caches.js'
export type { Duration } from './cache/policy/duration.js'
export type { Explanation } from './cache/inspection/explanation.js'
export type { ModelCache } from './cache/model-cache.js'

// Nest modules, tokens and providers
export { ModelCacheModule } from './nest/model-cache.module.js'
export type { ModelCacheModuleOptions } from './nest/model-cache.options.js'
export { InjectModelCache } from './nest/model-cache.decorator.js'
export { provideExtendedPrisma } from './nest/provide-extended-prisma.js'
export {
  getModelCacheStoreToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  MODEL_CACHE_STORE,
} from './nest/model-cache.tokens.js'
export { EventLoopLagInterceptor, EventLoopPressureGuard, NeverShed } from '@model-cache/event-loop'
export type { ConsistencyOptions, Store, ValkeyStoreOptions } from './protocol/index.js'

// Clients without Nest
export { ModelCacheWrites } from './protocol/index.js'
export { captured } from './source/prisma/capture/capture-client.js'
export { extendPrisma, type ExtendedPrisma, type ExtendPrismaOptions } from './source/prisma/extend-prisma.js'
export { cached } from './source/prisma/cached.js'
export type { CachedOptions } from './source/prisma/client-extensions.js'
export { invalidateResults } from './source/prisma/reads/answer-reads.js'
export type { Reads } from './source/prisma/reads/read-options.js'

// Events on node:diagnostics_channel
export type { FillEvent, InvalidateEvent, LoadEvent, ReadEvent, StoreEvent } from './metrics/diagnostics.js'

// Errors
export {
  ConfigurationError,
  type ErrorCode,
  FenceError,
  InvalidIdError,
  LoadContractError,
  ModelCacheError,
  StoreError,
} from './errors.js'
