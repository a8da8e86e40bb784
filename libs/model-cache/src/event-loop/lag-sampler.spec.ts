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
