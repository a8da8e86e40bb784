import { setTimeout as delay } from 'node:timers/promises'
import { LagSampler } from './lag-sampler.js'
import { EventLoopPressure } from './pressure.js'
import { Slicer } from './slicer.js'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('the pressure of the event loop', () => {
  let sampler: LagSampler
  let pressure: EventLoopPressure
  beforeEach(async () => {
    sampler = new LagSampler()
    pressure = new EventLoopPressure(sampler)
    sampler.start()
    pressure.start()
    await delay(200)
  })
  afterEach(() => {
    pressure.stop()
    sampler.stop()
  })

  it('rises with blocks, and falls when they are over', async () => {
    const quiet = pressure.value
    block(600)
    await delay(15)
    const blocked = pressure.value
    await delay(2_500)
    expect(blocked).toBeGreaterThan(0.5)
    expect(blocked).toBeLessThanOrEqual(1)
    expect(quiet).toBeLessThan(blocked / 2)
    expect(pressure.value).toBeLessThan(blocked / 2)
  })

  it('is moderate on a loop that is always busy and never late', async () => {
    let isOver = false
    const work = (): void => {
      block(1)
      if (!isOver) setImmediate(work)
    }
    work()
    await delay(4_000)
    const { value, utilization } = pressure
    isOver = true
    expect(utilization).toBeGreaterThan(0.9)
    expect(value).toBeGreaterThan(0.2)
    // Half, but for what else the machine does meanwhile.
    expect(value).toBeLessThan(0.75)
  })

  it('listens no more when it is stopped', async () => {
    pressure.stop()
    const { value } = pressure
    block(400)
    await delay(15)
    expect(pressure.value).toBe(value)
  })
})

describe('a slicer under pressure', () => {
  it('takes smaller slices of the same work', async () => {
    const turnsUnder = async (value: number): Promise<number> => {
      const slicer = new Slicer({ budgetMs: 8 }, { value })
      let told = 0
      await slicer.each(
        Array(64).fill(0),
        () => block(1),
        () => told++,
      )
      return told
    }
    expect(await turnsUnder(1)).toBeGreaterThan((await turnsUnder(0)) * 2)
  })
})
