import type { InspectedCache } from '../cache/inspection/inspected-cache.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { Catalogue, Store } from '../protocol/index.js'
import type { FollowWatch } from '../follow/follow-watch.js'
import type { MetricsRegistry } from '../metrics/registry.js'
import type { QueryCoverage } from '../source/prisma/reads/query-coverage.js'

export type { MissingField, QueryCoverage } from '../source/prisma/reads/query-coverage.js'

/** What there is to see of the caches of a root. */
export interface InspectedRoot {
  /** Undefined for the unnamed root. */
  readonly name: string | undefined
  readonly namespace: string
  readonly store: Store
  readonly catalogue: Catalogue
  /** Undefined if writes outside Prisma are not followed. */
  readonly follow: FollowWatch | undefined
  /** Guarantees that start-up checks found to be lost, in sentences. */
  warnings(): readonly string[]
  readonly metrics: { readonly registry: MetricsRegistry; readonly prefix: string }
  /** By name. Lazily loaded modules add caches. */
  caches(): ReadonlyMap<string, RootCache>
}

export interface RootCache {
  readonly cache: ModelCache<unknown, unknown>
  readonly inspected: InspectedCache<unknown, unknown>
  /** Undefined if the client answers no queries from the cache. */
  coverage(): QueryCoverage | undefined
}
