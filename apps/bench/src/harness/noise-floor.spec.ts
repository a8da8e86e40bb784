import { measureNoiseFloor, noiseFloorOf } from './noise-floor.ts'

const series = (cpuMs: number) => ({ cpuMs, wallMs: cpuMs * 1.5, cpuSpread: 0.02, wallSpread: 0.04 })

describe('the noise floor', () => {
  it('is 0 on a machine without any variation', () => {
    const still = { cpuMs: 10, wallMs: 10, cpuSpread: 0, wallSpread: 0 }
    expect(noiseFloorOf(still, still)).toEqual({ spread: 0, wallSpread: 0, difference: 0, waiting: 0 })
  })

  it('has spread, difference and waiting as parts', () => {
    const noise = noiseFloorOf(series(10), series(11))
    expect(noise).toMatchObject({ spread: 0.02, wallSpread: 0.04, waiting: 0.5 })
    expect(noise.difference).toBeCloseTo(1 / 10.5, 3)
  })

  it('is measured in interleaved rounds', async () => {
    const noise = await measureNoiseFloor(true)
    expect(noise.rounds).toBe(3)
    expect(Object.values(noise).every(Number.isFinite)).toBe(true)
  })
})
