import type { LadderMeasurements, StepResult } from './ladder-measurements.ts'
import { figuresOf, presentLadder } from './present-ladder.ts'

const step = (name: string, requestsPerSecond: number): StepResult => ({
  name,
  change: 'another',
  requestsPerSecond,
  spread: 0.01,
  averageMs: 2,
  p99Ms: 9,
  longestGcMs: 1,
  cpuIdle: 0.2,
  loopIdle: 0.1,
  loopMaxMs: 3,
  cpuMsPerRequest: 0.4,
  steadyP50Ms: 1,
  steadyP99Ms: 4,
  steadyCpuIdle: 0.7,
})

const measurements: LadderMeasurements = {
  database: 'PostgreSQL 18',
  server: 'Valkey 9',
  reports: 50,
  lotsPerReport: 20,
  bids: 4_000,
  bytes: 20_000,
  connections: 50,
  rounds: 3,
  seconds: 5,
  steadyPerSecond: 40,
  steps: [step('naive', 200), step('model-cache', 1_000)],
}

describe('presentLadder', () => {
  it('has as many cells in each row as heads', () => {
    for (const { table } of presentLadder(measurements)) {
      for (const row of table?.rows ?? []) expect(row).toHaveLength(table!.head.length)
    }
  })

  it('tells what each step gains over the first', () => {
    const rows = presentLadder(measurements).flatMap(({ table }) => table?.rows ?? [])
    expect(rows.find(([name]) => name === 'model-cache')).toContain('5.00 ×')
  })

  it('has a bar for each step in each chart', () => {
    const charts = presentLadder(measurements).flatMap(({ chart }) => chart ?? [])
    expect(charts).toHaveLength(2)
    for (const { categories, series } of charts) {
      expect(categories).toEqual(['naive', 'model-cache'])
      for (const { values } of series) expect(values).toHaveLength(2)
    }
  })

  it('says where the first step is not among those measured', () => {
    const [, , , beside] = presentLadder({ ...measurements, steps: [step('keys', 300)] })
    expect(beside!.table!.rows.map(([, , ours]) => ours)).toEqual(['50 connections, 3 × 5 s', '–', '–', '–'])
  })
})

describe('figuresOf', () => {
  it('follows requests per second of each step', () => {
    expect(figuresOf(measurements)).toMatchObject({
      naive: { value: 200, better: 'higher' },
      'model-cache': { value: 1_000, better: 'higher' },
      'model-cache, p99': { value: 9, better: 'lower' },
    })
  })
})
