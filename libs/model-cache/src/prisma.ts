/**
 * `model-cache/prisma`: what a process without Nest needs, such as a worker or a script: definitions, the registry that has their caches, and
 * Prisma clients whose writes invalidate them. It loads nothing of Nest. An application with Nest has all of it by `model-cache`.
 *
 * @module model-cache/prisma
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
export type { ByteSize, CompressOptions } from './cache/policy/byte-size.js'
export type { Duration } from './cache/policy/duration.js'
export type { Explanation } from './cache/inspection/explanation.js'
export type { ModelCache } from './cache/model-cache.js'

// The caches of a process
export { CacheRegistry, type CacheRegistryOptions } from './registry/cache-registry.js'
export type {
  AtRestKey,
  AtRestOptions,
  ConsistencyOptions,
  Store,
  ValkeyStoreOptions,
} from './protocol/index.js'

// Clients
export { ModelCacheWrites } from './protocol/index.js'
export { captured } from './source/prisma/capture/capture-client.js'
export { extendPrisma, type ExtendedPrisma, type ExtendPrismaOptions } from './source/prisma/extend-prisma.js'
export { cached, invalidateTags } from './source/prisma/cached.js'
export type { CachedOptions } from './source/prisma/client-extensions.js'
export { invalidateResults } from './source/prisma/reads/answer-reads.js'
export { type ExplainedQuery, explainQuery } from './source/prisma/reads/explain-query.js'
export type { QueryExplanation } from './source/prisma/reads/query-explanation.js'
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
