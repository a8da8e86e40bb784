import { figuresOf, presentWalkers } from './present-walkers.ts'
import { NOTES } from './readers.ts'
import type { WalkerResult } from './walkers-measurements.ts'

const result = (fixture: string, ceiling: number, others: number): WalkerResult => ({
  fixture,
  bytes: 100,
  dates: 1,
  timings: Object.fromEntries(
    Object.keys(NOTES).map((name) => [name, { ns: name === 'JSON.parse' ? ceiling : others, spread: 0.01 }]),
  ),
})

describe('what is presented of the walkers', () => {
  const measurements = { fixtures: [result('A', 100, 200), result('B', 100, 50), result('C', 10, 40)] }

  it('is how many times as long as the parse alone each takes', () => {
    const { table, chart } = presentWalkers(measurements)[1]!
    expect(table!.rows.map((row) => [row[0], row[2]])).toEqual([
      ['A', '2.00'],
      ['B', '0.50'],
      ['C', '4.00'],
      ['median', '2.00'],
    ])
    expect(chart!.series[1]!.values).toEqual([2, 0.5, 4])
  })

  it('has a figure for each reader but the ceiling', () => {
    const figures = Object.values(figuresOf(measurements))
    expect(figures).toHaveLength(Object.keys(NOTES).length - 1)
    expect(figures[0]).toEqual({ value: 2, unit: '×', better: 'lower' })
  })
})
