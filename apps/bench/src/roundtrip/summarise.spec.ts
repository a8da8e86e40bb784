import type { ThroughputAnswer } from './protocol.ts'
import { intervalsOf, latencyCells, throughputCells } from './summarise.ts'

const answer = (roundTrips: number, idle: number): ThroughputAnswer => ({
  fixtures: { User: { serialize: 2 * roundTrips, deserialize: 3 * roundTrips, 'round trip': roundTrips } },
  idle,
})

describe('the summary of round trips', () => {
  const { cells, idlePerSecond } = throughputCells(
    new Map([['v1', [answer(90_000, 1), answer(100_000, 2), answer(120_000, 3)]]]),
  )

  it('has the medians of the rounds', () => {
    expect(cells.map(({ operation, perSecond }) => [operation, perSecond])).toEqual([
      ['serialize', 200_000],
      ['deserialize', 300_000],
      ['round trip', 100_000],
    ])
    expect(idlePerSecond).toBe(2)
  })

  it('lets operations be due at half of the pace that v1 can keep', () => {
    // 64 round trips of 10 µs take 640 µs.
    expect(intervalsOf(cells)).toEqual({ User: 1_280 })
  })

  it('has the median and the worst of the longest latencies', () => {
    const rounds = [900, 100, 200].map((maxUs) => ({ User: { p99Us: maxUs / 2, maxUs } }))
    expect(latencyCells(new Map([['v1', rounds]]))).toEqual([
      { candidate: 'v1', fixture: 'User', p99Us: 100, maxUs: 200, worstUs: 900 },
    ])
  })
})
