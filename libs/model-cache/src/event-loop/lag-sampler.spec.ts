import { setTimeout as delay } from 'node:timers/promises'
import { LagSampler } from './lag-sampler.js'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('the lag sampler', () => {
  it('fills in the samples that a block kept from being taken', async () => {
    const sampler = new LagSampler({ resolutionMs: 10 })
    const lags: number[] = []
    sampler.onLag((lag) => lags.push(lag))
    sampler.start()
    await delay(50)
    lags.length = 0
    block(400)
    await delay(30)
    sampler.stop()
    const worst = Math.max(...lags)
    expect(worst).toBeGreaterThan(0.3)
    // One sample each 10 ms, counting down from the worst.
    const above = (share: number) => lags.filter((lag) => lag > worst * share).length
    expect(above(0)).toBeGreaterThanOrEqual(Math.floor(worst / 0.01) - 1)
    expect(above(0.5) / above(0)).toBeGreaterThan(0.3)
    expect(above(0.5) / above(0)).toBeLessThan(0.7)
  })

  it.each([50, 200, 1_000])(
    'sees a block of %d ms as long as it is, less up to one resolution',
    async (ms) => {
      const resolutionMs = 10
      const sampler = new LagSampler({ resolutionMs })
      sampler.start()
      const errors: number[] = []
      for (let round = 0; round < 5; round++) {
        await delay(30 + round)
        let seenMs = 0
        let isOverAfterMs = Infinity
        const startedAtMs = performance.now()
        const end = sampler.onSample((lag) => {
          seenMs = Math.max(seenMs, lag * 1_000)
          isOverAfterMs = Math.min(isOverAfterMs, performance.now() - startedAtMs)
        })
        block(ms)
        await delay(2 * resolutionMs)
        end()
        // From the block's begin to the first sample after it: the machine may have had other things to do in between.
        errors.push((seenMs - isOverAfterMs) / resolutionMs)
      }
      sampler.stop()
      const [median] = errors.toSorted((a, b) => a - b).slice(2)
      expect(median).toBeGreaterThanOrEqual(-1.2)
      expect(median).toBeLessThanOrEqual(0.3)
    },
  )

  it('takes an overdue sample at once for who asks in the turn of the block', () => {
    const sampler = new LagSampler()
    const lags: number[] = []
    sampler.onSample((lag) => lags.push(lag))
    sampler.catchUp()
    sampler.start()
    sampler.catchUp()
    expect(lags).toEqual([])
    block(100)
    sampler.catchUp()
    sampler.catchUp()
    sampler.stop()
    expect(lags).toHaveLength(1)
    // It was due when a resolution had passed.
    expect(lags[0]! * 1_000 + sampler.resolutionMs).toBeGreaterThanOrEqual(100)
  })

  it('tells a handler the worst lag since it began, the block that it ends in included', async () => {
    const sampler = new LagSampler({ resolutionMs: 5 })
    sampler.start()
    await delay(20)
    const quiet = await new Promise<number>((report) => sampler.worstSince(sampler.mark(), report))
    const mark = sampler.mark()
    block(200)
    const blocked = await new Promise<number>((report) => sampler.worstSince(mark, report))
    expect(blocked).toBeGreaterThan(0.15)
    expect(blocked).toBeGreaterThan(quiet)
    sampler.stop()
  })

  it('does not keep the process alive, and can be stopped twice', () => {
    const sampler = new LagSampler()
    sampler.start()
    sampler.start()
    sampler.stop()
    sampler.stop()
    let reported = false
    sampler.worstSince(sampler.mark(), () => (reported = true))
    expect(reported).toBe(false)
  })
})
