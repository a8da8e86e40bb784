import { HIGHEST } from './page.ts'
import {
  countStale,
  nameOf,
  numberIn,
  type WriteKind,
  type WrittenBid,
  type WrittenName,
} from './count-stale.ts'

const bid = (amount: number, at: number, kind: WriteKind = 'statement', lotId = 'a'): WrittenBid => ({
  kind,
  lotId,
  amount,
  at,
})
const read = (at: number, amounts: readonly number[], lotId = 'a') => ({ lotId, at, amounts, names: [] })
const name = (number: number, at: number, bidderId = 'Ann'): WrittenName => ({
  kind: 'rename',
  bidderId,
  number,
  at,
})

describe('countStale', () => {
  it('counts a list that omits a bid written before the read', () => {
    expect(countStale([read(30, [1])], [bid(2, 10)])).toEqual({
      staleReads: 1,
      byKind: { statement: 1, transaction: 0, killed: 0, rename: 0 },
      longestMs: 20,
    })
  })

  it('does not count bids that were written after the read began, or on other lots', () => {
    expect(countStale([read(30, [1])], [bid(2, 31), bid(3, 10, 'statement', 'b')]).staleReads).toBe(0)
  })

  it('does not count lists that show the bid', () => {
    expect(countStale([read(30, [3, 2, 1])], [bid(3, 10), bid(2, 5)]).staleReads).toBe(0)
  })

  it('lets a bid be missing from a list of as many higher ones as it shows, but not of fewer', () => {
    const higher = Array.from({ length: HIGHEST }, (_, index) => 10 + index)
    expect(countStale([read(30, higher)], [bid(2, 10)]).staleReads).toBe(0)
    expect(countStale([read(30, [...higher.slice(1), 1])], [bid(2, 10)]).staleReads).toBe(1)
  })

  it('finds an omitted bid among higher ones that are shown', () => {
    expect(countStale([read(30, [5, 3])], [bid(5, 20), bid(4, 10), bid(3, 5)]).staleReads).toBe(1)
  })

  it('counts a read once, by the oldest bid that it omits', () => {
    const counts = countStale([read(30, [])], [bid(3, 20, 'transaction'), bid(2, 10, 'killed')])
    expect(counts).toEqual({
      staleReads: 1,
      byKind: { statement: 0, transaction: 0, killed: 1, rename: 0 },
      longestMs: 20,
    })
  })

  it('counts a list that shows an earlier name of a bidder', () => {
    const shows = (number: number, at: number) => ({ ...read(at, []), names: [['Ann', number] as const] })
    const count = (number: number, at: number) =>
      countStale([shows(number, at)], [name(5, 10), name(4, 5), name(9, 10, 'Bob')]).byKind.rename
    expect(count(4, 30)).toBe(1)
    expect(count(0, 30)).toBe(1)
    expect(count(5, 30)).toBe(0)
    // The name was not yet written, or the next one is there already.
    expect(count(4, 9)).toBe(0)
    expect(count(6, 30)).toBe(0)
  })
})

describe('numberIn', () => {
  it('finds the number of a name again, and 0 in names of the demo', () => {
    expect(numberIn(nameOf(1_000_001))).toBe(1_000_001)
    expect(numberIn('Ann A.')).toBe(0)
  })
})
