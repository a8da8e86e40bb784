import { ConfigurableModuleBuilder, type Type } from '@nestjs/common'
import type { Registry } from 'prom-client'
import type { AuditOptions } from '../cache/auditor.js'
import type { ConsistencyOptions } from '../consistency/settings.js'
import type { SlicerOptions } from '../event-loop/slicer.js'
import type { MemoryStoreOptions } from '../store/memory-store.js'
import type { Store } from '../store/store.js'
import type { ValkeyStoreOptions } from '../store/valkey-store.js'
import type { EventLoopModuleOptions, EventLoopOptions } from './event-loop/event-loop.options.js'

/** What forRoot takes. */
export interface ModelCacheModuleOptions {
  /**
   * The Prisma client, or the token under which the application provides it. Needed by definitions without a `load`,
   * and handed to those with one.
   */
  readonly prisma?: object | Type<object> | string | symbol
  /**
   * `'manual'`: the application calls `invalidate` after each write, and its Prisma client is not extended. @default a client that
   * `extendPrisma` has not extended is warned of at the start
   */
  readonly writes?: 'manual'
  /** Keeps rows in Valkey or Redis. @default rows stay in this process's memory */
  readonly valkey?: ValkeyStoreOptions
  /** Limits of the in-memory store, when there is no `valkey`. */
  readonly memory?: MemoryStoreOptions
  /** A store of your own instead; it stays yours to connect and close. */
  readonly store?: Store
  /** First part of every key; applications that share a server need different ones. @default 'mc', of a named root `'mc:<name>'` */
  readonly namespace?: string
  /** Where metrics go. @default prom-client's default registry */
  readonly registry?: Registry
  /** Stands before the name of each metric: `'shop_'`. @default nothing */
  readonly metricsPrefix?: string
  /** How the event loop is watched, and how much of each of its turns the caches may fill. */
  readonly eventLoop?: EventLoopOptions & SlicerOptions
  /** How writes and the caches are kept in step; see docs/consistency.md. */
  readonly consistency?: ConsistencyOptions
  /** Compares samples of what the store gives with the database, and counts what it finds. @default not */
  readonly audit?: AuditOptions
  /** Loads of rows from the database at once, of all models together; the others wait. @default 8 */
  readonly maxConcurrentLoads?: number
  /**
   * How many buckets the rows of a model are divided into, a power of two. A cluster is asked with one command per bucket, and
   * divides the load by buckets: at least ten times as many as nodes. All processes need the same. @default 64
   */
  readonly buckets?: number
}

export interface RootName {
  /**
   * Tells the roots of an application with several databases apart: `forFeature` and the token functions take it. Exactly one root has no
   * name, and watches the event loop for all. @default none
   */
  readonly name?: string
}

/** First part of the keys of a root. */
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
