import { HIGHEST } from '../page.ts'

/**
 * How a bid was written: by one statement, in an interactive transaction, or in one whose process was killed as soon as
 * it knew of its COMMIT.
 */
export type WriteKind = 'statement' | 'transaction' | 'killed'

/** A statement that gives a bidder another name: an update of a row that lists show, and that enters none. */
export interface WrittenName {
  readonly kind: 'rename'
  readonly bidderId: string
  /** Higher than in all names that the bidder had before. */
  readonly number: number
  readonly at: number
}

export interface WrittenBid {
  readonly kind: WriteKind
  readonly lotId: string
  /** No two bids of an experiment are equal. */
  readonly amount: number
  /** When the write had returned with all that follows from it; for a killed one, when its bid was seen in the database. */
  readonly at: number
}

/** A name with a number, which {@link numberIn} finds again. */
export const nameOf = (number: number): string => `Bidder ${number}`
/** The number in a name; 0 for one without. */
export const numberIn = (name: string): number => Number(/^Bidder (\d+)$/.exec(name)?.[1] ?? 0)

export type Written = WrittenBid | WrittenName

/** One list that a reader got. */
export interface ReadList {
  readonly lotId: string
  /** When the read began. */
  readonly at: number
  readonly amounts: readonly number[]
  /** The bidders of these bids, and the numbers in their names. */
  readonly names: readonly (readonly [bidderId: string, number: number])[]
}

export interface StaleCounts {
  readonly staleReads: number
  /** By the oldest write that a read omits. */
  readonly byKind: Readonly<Record<Written['kind'], number>>
  /** Longest time from a write to a read that omits it, in milliseconds. */
  readonly longestMs: number
}

/**
 * Counts the lists that omit a bid or a name which had been written before they were read. A bid may be missing from a list
 * of ten higher ones.
 */
export function countStale(reads: readonly ReadList[], writes: readonly Written[]): StaleCounts {
  const bids = Map.groupBy(
    writes.filter((write) => write.kind !== 'rename'),
    ({ lotId }) => lotId,
  )
  for (const ofLot of bids.values()) ofLot.sort((one, other) => other.amount - one.amount)
  const names = Map.groupBy(
    writes.filter((write) => write.kind === 'rename'),
    ({ bidderId }) => bidderId,
  )
  const byKind = { statement: 0, transaction: 0, killed: 0, rename: 0 }
  let longestMs = 0
  for (const read of reads) {
    const omitted = [...omittedBids(read, bids.get(read.lotId) ?? []), ...omittedNames(read, names)]
    const [oldest] = omitted.toSorted((one, other) => one.at - other.at)
    if (!oldest) continue
    byKind[oldest.kind]++
    longestMs = Math.max(longestMs, read.at - oldest.at)
  }
  const staleReads = Object.values(byKind).reduce((all, count) => all + count)
  return { staleReads, byKind, longestMs }
}

/** @param writes to the lot, highest first */
function omittedBids({ at, amounts }: ReadList, writes: readonly WrittenBid[]): WrittenBid[] {
  const expected = writes.filter((write) => write.at < at).slice(0, HIGHEST)
  return expected.filter(({ amount }) => !amounts.includes(amount) && !isBelow(amount, amounts))
}

const isBelow = (amount: number, amounts: readonly number[]): boolean =>
  amounts.filter((shown) => shown > amount).length >= HIGHEST

/** @param writes by their bidders */
function omittedNames(
  { at, names }: ReadList,
  writes: ReadonlyMap<string, readonly WrittenName[]>,
): WrittenName[] {
  return names.flatMap(([bidderId, shown]) =>
    (writes.get(bidderId) ?? []).filter((write) => write.at < at && write.number > shown),
  )
}
