import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { manualClock } from '../../../../test/support/manual-clock.ts'
import { LagSampler } from './lag-sampler.js'

describe('the lag sampler', () => {
  let pass: (ms: number) => void
  beforeEach(() => (pass = manualClock().pass))
  afterEach(() => jest.restoreAllMocks())

  /** Lets the timer run. */
  const sampled = (sampler: LagSampler) =>
    new Promise<void>((resolve) => {
      const end = sampler.onSample(() => {
        end()
        resolve()
      })
    })

  it('fills in the samples that a block prevented', async () => {
    const sampler = new LagSampler({ resolutionMs: 10 })
    const lags: number[] = []
    sampler.onLag((lag) => lags.push(lag))
    sampler.start()
    pass(400)
    await sampled(sampler)
    sampler.stop()
    // The sample was due after 10 ms; the block gets one sample per 10 ms, counting down from the worst.
    expect(lags.map((lag) => Math.round(lag * 1_000))).toEqual(
      Array.from({ length: 40 }, (_, i) => 390 - i * 10),
    )
  })

  it.each([50, 200, 1_000])(
    'sees a block of %d ms as long as it is, less up to one resolution',
    async (ms) => {
      const sampler = new LagSampler({ resolutionMs: 10 })
      const lags: number[] = []
      sampler.start()
      sampler.onSample((lag) => lags.push(lag * 1_000))
      for (const sinceSampleMs of [0, 4, 9]) {
        pass(10)
        await sampled(sampler)
        lags.length = 0
        pass(sinceSampleMs + ms)
        await sampled(sampler)
        expect(lags[0]).toBeGreaterThanOrEqual(ms - 10)
        expect(lags[0]).toBeLessThan(ms)
      }
      sampler.stop()
    },
  )

  it('takes an overdue sample at once for a reader in the turn of the block', () => {
    const sampler = new LagSampler()
    const lags: number[] = []
    sampler.onSample((lag) => lags.push(lag))
    sampler.catchUp()
    sampler.start()
    sampler.catchUp()
    expect(lags).toEqual([])
    pass(100)
    sampler.catchUp()
    sampler.catchUp()
    sampler.stop()
    expect(lags).toHaveLength(1)
    // The sample was due after one resolution.
    expect(lags[0]! * 1_000 + sampler.resolutionMs).toBeCloseTo(100)
  })

  it('reports the worst lag since a mark, including a block in progress', async () => {
    const sampler = new LagSampler({ resolutionMs: 5 })
    sampler.start()
    pass(1_000)
    await sampled(sampler)
    const quiet = await new Promise<number>((report) => sampler.worstSince(sampler.mark(), report))
    const mark = sampler.mark()
    pass(200)
    const blocked = await new Promise<number>((report) => sampler.worstSince(mark, report))
    expect(quiet).toBe(0)
    expect(blocked).toBeCloseTo(0.195)
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

describe('the lag sampler with the real clock', () => {
  it('sees a real block, up to one resolution shorter', async () => {
    const sampler = new LagSampler({ resolutionMs: 10 })
    let worstMs = 0
    sampler.onSample((lag) => (worstMs = Math.max(worstMs, lag * 1_000)))
    sampler.start()
    await delay(20)
    const from = performance.now()
    while (performance.now() < from + 100);
    const tookMs = performance.now() - from
    await delay(20)
    sampler.stop()
    expect(worstMs).toBeGreaterThanOrEqual(tookMs - 10)
  })
})
