import { HIGHEST } from '../page.ts'

/**
 * How a bid was written: by one statement, in an interactive transaction, or in one whose process was killed as soon as
 * it knew of its COMMIT.
 */
export type WriteKind = 'statement' | 'transaction' | 'killed'

export interface WrittenBid {
  readonly kind: WriteKind
  readonly lotId: string
  /** No two bids of an experiment are equal. */
  readonly amount: number
  /** When the write had returned with all that follows from it; for a killed one, when its bid was seen in the database. */
  readonly at: number
}

/** One list that a reader got. */
export interface ReadList {
  readonly lotId: string
  /** When the read began. */
  readonly at: number
  readonly amounts: readonly number[]
}

export interface StaleCounts {
  readonly staleReads: number
  /** By the oldest bid that a read omits. */
  readonly byKind: Readonly<Record<WriteKind, number>>
  /** Longest time from a write to a read that omits it, in milliseconds. */
  readonly longestMs: number
}

/**
 * Counts the lists that omit a bid which had been written before they were read. A bid may be missing from a list of ten
 * higher ones.
 */
export function countStale(reads: readonly ReadList[], writes: readonly WrittenBid[]): StaleCounts {
  const byLot = Map.groupBy(writes, ({ lotId }) => lotId)
  for (const ofLot of byLot.values()) ofLot.sort((one, other) => other.amount - one.amount)
  const byKind = { statement: 0, transaction: 0, killed: 0 }
  let longestMs = 0
  for (const read of reads) {
    const oldest = oldestOmitted(read, byLot.get(read.lotId) ?? [])
    if (!oldest) continue
    byKind[oldest.kind]++
    longestMs = Math.max(longestMs, read.at - oldest.at)
  }
  return { staleReads: byKind.statement + byKind.transaction + byKind.killed, byKind, longestMs }
}

/** @param writes to the lot, highest first */
function oldestOmitted({ at, amounts }: ReadList, writes: readonly WrittenBid[]): WrittenBid | undefined {
  const expected = writes.filter((write) => write.at < at).slice(0, HIGHEST)
  return expected
    .filter(({ amount }) => !amounts.includes(amount) && !isBelow(amount, amounts))
    .toSorted((one, other) => one.at - other.at)[0]
}

const isBelow = (amount: number, amounts: readonly number[]): boolean =>
  amounts.filter((shown) => shown > amount).length >= HIGHEST
