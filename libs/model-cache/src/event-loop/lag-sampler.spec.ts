import { AsyncLocalStorage } from 'node:async_hooks'
import { stat } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts'
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

describe('the lag sampler on an idle loop', () => {
  const resolutionMs = 10
  let clock: ManualClock
  let sampler: LagSampler
  /** Lags in milliseconds, each as often as it counts. */
  let lags: number[]
  let samples: number
  beforeEach(() => {
    clock = manualClock()
    sampler = new LagSampler({ resolutionMs })
    ;[lags, samples] = [[], 0]
    sampler.onLag((lag, count) => lags.push(...Array<number>(count).fill(Math.round(lag * 1_000))))
    sampler.onSample(() => samples++)
    sampler.start()
  })
  afterEach(() => {
    sampler.stop()
    jest.restoreAllMocks()
  })

  const asleep = () =>
    new Promise<void>((resolve) => {
      const end = sampler.onPause(() => {
        end()
        resolve()
      })
    })

  it('sleeps, and counts the samples of that time when a reader wakes it', async () => {
    await asleep()
    ;[lags, samples] = [[], 0]
    clock.rest(1_000)
    sampler.catchUp()
    sampler.catchUp()
    expect(lags).toEqual(Array(100).fill(0))
    expect(samples).toBe(1)
  })

  it('causes no turns of the loop while it sleeps', async () => {
    await asleep()
    samples = 0
    await delay(60 * resolutionMs)
    // The end of the delay wakes it, and whatever else happens in this process; awake, it would take 60.
    expect(samples).toBeLessThan(30)
  })

  it('measures a block in the turn that wakes it, not the idle time before', async () => {
    await asleep()
    lags = []
    clock.rest(5_000)
    clock.pass(300)
    await new Promise(setImmediate)
    // One per 10 ms; the block gets 31 of them, counting down.
    expect(lags.length).toBe(5_300 / resolutionMs)
    expect(lags.filter((lag) => lag > 0)).toEqual(Array.from({ length: 30 }, (_, i) => 300 - i * 10))
  })

  it('measures a block in the turn after the one that wakes it', async () => {
    await asleep()
    clock.rest(5_000)
    await new Promise(setImmediate)
    lags = []
    clock.pass(300)
    sampler.catchUp()
    expect(lags[0]).toBe(300 - resolutionMs)
  })

  it('is woken by a mark, whose report has only what comes after it', async () => {
    await asleep()
    clock.rest(5_000)
    clock.pass(300)
    const mark = sampler.mark()
    clock.pass(50)
    expect(await new Promise<number>((report) => sampler.worstSince(mark, report))).toBeCloseTo(0.04)
  })

  it('samples outside of the context of the work that wakes it', async () => {
    const context = new AsyncLocalStorage<string>()
    await asleep()
    const stores: (string | undefined)[] = []
    sampler.onSample(() => stores.push(context.getStore()))
    context.run('a request', () => sampler.wake())
    await asleep()
    expect(stores.length).toBeGreaterThanOrEqual(2)
    expect(stores.every((store) => store === undefined)).toBe(true)
  })

  it('stays awake while it is held', async () => {
    const slept = asleep()
    let isAsleep = false
    void slept.then(() => (isAsleep = true))
    sampler.hold()
    for (let sample = 0; sample < 3; sample++) {
      await new Promise<void>((resolve) => {
        const end = sampler.onSample(() => {
          end()
          resolve()
        })
      })
    }
    expect(isAsleep).toBe(false)
    sampler.release()
    await slept
  })

  it('takes no sample after it is stopped in its sleep', async () => {
    await asleep()
    samples = 0
    clock.rest(1_000)
    sampler.stop()
    await new Promise(setImmediate)
    sampler.catchUp()
    expect(samples).toBe(0)
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

  it('sees a real block in the callback that wakes it from its sleep', async () => {
    const sampler = new LagSampler({ resolutionMs: 10 })
    let worstMs = 0
    sampler.onSample((lag) => (worstMs = Math.max(worstMs, lag * 1_000)))
    sampler.start()
    await new Promise<void>((resolve) => sampler.onPause(resolve))
    worstMs = 0
    const tookMs = await new Promise<number>((resolve) => {
      // Its callback comes from a thread, in the phase of the loop before the immediates.
      stat('.', () => {
        const from = performance.now()
        while (performance.now() < from + 100);
        resolve(performance.now() - from)
      })
    })
    await new Promise(setImmediate)
    sampler.stop()
    expect(worstMs).toBeGreaterThanOrEqual(tookMs - 10)
  })
})
