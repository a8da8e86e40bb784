import { figuresOf } from './figures.ts'
import type { Cell, MatrixMeasurements } from './matrix-measurements.ts'
import { presentMatrix } from './present-matrix.ts'
import { SCENARIOS } from './scenarios.ts'

const cell = (strategy: string, cpuMs: number, hitRate?: number): Cell => ({
  strategy,
  scenario: 'heavy',
  ...(hitRate !== undefined && { hitRate }),
  loopP99Ms: 1,
  loopMaxMs: 2,
  wallP99Ms: 3,
  parseP99Ms: 1,
  cpuMs,
  cpuSpread: 0.01,
  allocatedMb: 5,
  heapMb: 6,
})

const measurements: MatrixMeasurements = {
  server: 'Valkey 9',
  rounds: 1,
  storms: { heavy: 3 },
  scenarios: [{ ...SCENARIOS.at(-1)!, reads: 5_350, bytesPerRow: 2_000 }],
  cells: [cell('baseline', 180), cell('lru', 200, 0), cell('lru', 100, 0.5), cell('model-cache', 40)],
  missing: { 'simdjson-paths': 'no compiler' },
  notes: { baseline: 'JSON.parse' },
  reviverCalls: 300_000,
}

describe('what is presented of the matrix', () => {
  const sections = presentMatrix(measurements)
  const section = (title: string) => sections.find((entry) => entry.title.includes(title))!

  it('says which strategies were not measured, and why, and has a row for them', () => {
    const { text, table } = section('by strategy and hit rate')
    expect(text).toContain('simdjson-paths is not measured: no compiler')
    expect(table!.rows.at(-1)).toEqual(['simdjson-paths', ...Array<string>(8).fill('–')])
  })

  it('draws a level line for a strategy without a memory', () => {
    const { categories, series } = section('processor time by hit rate').chart!
    expect(categories).toEqual([0, 50])
    expect(series).toEqual([
      { name: 'lru', values: [200, 100] },
      { name: 'baseline', values: [180, 180] },
      { name: 'model-cache', values: [40, 40] },
    ])
  })

  it('shows only strategies of the published table beside it', () => {
    const rows = section('Beside the published').table!.rows.map(([name]) => name)
    expect(rows).toEqual(['baseline', 'lru 0 %', 'lru 50 %'])
  })

  it('follows the heaviest scenario, memories at one half', () => {
    expect(Object.keys(figuresOf(measurements))).toEqual(
      ['baseline', 'lru 50 %', 'model-cache'].flatMap((name) => [
        `heavy ${name}, CPU`,
        `heavy ${name}, longest block`,
      ]),
    )
  })

  it('has as many cells in each row as its head', () => {
    for (const { table } of sections) {
      for (const row of table?.rows ?? []) expect(row).toHaveLength(table!.head.length)
    }
  })
})
