import { sum } from '../bench/harness.ts'
import { CommittedFloors, type ReadSince } from '../history/floors.ts'
import type { Read } from '../history/history.ts'
import { judgeRead } from '../history/judge-read.ts'
import type { Lookup, Row, Version } from '../history/rows.ts'
import { Timelines } from '../history/timelines.ts'
import { HIGHEST } from './page.ts'

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

const ofLot: Lookup = { name: 'topOfLot', by: ['lotId'], order: 'desc', limit: HIGHEST }
const byId: Lookup = { name: 'id', by: ['id'] }

/**
 * Counts the lists that omit a bid or a name which had been written before they were read. A bid may be missing from a list
 * of ten higher ones. A stale read counts by the
 * oldest write that it omits; `longestMs` is the longest time from such a write to its read.
 */
export function countStale(reads: readonly ReadList[], writes: readonly Written[]) {
  const versions: Version[] = []
  const floors = new CommittedFloors()
  const add = (row: Row): void =>
    void versions.push({ id: row.id, version: row.version, row, from: -Infinity })
  const bids = writes.filter((write) => write.kind !== 'rename')
  for (const { lotId, amount, at } of bids) floors.add(bidOf(lotId, amount).id, 1, at)
  const shown = reads.flatMap(rowsOf)
  const all = [...shown, ...bids.map(({ lotId, amount }) => bidOf(lotId, amount))]
  for (const row of new Map(all.map((row) => [row.id, row])).values()) add(row)
  const names = Map.groupBy(
    writes.filter((write) => write.kind === 'rename').toSorted((one, other) => one.number - other.number),
    ({ bidderId }) => bidderId,
  )
  // The first version of a name is the one before all that were written.
  for (const [id, ofBidder] of names) {
    add({ id, version: 1 })
    for (const [i, { at }] of ofBidder.entries()) {
      add({ id, version: i + 2 })
      floors.add(id, i + 2, at)
    }
  }
  const timelines = new Timelines(versions)
  const namesIn = (read: ReadList): Read[] =>
    read.names.flatMap(([id, number]) => {
      const ofBidder = names.get(id)
      if (!ofBidder) return []
      const version = 1 + ofBidder.filter((write) => write.number <= number).length
      return [readOf(read, byId, id, [{ id, version }])]
    })

  const isWrong = (part: ReadSince): boolean => judgeRead(part, timelines, floors) !== undefined
  const inOrder = writes.toSorted((one, other) => one.at - other.at)
  const byKind = { statement: 0, transaction: 0, killed: 0, rename: 0 }
  let longestMs = 0
  for (const read of reads) {
    const parts = [readOf(read, ofLot, read.lotId, rowsOf(read)), ...namesIn(read)]
    const omits = (write: Written | undefined): boolean =>
      write !== undefined && parts.some((part) => isWrong({ ...part, floorAt: write.at }))
    let [low, high] = [0, inOrder.findLastIndex(({ at }) => at < read.at)]
    if (!omits(inOrder[high])) continue
    // The oldest write whose knowledge the read contradicts.
    while (low < high) {
      const middle = (low + high) >> 1
      if (omits(inOrder[middle])) high = middle
      else low = middle + 1
    }
    const oldest = inOrder[low]!
    byKind[oldest.kind]++
    longestMs = Math.max(longestMs, read.at - oldest.at)
  }
  return { staleReads: sum(Object.values(byKind)), byKind, longestMs }
}

/** @param nth of equal bids of the demo */
const bidOf = (lotId: string, amount: number, nth = 0): Row => ({
  id: `${lotId} ${amount} ${nth}`,
  version: 1,
  lotId,
  sortOrder: amount,
})

/** Highest first. */
const rowsOf = ({ amounts, lotId }: ReadList): Row[] =>
  amounts
    .toSorted((one, other) => other - one)
    .map((amount, i, sorted) => bidOf(lotId, amount, i - sorted.indexOf(amount)))

const readOf = ({ at }: ReadList, lookup: Lookup, key: string, rows: readonly Row[]): Read => ({
  pod: 0,
  lookup,
  key,
  start: at,
  end: at,
  rows,
})
