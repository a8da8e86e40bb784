/** `model-cache`: the public API, grouped by who reads it. */

// Who defines and uses caches
export {
  type CacheOf,
  defineModelCache,
  type IdOf,
  type ModelCacheDefinition,
  type L1Settings,
  type ModelCacheOptions,
} from './cache/definition.js'
export type { Duration } from './cache/duration.js'
export type { Explanation } from './cache/explanation.js'
export type { ModelCache } from './cache/model-cache.js'
export { bytes } from './codec/row-types.js'
export { decimal, json } from './source/prisma/prisma-types.js'
export type { ReviverSchema } from './codec/reviver-schema.js'
export { createStringifier, type Stringifier } from './codec/stringifier.js'
export { createReviver, type Reviver } from './codec/reviver.js'

// Who wires the application
export { ModelCacheModule } from './nest/model-cache.module.js'
export type { ModelCacheModuleOptions } from './nest/model-cache.options.js'
export { InjectModelCache } from './nest/model-cache.decorator.js'
export { type ExtendedPrismaOptions, provideExtendedPrisma } from './nest/provide-extended-prisma.js'
export {
  getModelCacheStoreToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  MODEL_CACHE_STORE,
} from './nest/model-cache.tokens.js'
export { EventLoopLagInterceptor } from './nest/event-loop-lag.interceptor.js'
export { EventLoopPressureGuard, NeverShed } from './nest/event-loop-pressure.guard.js'
export type { SheddingOptions } from './event-loop/shedding.js'
export { EventLoopPressure, type Pressure } from './event-loop/pressure.js'
export { BlockWatch, type Block, type BlockWatchOptions } from './event-loop/block-watch.js'

// Who brings a store or an observer, or works without Nest
export { createModelCache, type ModelCacheParts } from './create-model-cache.js'
export type {
  CatalogueAnswer,
  CatalogueEntry,
  CatalogueRequest,
  ChangedRegister,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Refusal,
  RegisterChange,
  RegisterScope,
  Store,
  StoreStateListener,
} from './store/store.js'
export { MemoryStore, type MemoryStoreOptions } from './store/memory-store.js'
export { ValkeyStore, type ValkeyStoreOptions } from './store/valkey-store.js'
export type { ValkeyClient, ValkeyConnectionOptions } from './store/valkey-client.js'
export type { Source } from './source/source.js'
export {
  createPrismaLoadSource,
  createPrismaSource,
  type PrismaSourceOptions,
} from './source/prisma/prisma-source.js'
export { createLoadSource } from './source/load-source.js'
export { Tick } from './cache/tick.js'
export { Slicer, type SlicerOptions } from './event-loop/slicer.js'
export { createLoadPermits, type LoadPermits } from './cache/load-permits.js'
export type { AuditOptions } from './cache/auditor.js'
export type { ConsistencyOptions } from './consistency/settings.js'
export { ModelCacheWrites } from './consistency/writes.js'
export type { ReadThroughCache } from './cache/read-through-cache.js'
export type {
  AuditOutcome,
  CacheObserver,
  FillOutcome,
  InvalidationKind,
  Layer,
  LoadOutcome,
  MissReason,
  ModelObserver,
  ReadOutcome,
  SyncOperation,
} from './cache/observer.js'
export { type CacheMetricsOptions, createCacheMetrics } from './metrics/cache-metrics.js'
export type { FillEvent, InvalidateEvent, LoadEvent, ReadEvent, StoreEvent } from './metrics/diagnostics.js'

// Who announces writes
export { extendPrisma, type ExtendPrismaOptions } from './source/prisma/extend-prisma.js'
export { verifyExtension } from './source/prisma/verify-extension.js'
export type {
  UnknownRowsReason,
  WriteCoordinator,
  WriteEnd,
  WriteUnit,
  WrittenRow,
} from './source/write-coordinator.js'

// Who handles errors
export {
  AlreadyExtendedError,
  CodecProofError,
  ConfigurationError,
  DuplicateDefinitionError,
  DuplicateRootError,
  EncodeError,
  FenceError,
  InvalidDurationError,
  InvalidIdError,
  InvalidIdFieldError,
  InvalidOptionError,
  InvalidSelectionError,
  LoadContractError,
  MissingDependenciesError,
  MissingPrismaError,
  MissingRootError,
  ModelCacheError,
  PrismaInternalsError,
  ReviverMismatchError,
  StoreError,
  StoreTimeoutError,
  UnknownModelError,
  UnsupportedSchemaError,
} from './errors.js'
