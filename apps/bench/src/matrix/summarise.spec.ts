import type { CellSamples, StormSample } from './protocol.ts'
import { cellsOf } from './summarise.ts'

const storm = (sample: Partial<StormSample>): StormSample => ({
  loopP99Ms: 1,
  loopMaxMs: 2,
  wallMs: [3],
  parseMs: 1,
  cpuMs: 5,
  allocatedMb: 1,
  memoryHits: 0,
  ...sample,
})
const cell = (hitRate: number, storms: StormSample[], heapMb = 1): CellSamples => ({
  scenario: 'small',
  hitRate,
  storms,
  heapMb,
})

describe('the cells of a strategy', () => {
  it('take the storms of all rounds together, each hit rate apart', () => {
    const rounds = [
      [cell(0, [storm({ cpuMs: 10 })]), cell(0.5, [storm({ cpuMs: 5, memoryHits: 25 })])],
      [cell(0, [storm({ cpuMs: 30 })]), cell(0.5, [storm({ cpuMs: 7, memoryHits: 24 })])],
    ]
    const [none, half] = cellsOf('lru', { small: 50 }, rounds)
    expect(none).toMatchObject({ strategy: 'lru', scenario: 'small', hitRate: 0, cpuMs: 20 })
    // What the memory has answered, not what it should have.
    expect(half).toMatchObject({ hitRate: 0.49, cpuMs: 6 })
  })

  it('have the percentiles of all users, and the medians of loops and heaps', () => {
    const rounds = [
      [cell(0, [storm({ wallMs: [1, 2, 3], loopMaxMs: 4 }), storm({ wallMs: [100], loopMaxMs: 6 })], 10)],
      [cell(0, [storm({ wallMs: [1], loopMaxMs: 20 })], 30)],
    ]
    const [only] = cellsOf('lru', { small: 50 }, rounds)
    expect(only!.wallP99Ms).toBeGreaterThan(90)
    expect(only).toMatchObject({ loopMaxMs: 6, heapMb: 20 })
  })
})
