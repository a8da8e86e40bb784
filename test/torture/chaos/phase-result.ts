import { checkLots, type LotViolation } from './check/lots/check-lots.ts'
import { checkReads } from './check/check-reads.ts'
import type { History, Read } from './check/history.ts'
import type { Inflicted } from './faults/fault.ts'
import type { RecordedVersion } from './lots/lot-table.ts'
import type { PhaseOptions } from './phase-options.ts'

/** A process that has not received its own heartbeat for two seconds, which takes a second at most, does not use its L1. */
const HEARING_MS = 3_000

/** Time that another pod has to hear of a write. */
export const hearingMsOf = (l1: boolean): number => (l1 ? HEARING_MS : 0)

/** Violations in the result, at most, of rows and of lots. */
const MAX_VIOLATIONS = 20
/** Versions of the row of a violation, at most. */
const MAX_VERSIONS = 8

/** What a phase has found, for the report. */
export function resultOf(
  history: History,
  recorded: readonly RecordedVersion[],
  faults: readonly Inflicted[],
  { fenceMs, l1 }: Pick<PhaseOptions, 'fenceMs' | 'l1'>,
) {
  const { counts, lots } = history
  const circumstances = {
    fenceMs,
    hearingMs: hearingMsOf(l1),
    losses: faults.filter(({ losesKeys }) => losesKeys),
    caughtUp: history.caughtUp,
  }
  const { violations, ...rest } = checkReads(history, circumstances)
  const checked = checkLots(recorded, lots, circumstances)
  const stale = violations.filter(({ kind }) => kind !== 'backInTime')
  const staleLots = checked.violations.filter(({ kind }) => kind !== 'backInTime')
  const wrong = (kind: LotViolation['kind']) =>
    staleLots.filter((violation) => violation.kind === kind).length
  const uniqueReads = lots.reads.filter(({ lookup }) => lookup.kind === 'unique').length
  const byKind = Map.groupBy(faults, ({ kind }) => kind)
  return {
    reads: history.readCount,
    /** Reads that Valkey answered. */
    hits: counts['store hit'] ?? 0,
    /** Queries of Prisma that a cache answered. */
    prismaReads: counts['Prisma answered'] ?? 0,
    /** Lists that were read. */
    listReads: lots.reads.length - uniqueReads,
    /** Reads of lots by a unique key, their ids among them. */
    uniqueReads,
    /** Reads of lists and unique keys whose entry was in Valkey. */
    entryHits: counts['entry store hit'] ?? 0,
    /** Entries that named a row which no longer belonged to them. */
    outdatedEntries: counts['entry miss outdated'] ?? 0,
    /** Committed transactions. */
    writes: history.writes.length + lots.writes.length,
    /** Of these, those of lots. */
    lotWrites: lots.writes.length,
    /** Transactions that may have been committed after their client had an error. */
    unknownEnds: history.unknownEnds.length + lots.unknownEnds.length,
    /** Transactions that were rolled back because Valkey did not take their fence. */
    refusedWrites: counts['error FenceError'] ?? 0,
    rolledBack: counts['rolled back'] ?? 0,
    /** Reads that returned older rows, or an older list, than promised, on the pod that wrote it or on any. */
    staleReads: stale.length + staleLots.length,
    staleOwnReads:
      stale.filter(({ kind }) => kind === 'own').length + staleLots.filter(({ isOwn }) => isOwn).length,
    /** Of these, reads of lists and unique keys that lacked a row, had one too many, had them in an old order, or with old values. */
    missing: wrong('missing'),
    extra: wrong('extra'),
    outOfOrder: wrong('outOfOrder'),
    staleRows: wrong('stale'),
    /** Reads that returned an older row, or an older list, than an earlier read of the same pod. */
    backInTime: violations.length - stale.length + checked.violations.length - staleLots.length,
    ...rest,
    faults: Object.fromEntries(Array.from(byKind, ([kind, ofKind]) => [kind, ofKind.length])),
    byFault: countByFault([...history.reads(), ...lots.reads], [...stale, ...staleLots], byKind, fenceMs),
    counts,
    violations: violations.slice(0, MAX_VIOLATIONS).map((violation) => ({
      ...violation,
      write: history.writes.find(({ revisions }) =>
        revisions.some(([row, revision]) => row === violation.row && revision === violation.expected),
      ),
      during: faults.filter(({ from, to }) => from <= violation.end && to >= violation.start - fenceMs),
    })),
    lotViolations: checked.violations.slice(0, MAX_VIOLATIONS).map((violation) => ({
      ...describeLotViolation(violation, recorded),
      during: faults.filter(({ from, to }) => from <= violation.end && to >= violation.start - fenceMs),
    })),
    lostLotWrites: checked.lostWrites,
  }
}

/** With the versions of the row. */
function describeLotViolation({ lookup, ...violation }: LotViolation, recorded: readonly RecordedVersion[]) {
  const versions = recorded.filter(({ id, from }) => id === violation.id && from <= violation.end)
  return {
    ...violation,
    lookup: `${lookup.release} ${lookup.name}`,
    versions: versions.slice(-MAX_VERSIONS),
  }
}

type Span = Pick<Read, 'start' | 'end'>

/** Reads during faults of each kind, or shortly after. Faults overlap, so most reads count several times. */
function countByFault(
  reads: Iterable<Span>,
  stale: readonly Span[],
  byKind: ReadonlyMap<string, readonly Inflicted[]>,
  afterMs: number,
): Record<string, { readonly reads: number; readonly staleReads: number }> {
  const found = Array.from(byKind, ([kind, ofKind]) => ({
    kind,
    isDuring: duringAny(ofKind, afterMs),
    reads: 0,
  }))
  for (const read of reads) for (const one of found) if (one.isDuring(read)) one.reads++
  return Object.fromEntries(
    found.map(({ kind, isDuring, reads }) => [kind, { reads, staleReads: stale.filter(isDuring).length }]),
  )
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
