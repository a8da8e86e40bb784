import { cellsOf } from './measure.ts'
import type { Cell } from './strategy-process.ts'

type Burst = Cell['bursts'][number]

const burst = (sample: Partial<Burst>): Burst => ({
  loopP99Ms: 1,
  loopMaxMs: 2,
  wallMs: [3],
  parseMs: 1,
  cpuMs: 5,
  allocatedMb: 1,
  memoryHits: 0,
  ...sample,
})
const cell = (hitRate: number, bursts: Burst[], heapMb = 1): Cell => ({
  scenario: 'small',
  hitRate,
  bursts,
  heapMb,
})

describe('the cells of a strategy', () => {
  it('have medians of all rounds, and the hit rate that was measured', () => {
    const rounds = [
      [cell(0, [burst({ cpuMs: 10 })]), cell(0.5, [burst({ cpuMs: 5, memoryHits: 25 })])],
      [cell(0, [burst({ cpuMs: 30 })]), cell(0.5, [burst({ cpuMs: 7, memoryHits: 24 })])],
    ]
    const [none, half] = cellsOf('lru', { small: 50 }, rounds)
    expect(none).toMatchObject({ strategy: 'lru', scenario: 'small', hitRate: 0, cpuMs: 20 })
    expect(half).toMatchObject({ hitRate: 0.49, cpuMs: 6 })
  })

  it('have percentiles over all users', () => {
    const rounds = [
      [cell(0, [burst({ wallMs: [1, 2, 3] }), burst({ wallMs: [100] })], 10)],
      [cell(0, [burst({ wallMs: [1] })], 30)],
    ]
    const [only] = cellsOf('lru', { small: 50 }, rounds)
    expect(only!.wallP99Ms).toBeGreaterThan(90)
    expect(only!.heapMb).toBe(20)
  })
})
