import { jest } from '@jest/globals'
import { manualClock } from '../../../test/support/manual-clock.ts'
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

  it('follows a lag that remains, by its share of the range', () => {
    const slow = new LagSampler({ resolutionMs: 1_000 })
    const lagging = new EventLoopPressure(slow)
    slow.start()
    lagging.start()
    for (let sample = 0; sample < 20; sample++) {
      rest(1_000)
      rest(110)
      slow.catchUp()
    }
    lagging.stop()
    slow.stop()
    expect(lagging.value).toBeCloseTo((0.11 - 0.02) / 0.18, 5)
  })

  it('follows utilisation by 63 % in a second', () => {
    runOnTime(1_000)
    expect(pressure.utilization).toBeCloseTo(1 - Math.exp(-1), 5)
    runOnTime(1_000, rest)
    expect(pressure.utilization).toBeCloseTo((1 - Math.exp(-1)) * Math.exp(-1), 5)
  })

  it('shows the utilisation of an idle time to its reader', async () => {
    runOnTime(4_000)
    await new Promise<void>((resolve) => sampler.onPause(resolve))
    rest(10_000)
    expect(Math.round(pressure.utilization * 100)).toBe(0)
  })

  it('ignores samples after it is stopped, also if it was started twice', () => {
    pressure.start()
    pressure.stop()
    const { value } = pressure
    pass(400)
    sampler.catchUp()
    expect(pressure.value).toBe(value)
  })
})

describe('a slicer under pressure', () => {
  it.each([
    [0, 6],
    [0.5, 4],
    [1, 2],
  ])('of %d fills a turn with %d ms of a budget of 8 ms', async (value, ms) => {
    const slicer = new Slicer({ budgetMs: 8 }, { value })
    const workedMs: number[] = []
    await slicer.each(
      Array(64).fill(0),
      () => pass(1),
      (seconds) => workedMs.push(Math.round(seconds * 1_000)),
    )
    // The first turn gets a quarter, and the last one what is left.
    expect(new Set(workedMs.slice(1, -1))).toEqual(new Set([ms]))
  })
})
