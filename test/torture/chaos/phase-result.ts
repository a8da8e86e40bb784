import type { History, Read } from '../history/history.ts'
import { judge, type Violation } from '../history/judge.ts'
import type { Circumstances } from '../history/promises.ts'
import type { Version } from '../history/rows.ts'
import type { Inflicted } from './faults.ts'
import { type ChaosLookup, isOfFlags } from './rows.ts'

/** Violations in the result, at most. */
const MAX_VIOLATIONS = 20
/** Versions of the row of a violation, at most. */
const MAX_VERSIONS = 8

/** What a phase has found, for the report. */
export function resultOf(
  history: History,
  recorded: readonly Version[],
  faults: readonly Inflicted[],
  circumstances: Circumstances,
) {
  const { counts, reads, writes } = history
  const { fenceMs } = circumstances
  const { violations, ...judged } = judge(recorded, history, circumstances)
  const stale = violations.filter(({ kind }) => kind !== 'backInTime')
  const ofLookups = stale.filter(({ lookup }) => !isOfFlags(lookup))
  const wrong = (kind: Violation['kind']): number => ofLookups.filter((one) => one.kind === kind).length
  const ofLots = reads.filter(({ lookup }) => !isOfFlags(lookup))
  const lists = ofLots.filter(({ lookup }) => (lookup as ChaosLookup).kind === 'list')
  const byKind = Map.groupBy(faults, ({ kind }) => kind)
  // `ROWS` of chaos.ts says what each figure counts.
  return {
    reads: reads.length - ofLots.length,
    hits: counts['store hit'] ?? 0,
    prismaReads: counts['Prisma answered'] ?? 0,
    resultReads: counts['results answered'] ?? 0,
    listReads: lists.length,
    composedReads: lists.filter(({ lookup }) => (lookup as ChaosLookup).isComposed).length,
    uniqueReads: ofLots.length - lists.length,
    entryHits: counts['entry store hit'] ?? 0,
    outdatedEntries: counts['entry miss outdated'] ?? 0,
    writes: writes.length,
    lotWrites: writes.filter(({ versions }) => versions.length === 0).length,
    unknownEnds: history.unknownEnds.length,
    refusedWrites: counts['error FenceError'] ?? 0,
    rolledBack: counts['rolled back'] ?? 0,
    staleReads: stale.length,
    staleOwnReads: stale.filter(({ isOwn }) => isOwn).length,
    missing: wrong('missing'),
    extra: wrong('extra'),
    outOfOrder: wrong('outOfOrder'),
    staleRows: wrong('stale'),
    backInTime: violations.length - stale.length,
    ...judged,
    faults: Object.fromEntries(Array.from(byKind, ([kind, ofKind]) => [kind, ofKind.length])),
    byFault: countByFault(reads, stale, byKind, fenceMs),
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
      during: faults.filter(({ from, to }) => from <= violation.end && to >= violation.start - fenceMs),
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
    const counts = { reads: reads.filter(isDuring).length, staleReads: stale.filter(isDuring).length }
    return [kind, counts] as const
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
