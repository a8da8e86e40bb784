import { ConfigurableModuleBuilder, type Type } from '@nestjs/common'
import type { EventLoopModuleOptions, EventLoopOptions } from '@model-cache/event-loop'
import type { MetricsRegistry, SlicerOptions } from '@model-cache/event-loop/internal'
import type { AuditOptions } from '../cache/telemetry/auditor.js'
import type {
  AtRestOptions,
  ConsistencyOptions,
  MemoryStoreOptions,
  Store,
  ValkeyStoreOptions,
} from '../protocol/index.js'
import type { WarmOptions } from '../warm/warm-options.js'
import type { FollowOption } from './followed-root.js'

/** The options of `ModelCacheModule.forRoot`. */
export interface ModelCacheModuleOptions {
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
  /**
   * `'manual'`: you call `invalidate` after each write, and do not extend the Prisma client. @default the log warns at start-up
   * if the client is not extended
   */
  readonly writes?: 'manual'
  /** How to connect to Valkey or Redis. @default rows stay in the memory of this process */
  readonly valkey?: ValkeyStoreOptions
  /** Limits of the in-memory store, which is used without `valkey`. */
  readonly memory?: MemoryStoreOptions
  /** A store of your own. You connect and close it. */
  readonly store?: Store
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
  /** How caches stay consistent with writes; see docs/consistency.md. */
  readonly consistency?: ConsistencyOptions
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
   * Encrypts what is stored: rows, lists, results, and ids in messages between processes; see docs/recipes/personal-data.md.
   * @default rows are stored in clear text
   */
  readonly atRest?: AtRestOptions
  /** Compares samples of stored rows with the database, and counts stale ones. @default off */
  readonly audit?: AuditOptions
  /**
   * How many loads from the database may run at once, over all models; one cache gets at most three quarters of them. Further
   * loads wait. If the source of a load reads caches, that needs no permit of its own. @default 8
   */
  readonly maxConcurrentLoads?: number
  /**
   * Milliseconds that a load may take. After that its readers get an error with the code `E_LOAD_TIMEOUT`, its permit goes to
   * other loads, and the library drops what it returns later. @default 30_000
   */
  readonly loadTimeoutMs?: number
  /**
   * How many bytes of negative entries each cache of a process, with its lookups, may add to the store within its `notFoundTtl`,
   * so that reads of rows that do not exist cannot fill the store. It does not store further ones. As many bytes of empty lists
   * may live for its `ttl`; further empty lists live as long as negative entries. @default 4_194_304
   */
  readonly maxNotFoundBytes?: number
  /**
   * Into how many buckets the rows of a model are divided, a power of two. A cluster gets one command per bucket and spreads the
   * load by buckets: use at least ten times as many as nodes. All processes need the same number. @default 64
   */
  readonly buckets?: number
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
