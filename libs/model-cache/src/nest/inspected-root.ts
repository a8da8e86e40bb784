import type { MetricsRegistry } from '@model-cache/event-loop/internal'
import type { InspectedCache } from '../cache/inspection/inspected-cache.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { Catalogue, Messages, Store } from '../protocol/index.js'
import type { ClientQueries } from '../source/prisma/reads/client-queries.js'
import type { QueryCoverage } from '../source/prisma/reads/query-coverage.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import type { FollowReports } from './followed-root.js'

/** The property of a provider that has what there is to see of a root: by it the inspector finds all roots of an application. */
export const inspectedRoot: unique symbol = Symbol('inspectedRoot')

/** What there is to see of the caches of a root. */
export interface InspectedRoot {
  /** Undefined for the unnamed root. */
  readonly name: string | undefined
  readonly namespace: string
  readonly store: Store
  /** The messages of the store, encrypted if rows are; undefined where the store has one process. */
  readonly messages: Messages | undefined
  /** What writes do while the store takes no fences: `strict` refuses them. */
  readonly mode: 'strict' | 'available'
  /** What the database calls itself; undefined without a Prisma client. */
  database(): string | undefined
  readonly catalogue: Catalogue
  /** Undefined if writes outside Prisma are not followed. */
  readonly follow: FollowReports | undefined
  /** Guarantees that start-up checks found to be lost, in sentences. */
  warnings(): readonly string[]
  readonly metrics: { readonly registry: MetricsRegistry; readonly prefix: string }
  /** What became of the queries of its client, and of those that read replicas, in this process: of each that has `reads`. */
  queries(): readonly ClientQueries[]
  /** The schema of its client; undefined without one. */
  schema(): SchemaFacts | undefined
  /** The caches by name. Lazily loaded modules add some. */
  caches(): ReadonlyMap<string, RootCache>
}

export interface RootCache {
  readonly cache: ModelCache<unknown, unknown>
  readonly inspected: InspectedCache<unknown, unknown>
  readonly definition: AnyModelCacheDefinition
  /** Undefined if the client answers no queries from the cache. */
  coverage(): QueryCoverage | undefined
}
