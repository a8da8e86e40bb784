import { ConfigurableModuleBuilder, type Type } from '@nestjs/common'
import type { EventLoopModuleOptions, EventLoopOptions } from '@model-cache/event-loop'
import type { MetricsRegistry, SlicerOptions } from '@model-cache/event-loop/internal'
import type { ValkeyStoreOptions } from '../protocol/index.js'
import type { CacheRegistryOptions } from '../registry/cache-registry.js'
import type { WarmOptions } from '../warm/warm-options.js'
import type { FollowOption } from './followed-root.js'

/** The options of `ModelCacheModule.forRoot`. */
export interface ModelCacheModuleOptions extends Omit<CacheRegistryOptions, 'observer' | 'warn' | 'info'> {
  /**
   * The Prisma client, or the token under which your application provides it. Caches without a `load` read their rows from it; a
   * `load` gets it as its first argument.
   */
  readonly prisma?: object | Type<object> | string | symbol
  /**
   * The Prisma client of the primary, or its token, if `prisma` reads from a standby of PostgreSQL that this process writes to by way of the
   * primary. Rows that a write has changed are read from the primary until the standby has the write; see docs/recipes/regions.md.
   * @default rows that `prisma` has are current
   */
  readonly primary?: object | Type<object> | string | symbol
  /** How to connect to Valkey or Redis. @default rows stay in the memory of this process */
  readonly valkey?: ValkeyStoreOptions
  /** The first part of every key. Applications that share a server need different ones. @default `'mc'`, for a named root `'mc:<name>'` */
  readonly namespace?: string
  /**
   * The registry of prom-client that gets the metrics; `false` for none, so that this package need not be installed. @default
   * prom-client's default registry
   */
  readonly registry?: MetricsRegistry | false
  /** A prefix for the names of all metrics, such as `'shop_'`. @default none */
  readonly metricsPrefix?: string
  /** How the event loop is measured, and how much of each of its turns the caches may fill. */
  readonly eventLoop?: EventLoopOptions & SlicerOptions
  /**
   * Follows the log of the database, so that writes outside Prisma (out-of-band) invalidate rows as well: the result of `followPostgres`,
   * `followMysql` or `followElsewhere` of `@model-cache/follow`. @default such writes show when rows expire
   */
  readonly follow?: FollowOption
  /**
   * Warms the caches up after the start, with the ids of rows that are read often in another region or namespace; see docs/recipes/regions.md. `{}`
   * listens to `npx model-cache warm`. @default caches fill as rows are read
   */
  readonly warm?: WarmOptions
  /**
   * How many bytes of negative entries each cache of a process, with its lookups, may add to the store within its `notFoundTtl`,
   * so that reads of rows that do not exist cannot fill the store. It does not store further ones. As many bytes of empty lists
   * may live for its `ttl`; further empty lists live as long as negative entries. @default 4_194_304
   */
  readonly maxNotFoundBytes?: number
}

export interface RootName {
  /**
   * The name of this root, in an application with several databases: `forFeature` and the token functions take it. Exactly one root
   * has no name; it measures the event loop for all. @default none
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
    ...(registry !== undefined && { registry }),
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
