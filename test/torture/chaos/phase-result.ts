import type { History, Read } from '../history/history.ts'
import { judge, type Violation } from '../history/judge.ts'
import type { Circumstances } from '../history/promises.ts'
import type { Version } from '../history/rows.ts'
import type { Inflicted } from './faults.ts'
import { type ChaosLookup, isOfFlags, type PodL1 } from './rows.ts'

/** A process that has not received its own heartbeat for two seconds, which takes a second at most, does not use its L1. */
const HEARING_MS = 3_000

interface Judged {
  readonly fenceMs: number
  readonly l1: PodL1
}

export const circumstancesOf = ({ fenceMs, l1 }: Judged, faults: readonly Inflicted[]): Circumstances => ({
  fenceMs,
  /** Time that another pod has to hear of a write. */
  hearingMs: l1 ? HEARING_MS : 0,
  losses: faults.filter(({ losesKeys }) => losesKeys),
})

/** Violations in the result, at most. */
const MAX_VIOLATIONS = 20
/** Versions of the row of a violation, at most. */
const MAX_VERSIONS = 8

/** What a phase has found, for the report. */
export function resultOf(
  history: History,
  recorded: readonly Version[],
  faults: readonly Inflicted[],
  options: Judged,
) {
  const { counts, reads, writes } = history
  const { violations, ...judged } = judge(recorded, history, circumstancesOf(options, faults))
  const stale = violations.filter(({ kind }) => kind !== 'backInTime')
  const ofLookups = stale.filter(({ lookup }) => !isOfFlags(lookup))
  const wrong = (kind: Violation['kind']): number => ofLookups.filter((one) => one.kind === kind).length
  const ofLots = reads.filter(({ lookup }) => !isOfFlags(lookup))
  const lists = ofLots.filter(({ lookup }) => (lookup as ChaosLookup).kind === 'list')
  const byKind = Map.groupBy(faults, ({ kind }) => kind)
  return {
    /** Rows of flags that were read. */
    reads: reads.length - ofLots.length,
    /** Reads that Valkey answered. */
    hits: counts['store hit'] ?? 0,
    /** Queries of Prisma that a cache answered. */
    prismaReads: counts['Prisma answered'] ?? 0,
    /** Lists that were read. */
    listReads: lists.length,
    /** Of these, by queries of Prisma that read fundraisers as well. */
    composedReads: lists.filter(({ lookup }) => (lookup as ChaosLookup).isComposed).length,
    /** Reads of lots by a unique key, their ids among them. */
    uniqueReads: ofLots.length - lists.length,
    /** Reads of lists and unique keys whose entry was in Valkey. */
    entryHits: counts['entry store hit'] ?? 0,
    /** Entries that named a row which no longer belonged to them. */
    outdatedEntries: counts['entry miss outdated'] ?? 0,
    /** Committed transactions. */
    writes: writes.length,
    /** Of these, those of lots. */
    lotWrites: writes.filter(({ versions }) => versions.length === 0).length,
    /** Transactions that may have been committed after their client had an error. */
    unknownEnds: history.unknownEnds.length,
    /** Transactions that were rolled back because Valkey did not take their fence. */
    refusedWrites: counts['error FenceError'] ?? 0,
    rolledBack: counts['rolled back'] ?? 0,
    /** Reads that returned older rows, or an older list, than promised, on the pod that wrote it or on any. */
    staleReads: stale.length,
    staleOwnReads: stale.filter(({ isOwn }) => isOwn).length,
    /** Of these, reads of lists and unique keys that lacked a row, had one too many, had them in an old order, or with old values. */
    missing: wrong('missing'),
    extra: wrong('extra'),
    outOfOrder: wrong('outOfOrder'),
    staleRows: wrong('stale'),
    /** Reads that returned an older row, or an older list, than an earlier read of the same pod. */
    backInTime: violations.length - stale.length,
    ...judged,
    faults: Object.fromEntries(Array.from(byKind, ([kind, ofKind]) => [kind, ofKind.length])),
    byFault: countByFault(reads, stale, byKind, options.fenceMs),
    counts,
    violations: violations.slice(0, MAX_VIOLATIONS).map((violation) => ({
      ...violation,
      lookup: violation.lookup.name,
      versions: recorded
        .filter(({ id, from }) => id === violation.id && from <= violation.end)
        .slice(-MAX_VERSIONS),
      write: writes.find(({ versions }) =>
        versions.some(([id, version]) => id === violation.id && version === violation.expected),
      ),
      during: faults.filter(
        ({ from, to }) => from <= violation.end && to >= violation.start - options.fenceMs,
      ),
    })),
  }
}

type Span = Pick<Read, 'start' | 'end'>

/** Reads during faults of each kind, or shortly after. Faults overlap, so most reads count several times. */
function countByFault(
  reads: readonly Span[],
  stale: readonly Span[],
  byKind: ReadonlyMap<string, readonly Inflicted[]>,
  afterMs: number,
): Record<string, { readonly reads: number; readonly staleReads: number }> {
  const counted = Array.from(byKind, ([kind, ofKind]) => {
    const isDuring = duringAny(ofKind, afterMs)
    return [
      kind,
      { reads: reads.filter(isDuring).length, staleReads: stale.filter(isDuring).length },
    ] as const
  })
  return Object.fromEntries(counted)
}

function duringAny(faults: readonly Inflicted[], afterMs: number): (read: Span) => boolean {
  const spans: { from: number; to: number }[] = []
  for (const { from, to } of faults.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to + afterMs)
    else spans.push({ from, to: to + afterMs })
  }
  return ({ start, end }) => spans.some(({ from, to }) => start <= to && end >= from)
}
