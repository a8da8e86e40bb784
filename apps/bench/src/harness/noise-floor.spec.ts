import { measureNoiseFloor, noiseFloorOf } from './noise-floor.ts'

const samples = (...cpuMs: number[]) => cpuMs.map((cpu) => ({ cpuMs: cpu, wallMs: cpu * 1.5 }))

describe('the noise floor', () => {
  it('is 0 on a machine without any variation', () => {
    const still = [1, 2, 3].map(() => ({ cpuMs: 10, wallMs: 10 }))
    expect(noiseFloorOf(still, still)).toEqual({
      rounds: 3,
      spread: 0,
      wallSpread: 0,
      difference: 0,
      waiting: 0,
    })
  })

  it('has spread, difference and waiting as parts', () => {
    const noise = noiseFloorOf(samples(9, 10, 11), samples(10, 11, 12))
    expect(noise.difference).toBeCloseTo(1 / 10.5, 3)
    expect(noise.spread).toBeCloseTo(noise.wallSpread, 3)
    expect(noise.spread).toBeGreaterThan(0)
    expect(noise.waiting).toBeCloseTo(0.5)
  })

  it('is measured in a process of its own', () => {
    const noise = measureNoiseFloor(true)
    expect(noise.rounds).toBe(3)
    expect(Object.values(noise).every(Number.isFinite)).toBe(true)
  })
})
