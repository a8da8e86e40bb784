import type { StepFigures } from './ladder-measurements.ts'
import { summarise } from './summarise.ts'

const round = (value: number): StepFigures => ({
  requestsPerSecond: value,
  averageMs: value,
  p99Ms: value,
  longestGcMs: value,
  cpuIdle: value,
  loopIdle: value,
  loopMaxMs: value,
  cpuMsPerRequest: value,
  steadyP50Ms: value,
  steadyP99Ms: value,
  steadyCpuIdle: value,
})

describe('summarise', () => {
  it('takes the middle of the rounds, and the longest of what lasts', () => {
    const result = summarise([3, 1, 8].map(round))
    expect(result).toMatchObject({ requestsPerSecond: 3, p99Ms: 3, cpuIdle: 3, longestGcMs: 8, loopMaxMs: 8 })
  })

  it('tells how far the rounds lie apart', () => {
    expect(summarise([2, 2, 2].map(round)).spread).toBe(0)
    expect(summarise([1, 2, 3].map(round)).spread).toBe(0.25)
  })
})
