import type { Befallen } from '../faults/fault-log.ts'
import type { Read } from './history.ts'

export interface ReadsDuring {
  readonly reads: number
  readonly staleReads: number
}

/**
 * Reads that were under way during faults of each kind, or shortly after them. Faults of several kinds meet, so most reads are
 * counted several times.
 */
export function countByFault(
  reads: Iterable<Read>,
  stale: readonly Read[],
  faults: readonly Befallen[],
  afterMs: number,
): Record<string, ReadsDuring> {
  const kinds = Map.groupBy(faults, ({ kind }) => kind)
  const found = Array.from(kinds, ([kind, ofKind]) => ({ kind, during: during(ofKind, afterMs), reads: 0 }))
  for (const read of reads) for (const one of found) if (one.during(read)) one.reads++
  return Object.fromEntries(
    found.map(({ kind, during, reads }) => [kind, { reads, staleReads: stale.filter(during).length }]),
  )
}

function during(faults: readonly Befallen[], afterMs: number): (read: Read) => boolean {
  const spans: { from: number; to: number }[] = []
  for (const { from, to } of faults.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to + afterMs)
    else spans.push({ from, to: to + afterMs })
  }
  return ({ start, end }) => spans.some(({ from, to }) => start <= to && end >= from)
}
