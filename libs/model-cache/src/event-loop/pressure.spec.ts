import { jest } from '@jest/globals'
import { manualClock } from '../../../../test/support/manual-clock.ts'
import { LagSampler } from './lag-sampler.js'
import { EventLoopPressure } from './pressure.js'
import { Slicer } from './slicer.js'

let pass: (ms: number) => void
beforeEach(() => (pass = manualClock().pass))
afterEach(() => jest.restoreAllMocks())

describe('EventLoopPressure', () => {
  let sampler: LagSampler
  let pressure: EventLoopPressure
  beforeEach(() => {
    sampler = new LagSampler()
    pressure = new EventLoopPressure(sampler)
    sampler.start()
    pressure.start()
    runOnTime(200)
  })
  afterEach(() => {
    pressure.stop()
    sampler.stop()
  })

  /** Takes samples like a loop without lag. */
  function runOnTime(ms: number): void {
    for (let passedMs = 0; passedMs < ms; passedMs += sampler.resolutionMs) {
      pass(sampler.resolutionMs)
      sampler.catchUp()
    }
  }

  it('rises during blocks and falls after them', () => {
    // The real utilisation, of the test itself.
    const idle = { idle: 1_000, active: 0, utilization: 0 }
    jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue(idle)
    runOnTime(10_000)
    expect(pressure.value).toBe(0)
    pass(600)
    sampler.catchUp()
    const blocked = pressure.value
    expect(blocked).toBeGreaterThan(0.5)
    expect(blocked).toBeLessThanOrEqual(1)
    runOnTime(2_500)
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
