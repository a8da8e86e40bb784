import type { AuditOutcome, FillOutcome, Layer, MissReason, QueryCoverage } from 'model-cache/internal'
import type { HotStatus } from './hot-status.js'
import type { QueriesWithSuggestions } from './suggestions/suggest-definitions.js'

export type {
  AuditOutcome,
  BypassedQuery,
  FillOutcome,
  Layer,
  MissingField,
  MissReason,
  QueryCoverage,
  ReportedCache,
  ReportedLookup,
} from 'model-cache/internal'
export type { HotStatus } from './hot-status.js'
export type {
  SuggestedAddition,
  SuggestedDefinition,
  SuggestionsReport,
} from './suggestions/describe-suggestions.js'
export type { ResultFault } from './suggestions/find-result-faults.js'
export type {
  QueriesWithSuggestions,
  ShownModelQueries,
  ShownQuery,
  ShownResult,
} from './suggestions/suggest-definitions.js'
export type { SuggestedModel, SuggestedResults } from './suggestions/suggest-results.js'

/*
 * The shapes of the JSON API, version 1. Times are ISO 8601, durations milliseconds, sizes bytes. Fields may be added; none is removed
 * or changed within a version.
 */

/** Which cache of an application: the name of its definition, and of its root unless that has none. */
export interface CacheName {
  readonly name: string
  readonly root: string | null
}

/** Quantiles of a histogram, interpolated within its buckets. Null without observations. */
export type Quantiles = { readonly p50: number; readonly p99: number } | null

/** Quantiles with the bounds of their buckets, which are all that a histogram knows: the lower one, and the upper one or null without. */
export type BoundedQuantiles =
  | (NonNullable<Quantiles> & {
      readonly p50Within: readonly [number, number | null]
      readonly p99Within: readonly [number, number | null]
    })
  | null

/** What happened to the rows of a cache, or to the entries of a lookup, over some time. */
export interface Figures {
  /** How long a time. */
  readonly seconds: number
  /** Reads that a layer answered, coalesced ones by `tick`. */
  readonly answered: Readonly<Record<Layer, number>>
  /** Reads of all layers. */
  readonly reads: number
  /** The part of reads that did not need the source, 0 to 1. Null without reads. */
  readonly hitRatio: number | null
  readonly loads: number
  readonly failedLoads: number
  /** Loads that took longer than `loadTimeoutMs`. */
  readonly timedOutLoads: number
  /** Milliseconds from the first read of a tick to its last row, if no row had to be loaded. */
  readonly hitMs: BoundedQuantiles
  /** Durations of reads for which at least one row was loaded. */
  readonly missMs: BoundedQuantiles
  readonly payloadBytes: BoundedQuantiles
  /** Bytes of written values before and after compression; 0 of a cache that does not compress. */
  readonly compressedBytes: { readonly before: number; readonly after: number }
  readonly misses: Readonly<Partial<Record<MissReason, number>>>
  readonly fills: Readonly<Partial<Record<FillOutcome, number>>>
  readonly audits: Readonly<Partial<Record<AuditOutcome, number>>>
  /** Queries of Prisma on the model, if its client has the option `reads`; none are counted for a lookup. */
  readonly queries: QueryFigures
  readonly invalidations: number
  /** Milliseconds of decoding. */
  readonly decodeMs: number
}

/** What became of the queries of Prisma on a model. */
export interface QueryFigures {
  /** Answered from the cache. */
  readonly answered: number
  /** Answered by the result of the same query. */
  readonly results: number
  /** Answered by the database, and compared with the cache. */
  readonly shadowed: number
  /** Answered by the database, by reason; see docs/transparent-reads.md. */
  readonly bypassed: Readonly<Record<string, number>>
}

/** Figures since the start of a process, and of the time before now. A young process has counted for less than an hour. */
export interface FiguresOverTime {
  readonly sinceStart: Figures
  /** Over 60 to 66 minutes. */
  readonly lastHour: Figures
  /** Over 5 to 5.5 minutes. */
  readonly last5Minutes: Figures
  /** Over the seconds since somebody looked before, six at most; null if nobody did. */
  readonly recent: Figures | null
}

/** A cache in one process. */
export interface ProcessCache<Measured = FiguresOverTime> extends CacheName {
  /** The fingerprint of the schema that this process stores and reads. */
  readonly fingerprint: string
  /** The fingerprints of all schemas whose rows may be in the store, as this process knows it. */
  readonly fingerprints: readonly string[]
  /** The epoch of rows that count; null while a write to unknown rows is under way, or the store does not answer. */
  readonly epoch: string | null
  /** Whether the process may store rows. */
  readonly mayFill: boolean
  /** Milliseconds until a process whose schema is new may store rows; otherwise 0. */
  readonly mayFillInMs: number
  /** Invalidations that the store has not taken: `'all'` for the whole model, otherwise the number of rows. */
  readonly pendingInvalidations: number | 'all'
  /** Why the proof of its codec failed, so that the process stores and uses no stored rows; null if it has not. */
  readonly unproven: string | null
  /** Rows in the memory of the process; null without `l1`. Not trusted while writes of other processes are not heard. */
  readonly l1: { readonly rows: number; readonly bytes: number; readonly isTrusted: boolean } | null
  /** Null without `l1.hot`. */
  readonly hot: HotStatus | null
  /** Whether writes outside Prisma to its rows are followed; null where nothing is followed. */
  readonly isFollowed: boolean | null
  /** Which queries of Prisma the cache answers; null if the client of the process answers none from it. */
  readonly coverage: QueryCoverage | null
  readonly figures: Measured
  readonly lookups: readonly {
    readonly name: string
    readonly hot: HotStatus | null
    readonly figures: Measured
  }[]
}

/** A period in which code blocked the event loop. */
export interface BlockReport {
  readonly at: string
  readonly holder: string
  readonly ms: number
  /** The frames of the code that ran, innermost first, without those of Node. */
  readonly stack: readonly string[]
}

/** What a holder has blocked the event loop for, over some time. */
export interface BlockTotal {
  readonly holder: string
  readonly blocks: number
  readonly ms: number
}

export interface EventLoopReport {
  /** Since somebody looked before, at most six seconds ago; null if nobody did. */
  readonly lagMs: Quantiles
  /** 0 to 1, over about the last second. */
  readonly utilization: number
  /** 0 to 1. */
  readonly pressure: number
  /** The latest blocks, newest first. */
  readonly blocks: readonly BlockReport[]
  /** All blocks by holder, the longest total first, 20 holders at most. */
  readonly blockTotals: {
    readonly lastHour: readonly BlockTotal[]
    readonly last5Minutes: readonly BlockTotal[]
  }
  /** Refused requests since the start, by handler. */
  readonly shed: Readonly<Record<string, number>>
}

export interface StoreReport {
  readonly root: string | null
  /** Such as `'valkey'` or `'memory'`. */
  readonly kind: string
  readonly namespace: string
  /** Such as `10.0.0.7:6379/0`, without credentials; null for a store without a server. */
  readonly address: string | null
  /** What the database calls itself, such as `database "shop" (PostgreSQL …)`; null without a Prisma client. */
  readonly database: string | null
  /** What writes do while the store takes no fences: `strict` refuses them. */
  readonly mode: 'strict' | 'available'
  /** Servers that are bypassed now. */
  readonly openCircuits: { readonly reads: number; readonly writes: number }
}

/** The store, or a node of it, became available or unavailable. */
export interface StoreChange {
  readonly at: string
  readonly side: 'reads' | 'writes'
  readonly state: 'up' | 'down'
  readonly reason: string
}

export interface FollowReport {
  readonly root: string | null
  /** `'nobody'` while no follower reports. */
  readonly state: 'opening' | 'following' | 'resigned' | 'nobody'
  readonly lagMs: number | null
  readonly lagBytes: number | null
  /** Whether it reads the log of a standby, whose lag adds to its own. */
  readonly isStandby: boolean
  /** How far the standby is behind its primary; null if that is unknown, or it is not one. */
  readonly standbyLagMs: number | null
  /** Changes that this process has read from the log since its start, by kind. */
  readonly events: Readonly<Record<string, number>>
  /** How often this process has begun to follow. */
  readonly takeovers: number
}

/** One process, as it sees itself. */
export interface ProcessReport<Measured = FiguresOverTime> {
  /** Unique; another one after a restart. */
  readonly id: string
  readonly host: string
  readonly pid: number
  /** The version of model-cache. */
  readonly version: string
  /** The option `environment`; null without one. */
  readonly environment: string | null
  readonly startedAt: string
  readonly rssBytes: number
  readonly eventLoop: EventLoopReport
  readonly stores: readonly StoreReport[]
  /** The latest ones, newest first. */
  readonly storeChanges: readonly StoreChange[]
  readonly follow: readonly FollowReport[]
  /** What the start-up checks found to be lost, such as a client that is not extended. */
  readonly warnings: readonly string[]
  readonly caches: readonly ProcessCache<Measured>[]
}

/** `GET processes` */
export interface ProcessesReport {
  readonly at: string
  /** The process that answers the request. */
  readonly self: string
  readonly processes: readonly ProcessReport[]
  /** Processes that answered within the last minute, and do not now. */
  readonly silent: readonly {
    readonly id: string
    readonly host: string
    readonly pid: number
    readonly lastAt: string
  }[]
}

/** What the charts show of a process over some seconds. */
export interface ChartSample {
  /** How long ago the time ended, by the clock of the process. */
  readonly agoMs: number
  /** How long a time: about two seconds. */
  readonly seconds: number
  readonly lagMs: Quantiles
  /** Reads of rows of all caches that a layer answered. */
  readonly answered: Readonly<Record<Layer, number>>
  /** Milliseconds of decoding by cache: the eight with the most. */
  readonly decodeMs: Readonly<Record<string, number>>
}

/** `GET history`: the last minute of each process that answered. */
export interface HistoryReport extends Omit<ProcessesReport, 'processes'> {
  readonly processes: readonly {
    readonly id: string
    /** The oldest first, 30 at most. */
    readonly samples: readonly ChartSample[]
  }[]
}

/** `GET queries`: what went to the database, and what to declare so that caches answer it. Since the start of the processes. */
export interface QueriesReport extends Omit<ProcessesReport, 'processes'> {
  /** The roots whose clients have `reads`. */
  readonly roots: readonly (QueriesWithSuggestions & { readonly root: string | null })[]
}

/** A row, or an entry, that is hot, over all processes that answered. */
export interface HotIdReport {
  /** The id of a row, or the key of an entry. */
  readonly id: string
  readonly readsPerSecond: number
  /** The part of all reads of the cache, or of the lookup, 0 to 1. */
  readonly share: number
  /** In how many processes it is hot. */
  readonly processes: number
  /** In how many processes L1 has it now. */
  readonly heldBy: number
}

/** A row, or an entry, that some process has read from the database or written, or heard a write of. */
export interface RecentIdReport {
  /** Null for a row. */
  readonly lookup: string | null
  /** The id of a row, or the key of an entry. */
  readonly id: string
  readonly at: string
  readonly what: 'missed' | 'written'
}

/** `GET recent`: ids to start from, by what the processes remember. */
export interface RecentReport extends Omit<ProcessesReport, 'processes'> {
  readonly cache: CacheName
  /** The newest first: ten rows, and ten entries of each lookup, at most. */
  readonly ids: readonly RecentIdReport[]
}

/** What the definition of a cache says, with its defaults, in the process that answers. */
export interface CacheOptionsReport {
  readonly ttlMs: number
  readonly notFoundTtlMs: number
  readonly refreshAheadMs: number
  readonly staleForMs: number
  /** Null without `l1`. */
  readonly l1: {
    readonly ttlMs: number
    readonly maxEntries: number
    readonly maxBytes: number
    /** Reads a second from which on a row is kept; null for every row. */
    readonly hot: number | null
  } | null
  readonly rows: 'copies' | 'shared'
  /** Prisma's arguments as JSON; null for none. */
  readonly select: string | null
  readonly include: string | null
  readonly omit: string | null
  /** Fields whose types the definition gives. */
  readonly refine: readonly string[]
  /** Whether the definition has a `schema`, and a `load`. */
  readonly schema: boolean
  readonly load: boolean
  readonly dependsOn: 'ttl' | readonly string[] | null
  readonly follow: 'required' | null
  /** Null for what fits the schema. */
  readonly format: string | null
  readonly largePayloadBytes: number
  /** Bytes above which values are compressed; null for none. */
  readonly compressAboveBytes: number | null
  readonly version: string | number | null
}

/** A cache, over all processes that answered. */
export interface CacheReport extends CacheName {
  readonly model: string
  readonly idFields: readonly { readonly name: string; readonly kind: string }[]
  readonly options: CacheOptionsReport
  /** How its values are stored, in words, if not as they are: `encrypted, compressed`. */
  readonly atRest: string | null
  /** Schema versions whose rows may be in the store, with the processes that run them; none for a version of the past. */
  readonly fingerprints: readonly { readonly fingerprint: string; readonly processes: readonly string[] }[]
  /** Sums over all processes; quantiles are those of all observations. */
  readonly figures: FiguresOverTime
  /** The hottest rows of the cache, most reads first. Null without `l1.hot`. */
  readonly hottest: readonly HotIdReport[] | null
  readonly lookups: readonly {
    readonly name: string
    readonly kind: 'unique' | 'list'
    readonly keyFields: readonly { readonly name: string; readonly kind: string }[]
    readonly definition: LookupDefinitionReport
    readonly figures: FiguresOverTime
    readonly hottest: readonly HotIdReport[] | null
  }[]
  /** What is allowed: see the option `actions`. */
  readonly actions: readonly Action[]
}

/** Which rows of a key a lookup finds. */
export interface LookupDefinitionReport {
  /** The many-to-many relation whose other side is the key; null if the key is fields of the rows. */
  readonly through: string | null
  /** The conditions as JSON; null without any. */
  readonly where: string | null
  /** Such as `amount desc`; empty for a unique key. */
  readonly orderBy: readonly string[]
  /** The maximum number of rows of a list; null for all rows, and for a unique key. */
  readonly limit: number | null
  /** A list with more rows is never stored; null where that cannot be. */
  readonly maxRows: number | null
}

export type Action = 'invalidate' | 'invalidateAll'

/** `GET caches`: every cache of the application, in order of names, and caches of other applications in the same namespace. */
export interface CachesReport extends Omit<ProcessesReport, 'processes'> {
  readonly caches: readonly CacheReport[]
  /** Caches that only other processes have, by the catalogue. */
  readonly foreign: readonly {
    readonly root: string | null
    readonly name: string
    readonly model: string | null
  }[]
}

/** `POST invalidate` */
export interface InvalidationReport {
  readonly at: string
  readonly cache: CacheName
  /** What was invalidated, as given. */
  readonly target:
    { readonly id: string } | { readonly lookup: string; readonly key: string } | { readonly all: true }
  /** Whether the store has taken it; otherwise it is pending and retried. */
  readonly isPending: boolean
}

/** Every error of the API. */
export interface ErrorReport {
  readonly error: {
    /** Such as `unknown_cache`, `invalid_id`, `forbidden_origin`, `action_not_allowed`, `too_many_requests`, `store_unavailable`. */
    readonly code: string
    readonly message: string
  }
}
