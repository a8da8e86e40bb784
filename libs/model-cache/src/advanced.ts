/**
 * `model-cache/advanced`: for builders of stores, observers and tools, and for caches without Nest. An application that
 * imports `ModelCacheModule` needs none of it.
 *
 * @module model-cache/advanced
 */

// Caches without Nest
export { createModelCache, type CreateModelCacheOptions } from './create-model-cache.js'
export type { ReadThroughCache } from './cache/read-through-cache.js'
export { Tick } from './cache/read/tick.js'
export { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
export { Slicer, type SlicerOptions } from './event-loop/slicer.js'

// Stores, and the contract that they fulfil
export { MemoryStore } from './protocol/index.js'
export { ValkeyStore } from './protocol/index.js'
export type { ValkeyClient } from './protocol/index.js'
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
} from './protocol/index.js'

// The database that rows belong to
export { NamespaceDatabase, type NamespaceDatabaseOptions } from './protocol/index.js'
export type { Database, DatabaseDescription } from './source/database.js'
export { databaseOf } from './source/prisma/prisma-database.js'

// Sources
export { createLoadSource } from './source/load-source.js'
export {
  createPrismaLoadSource,
  createPrismaSource,
  type PrismaSourceOptions,
} from './source/prisma/prisma-source.js'
export type { RowQuery, Source } from './source/source.js'

// Definitions and the Prisma schema
export { type BoundDefinition, bindDefinition } from './definitions/bind-definition.js'
export { schemaFactsOf } from './source/prisma/schema/describe-schema.js'
export type { SchemaFacts } from './source/schema-facts.js'

// The ports through which a client announces writes and caches answer its queries
export type { AnsweringCache, AnsweringLookup, CachedRow, ReadCaches } from './source/read-caches.js'
export { verifyHooks } from './source/prisma/reads/verify-hooks.js'
export { verifyReads } from './source/prisma/reads/verify-reads.js'
export { verifyExtension } from './source/prisma/verify-extension.js'
export type {
  UnknownRowsReason,
  WatchedLookup,
  WriteCoordinator,
  WriteEnd,
  WriteUnit,
  WrittenRow,
} from './source/write-coordinator.js'
export type { FieldColumn, JoinTable, ModelTable, WriterSchema, WriterTable } from './source/tables.js'

// Observers
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
} from './cache/telemetry/observer.js'
export { type CacheMetricsOptions, createCacheMetrics } from './metrics/cache-metrics.js'
