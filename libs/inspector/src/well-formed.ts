import { type HotStatus, maxHottest } from './hot-status.js'
import { maxRecent } from './recent-ids.js'
import type { CountsOverTime } from './counts-history.js'
import { maxEntryRows } from './entry-comparison.js'
import type { Knowledge, RootQueries, RowWrite } from './local-answers.js'
import { maxHolders, type ProcessFacts } from './process-facts.js'
import { maxSamples } from './recent-samples.js'
import type { BlockTotal, ChartSample, QueryCoverage, RecentIdReport } from './report.js'

/*
 * What other processes answer is checked: a newer version may answer something else, and whoever may publish in the namespace anything.
 */

type Check = (value: unknown) => boolean

const string: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number'
const boolean: Check = (value) => typeof value === 'boolean'

const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string)

const or =
  (check: Check, other: Check): Check =>
  (value) =>
    check(value) || other(value)

const nullable = (check: Check): Check => or(check, (value) => value === null)

const listOf =
  (check: Check, most = Infinity): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const eachOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)

/** Checks every field of a type; others may follow. */
function object<T>(checks: { readonly [Field in keyof T]-?: Check }): Check {
  const fields = Object.entries<Check>(checks)
  return (value) => isObject(value) && fields.every(([field, check]) => check(value[field]))
}

const counts = eachOf(eachOf(number))
const countsOverTime = object<CountsOverTime>({
  sinceStart: counts,
  lastHour: counts,
  last5Minutes: counts,
  recent: nullable(counts),
})
const root = nullable(string)
const quantiles = nullable(object({ p50: number, p99: number }))

const hot = nullable(
  object<HotStatus>({
    readsPerSecond: number,
    count: number,
    hottest: listOf(
      object<HotStatus['hottest'][number]>({ id: string, readsPerSecond: number, isHeld: boolean }),
      maxHottest,
    ),
  }),
)

const blockTotals = listOf(object<BlockTotal>({ holder: string, blocks: number, ms: number }), maxHolders)

const isProcessFacts = object<ProcessFacts>({
  id: string,
  host: string,
  pid: number,
  version: string,
  environment: nullable(string),
  startedAt: string,
  seconds: object<ProcessFacts['seconds']>({
    sinceStart: number,
    lastHour: number,
    last5Minutes: number,
    recent: number,
  }),
  rssBytes: number,
  eventLoop: object<ProcessFacts['eventLoop']>({
    lagMs: quantiles,
    utilization: number,
    pressure: number,
    blocks: listOf(object({ at: string, holder: string, ms: number, stack: listOf(string) })),
    blockTotals: object<ProcessFacts['eventLoop']['blockTotals']>({
      lastHour: blockTotals,
      last5Minutes: blockTotals,
    }),
    shed: eachOf(number),
  }),
  stores: listOf(
    object<ProcessFacts['stores'][number]>({
      root,
      kind: string,
      namespace: string,
      address: nullable(string),
      database: nullable(string),
      mode: oneOf('strict', 'available'),
      openCircuits: object({ reads: number, writes: number }),
    }),
  ),
  storeChanges: listOf(
    object<ProcessFacts['storeChanges'][number]>({
      at: string,
      side: oneOf('reads', 'writes'),
      state: oneOf('up', 'down'),
      reason: string,
    }),
  ),
  follow: listOf(
    object<ProcessFacts['follow'][number]>({
      root,
      state: oneOf('opening', 'following', 'resigned', 'nobody'),
      lagMs: nullable(number),
      lagBytes: nullable(number),
      isStandby: boolean,
      standbyLagMs: nullable(number),
      events: eachOf(number),
      takeovers: number,
    }),
  ),
  warnings: listOf(string),
  caches: listOf(
    object<ProcessFacts['caches'][number]>({
      name: string,
      root,
      fingerprint: string,
      fingerprints: listOf(string),
      epoch: nullable(string),
      mayFill: boolean,
      mayFillInMs: number,
      pendingInvalidations: or(number, oneOf('all')),
      unproven: nullable(string),
      l1: nullable(object({ rows: number, bytes: number, isTrusted: boolean })),
      hot,
      isFollowed: nullable(boolean),
      coverage: nullable(
        object<QueryCoverage>({
          mode: oneOf('answer', 'shadow'),
          canAnswer: boolean,
          missing: listOf(object({ field: string, because: oneOf('omitted', 'reshaped') })),
        }),
      ),
      figures: countsOverTime,
      lookups: listOf(object({ name: string, hot, figures: countsOverTime })),
    }),
  ),
  listed: listOf(object<ProcessFacts['listed'][number]>({ root, names: listOf(string) })),
})

const isHistory = listOf(
  object<ChartSample>({
    agoMs: number,
    seconds: number,
    lagMs: quantiles,
    answered: object<ChartSample['answered']>({ tick: number, l1: number, store: number, source: number }),
    decodeMs: eachOf(number),
  }),
  maxSamples,
)

const isKnowledge = object<Knowledge>({
  l1: nullable(object({ isHeld: boolean, isTrusted: boolean })),
  isInvalidationPending: boolean,
  lastMiss: nullable(object({ at: string, reason: string })),
  lastWrite: nullable(object({ at: string, by: string, rows: listOf(string), rowCount: number })),
  lastUnknownWrite: nullable(object({ at: string, what: oneOf('all', 'created') })),
})

const areRootQueries = listOf(object<RootQueries>({ root, queries: isObject }))
const areRecentIds = listOf(
  object<RecentIdReport>({
    lookup: nullable(string),
    id: string,
    at: string,
    what: oneOf('missed', 'written'),
  }),
  // Enough for the rows, and for more lookups than a cache has.
  maxRecent * 100,
)
const areRowWrites = listOf(object<RowWrite>({ id: string, at: string, by: string }), maxEntryRows)

/** The facts of a process; empty for anything else. */
export function factsIn(answer: unknown): readonly ProcessFacts[] {
  return isProcessFacts(answer) ? [answer as ProcessFacts] : []
}

/** The last minute of a process; empty for anything else. */
export function samplesIn(answer: unknown): readonly ChartSample[] {
  return isHistory(answer) ? (answer as ChartSample[]) : []
}

/** The queries of each root, which are checked where they are added; empty for anything else. */
export function rootQueriesIn(answer: unknown): readonly RootQueries[] {
  return areRootQueries(answer) ? (answer as RootQueries[]) : []
}

/** What a process knows of a row or an entry; empty for anything else. */
export function knowledgeIn(answer: unknown): readonly Knowledge[] {
  return isKnowledge(answer) ? [answer as Knowledge] : []
}

/** The recent ids of a process; empty for anything else. */
export function recentIdsIn(answer: unknown): readonly RecentIdReport[] {
  return areRecentIds(answer) ? (answer as RecentIdReport[]) : []
}

/** The last writes to rows that a process remembers; empty for anything else. */
export function writesIn(answer: unknown): readonly RowWrite[] {
  return areRowWrites(answer) ? (answer as RowWrite[]) : []
}
