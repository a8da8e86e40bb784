import { ConfigurableModuleBuilder, type Type } from '@nestjs/common'
import type { Registry } from 'prom-client'
import type { AuditOptions } from '../cache/auditor.js'
import type { ConsistencyOptions } from '../consistency/settings.js'
import type { SlicerOptions } from '../event-loop/slicer.js'
import type { MemoryStoreOptions } from '../store/memory-store.js'
import type { Store } from '../store/store.js'
import type { ValkeyStoreOptions } from '../store/valkey-store.js'
import type { EventLoopModuleOptions, EventLoopOptions } from './event-loop/event-loop.options.js'

/** Options of `ModelCacheModule.forRoot`. */
export interface ModelCacheModuleOptions {
  /**
   * The Prisma client, or the token that the application provides it under. Required by definitions without a `load`;
   * a `load` function receives it as its first argument.
   */
  readonly prisma?: object | Type<object> | string | symbol
  /**
   * `'manual'` declares that the application calls `invalidate` after each write and does not extend its Prisma client.
   * @default the start logs a warning if `extendPrisma` has not extended the client
   */
  readonly writes?: 'manual'
  /** The Valkey or Redis server that stores rows. @default rows stay in the memory of this process */
  readonly valkey?: ValkeyStoreOptions
  /** Limits of the in-memory store, used without `valkey` and `store`. */
  readonly memory?: MemoryStoreOptions
  /** Your own store instead of Valkey. You connect and close it. */
  readonly store?: Store
  /**
   * Prefix of every key. Applications that share a server need different ones.
   * @default 'mc'; `'mc:<name>'` for a named root
   */
  readonly namespace?: string
  /** The registry that metrics are added to. @default prom-client's default registry */
  readonly registry?: Registry
  /** Prefix of every metric name, such as `'shop_'`. @default none */
  readonly metricsPrefix?: string
  /** How the event loop is watched, and the time budget of the caches in each of its turns. Unnamed root only. */
  readonly eventLoop?: EventLoopOptions & SlicerOptions
  /** How caches are kept consistent with writes; see docs/consistency.md. */
  readonly consistency?: ConsistencyOptions
  /** Compares a sample of store hits with the database and counts the results. @default no audit */
  readonly audit?: AuditOptions
  /** Maximum number of concurrent loads from the database, of all models together. Others queue. @default 8 */
  readonly maxConcurrentLoads?: number
  /**
   * Number of hash-tag buckets of a model, a power of two. A cluster gets one command per bucket and spreads load by
   * bucket, so use at least ten times as many as nodes. All processes need the same number. @default 64
   */
  readonly buckets?: number
}

export interface RootName {
  /**
   * Name of this root, in an application with several databases. Pass it to `forFeature` and the token functions.
   * Exactly one root has no name; it watches the event loop for all. @default none
   */
  readonly name?: string
}

/** Prefix of the keys of a root. */
export function namespaceOf({ namespace }: ModelCacheModuleOptions, root: string | undefined): string {
  return namespace ?? (root === undefined ? 'mc' : `mc:${root}`)
}

/** Options of the `EventLoopModule` that the unnamed root imports. */
export function eventLoopOptionsOf({
  eventLoop,
  registry,
  metricsPrefix,
}: ModelCacheModuleOptions): EventLoopModuleOptions {
  return {
    ...eventLoop,
    ...(registry && { registry }),
    ...(metricsPrefix !== undefined && { metricsPrefix }),
  }
}

export const {
  ConfigurableModuleClass: ModelCacheOptionsModuleClass,
  MODULE_OPTIONS_TOKEN: MODEL_CACHE_OPTIONS,
  OPTIONS_TYPE,
  ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<ModelCacheModuleOptions>({ moduleName: 'ModelCache' })
  .setClassMethodName('forRoot')
  .setExtras<RootName>({})
  .build()
