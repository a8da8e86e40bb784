import { jest } from '@jest/globals'
import { manualClock } from '../../../../test/support/manual-clock.ts'
import { LagSampler } from './lag-sampler.js'
import { EventLoopPressure } from './pressure.js'
import { Slicer } from './slicer.js'

let pass: (ms: number) => void
let rest: (ms: number) => void
beforeEach(() => ({ pass, rest } = manualClock()))
afterEach(() => jest.restoreAllMocks())

describe('EventLoopPressure', () => {
  let sampler: LagSampler
  let pressure: EventLoopPressure
  beforeEach(() => {
    sampler = new LagSampler()
    pressure = new EventLoopPressure(sampler)
    sampler.start()
    pressure.start()
    runOnTime(200, rest)
  })
  afterEach(() => {
    pressure.stop()
    sampler.stop()
  })

  /** Takes samples like a loop without lag. */
  function runOnTime(ms: number, spend = pass): void {
    for (let passedMs = 0; passedMs < ms; passedMs += sampler.resolutionMs) {
      spend(sampler.resolutionMs)
      sampler.catchUp()
    }
  }

  it('rises during blocks and falls after them', () => {
    runOnTime(10_000, rest)
    expect(pressure.value).toBe(0)
    pass(600)
    sampler.catchUp()
    const blocked = pressure.value
    expect(blocked).toBeGreaterThan(0.5)
    expect(blocked).toBeLessThanOrEqual(1)
    runOnTime(2_500, rest)
    expect(pressure.value).toBeLessThan(blocked / 2)
  })

  it('is moderate on a loop that is fully utilised without lag', () => {
    // The loop is fully utilised, since nothing here waits.
    runOnTime(4_000)
    const { value, utilization } = pressure
    expect(utilization).toBeGreaterThan(0.9)
    expect(value).toBeGreaterThan(0.2)
    expect(value).toBeLessThanOrEqual(0.5)
  })

  it('falls in an idle time as fast as with samples, and shows the block that ends it', async () => {
    pass(600)
    sampler.catchUp()
    const blocked = pressure.value
    await new Promise<void>((resolve) => sampler.onPause(resolve))
    rest(10_000)
    expect([pressure.value, Math.round(pressure.utilization * 100)]).toEqual([0, 0])
    await new Promise<void>((resolve) => sampler.onPause(resolve))
    rest(10_000)
    pass(600)
    expect(pressure.value).toBeCloseTo(blocked, 1)
  })

  it('ignores samples after it is stopped', () => {
    pressure.stop()
    const { value } = pressure
    pass(400)
    sampler.catchUp()
    expect(pressure.value).toBe(value)
  })
})

describe('a slicer under pressure', () => {
  it('takes smaller slices of the same work', async () => {
    const turnsUnder = async (value: number): Promise<number> => {
      const slicer = new Slicer({ budgetMs: 8 }, { value })
      let reports = 0
      await slicer.each(
        Array(64).fill(0),
        () => pass(1),
        () => reports++,
      )
      return reports
    }
    expect(await turnsUnder(1)).toBeGreaterThan((await turnsUnder(0)) * 2)
  })
})
