/**
 * `model-cache/advanced`: for builders of stores, observers and tools. An application that imports `ModelCacheModule`, or
 * `CacheRegistry` of `model-cache/prisma`, needs none of it.
 *
 * @module model-cache/advanced
 */

// Caches, made of their parts
export { createModelCache, type CreateModelCacheOptions } from './create-model-cache.js'
export { KeptResults, type KeptResultsOptions } from './results/kept-results.js'
export type { ReadThroughCache } from './cache/read-through-cache.js'
export { Tick } from './cache/read/tick.js'
export { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
export { Slicer } from '@model-cache/event-loop/internal'
export { bindDefinition } from './definitions/bind-definition.js'

// Stores, and the contract that they fulfil
export { MemoryStore, ValkeyStore } from './protocol/index.js'
export type {
  CatalogueAnswer,
  CatalogueRequest,
  Fill,
  GuardedKey,
  LeaseAnswer,
  RegisterChange,
  Store,
} from './protocol/index.js'

// What is stored, encrypted
export { AtRest } from './protocol/index.js'

// The database that rows come from
export { createLoadSource } from './source/load-source.js'
export { createPrismaSource } from './source/prisma/prisma-source.js'
export type { Source } from './source/source.js'
export { schemaFactsOf } from './source/prisma/schema/describe-schema.js'
export type { SchemaFacts } from './source/schema-facts.js'
export { NamespaceDatabase } from './protocol/index.js'
export { databaseOf } from './source/prisma/prisma-database.js'
export { PrismaStandby } from './source/prisma/prisma-standby.js'
export { watchLoadOf } from './source/prisma/shared-connection.js'

// The port through which a client announces writes, and what verifies a client
export { verifyHooks } from './source/prisma/reads/verify-hooks.js'
export { clientQueriesOf, type ClientQueries } from './source/prisma/reads/client-queries.js'
export { verifyReads } from './source/prisma/reads/verify-reads.js'
export { verifyExtension } from './source/prisma/verify-extension.js'
export type {
  WatchedLookup,
  WriteCoordinator,
  WriteEnd,
  WriteUnit,
  WrittenRow,
} from './source/write-coordinator.js'
export type { WriterSchema } from './source/tables.js'

// Observers
export { type CacheObserver, type ModelObserver, silentObserver } from './cache/telemetry/observer.js'
export { createCacheMetrics } from './metrics/cache-metrics.js'
