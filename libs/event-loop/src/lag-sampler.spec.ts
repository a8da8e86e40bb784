import { AsyncLocalStorage } from 'node:async_hooks'
import { stat } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { type ManualClock, manualClock } from '../../../test/support/manual-clock.ts'
import { LagSampler } from './lag-sampler.js'

/** Lets the timer run. */
const sampled = (sampler: LagSampler) =>
  new Promise<void>((resolve) => {
    const end = sampler.onSample(() => {
      end()
      resolve()
    })
  })

/** Has the loop turn so often between two looks. */
function countTurns(between: number): void {
  const { uvMetricsInfo } = performance.nodeTiming
  let { loopCount } = uvMetricsInfo
  jest
    .spyOn(performance.nodeTiming, 'uvMetricsInfo', 'get')
    .mockImplementation(() => ({ ...uvMetricsInfo, loopCount: (loopCount += between) }))
}

describe('the lag sampler', () => {
  let pass: (ms: number) => void
  beforeEach(() => (pass = manualClock().pass))
  afterEach(() => jest.restoreAllMocks())

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

  it('takes a sample at the time at which it is due', () => {
    const sampler = new LagSampler()
    const lags: number[] = []
    sampler.onLag((lag) => lags.push(lag))
    sampler.start()
    pass(sampler.resolutionMs)
    sampler.catchUp()
    sampler.stop()
    expect(lags).toEqual([0])
  })

  it('reports no lag from before a mark, also after thousands of samples', () => {
    const sampler = new LagSampler({ resolutionMs: 1 })
    sampler.start()
    pass(500)
    for (let sample = 1; sample < 4_096; sample++) {
      sampler.catchUp()
      pass(1)
    }
    let worst: number | undefined
    sampler.worstSince(sampler.mark(), (seconds) => (worst = seconds))
    sampler.catchUp()
    sampler.stop()
    expect(worst).toBe(0)
  })

  it('calls no listeners that have unsubscribed', () => {
    const sampler = new LagSampler()
    let called = 0
    const listener = (): void => void called++
    for (const end of [sampler.onLag(listener), sampler.onSample(listener), sampler.onPause(listener)]) end()
    sampler.start()
    pass(100)
    sampler.catchUp()
    sampler.stop()
    expect(called).toBe(0)
  })

  it('goes on, and calls the others, after listeners that throw', async () => {
    const sampler = new LagSampler({ resolutionMs: 1 })
    const fail = (): never => {
      throw new Error('the wire is cut')
    }
    for (const listen of ['onLag', 'onSample', 'onPause'] as const) sampler[listen](fail)
    const called: unknown[] = []
    sampler.onLag(() => called.push('lag'))
    sampler.onPause(() => called.push('pause'))
    sampler.start()
    sampler.worstSince(sampler.mark(), fail)
    sampler.worstSince(sampler.mark(), () => called.push('worst'))
    pass(1)
    expect(() => sampler.catchUp()).not.toThrow()
    expect(called).toEqual(['lag', 'worst'])
    sampler.worstSince(sampler.mark(), fail)
    expect(() => sampler.stop()).not.toThrow()
    expect(called.at(-1)).toBe('pause')
  })

  it('handles what asynchronous listeners reject with', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    const sampler = new LagSampler({ resolutionMs: 1 })
    const fail = async (): Promise<never> => {
      throw new Error('the wire is cut')
    }
    for (const listen of ['onLag', 'onSample', 'onPause'] as const) sampler[listen](fail)
    sampler.start()
    sampler.worstSince(sampler.mark(), fail)
    pass(1)
    sampler.catchUp()
    sampler.stop()
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('reports what it knows when it is stopped, and says that it pauses', () => {
    const sampler = new LagSampler()
    const called: unknown[] = []
    sampler.onPause(() => called.push('pause'))
    sampler.start()
    sampler.worstSince(sampler.mark(), (seconds) => called.push(seconds))
    sampler.stop()
    expect(called).toEqual([0, 'pause'])
  })

  it('reports nothing that is asked while it is stopped, also when it starts again', () => {
    const sampler = new LagSampler()
    let reported = false
    sampler.worstSince(sampler.mark(), () => (reported = true))
    sampler.start()
    pass(100)
    sampler.catchUp()
    sampler.stop()
    expect(reported).toBe(false)
  })

  it('takes no sample once it is stopped, also if it was started twice', async () => {
    const sampler = new LagSampler({ resolutionMs: 1 })
    let samples = 0
    sampler.onSample(() => samples++)
    sampler.start()
    sampler.start()
    sampler.stop()
    // Timers of equal length run in the order in which they began.
    await delay(1)
    expect(samples).toBe(0)
  })

  it.each([
    ['an idle loop', 0],
    ['a busy loop', 1],
  ])('can be stopped by a listener on %s', async (_, workMs) => {
    countTurns(0)
    const sampler = new LagSampler({ resolutionMs: 1 })
    let [samples, pauses] = [0, 0]
    sampler.onPause(() => pauses++)
    sampler.onSample(() => {
      samples++
      pass(workMs)
      sampler.stop()
    })
    sampler.start()
    await sampled(sampler)
    await delay(1)
    expect([samples, pauses]).toEqual([1, 1])
  })

  it.each([1, 1_000])('takes a resolution of %d ms', (resolutionMs) => {
    expect(new LagSampler({ resolutionMs }).resolutionMs).toBe(resolutionMs)
  })

  it.each([0, 0.5, 1_001, Number.NaN])('refuses a resolution of %d ms', (resolutionMs) => {
    expect(() => new LagSampler({ resolutionMs })).toThrow(
      `option "resolutionMs" is ${resolutionMs}; expected milliseconds from 1 to 1000`,
    )
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
  const nextSample = () => sampled(sampler)

  it('sleeps, and counts the samples of that time when a reader wakes it', async () => {
    await asleep()
    ;[lags, samples] = [[], 0]
    clock.rest(1_000)
    sampler.catchUp()
    sampler.catchUp()
    expect(lags).toEqual(Array(100).fill(0))
    expect(samples).toBe(1)
  })

  it.each(['hold', 'mark', 'wake'] as const)(
    'counts the samples of that time at once for a %s',
    async (method) => {
      await asleep()
      lags = []
      clock.rest(1_000)
      sampler[method]()
      expect(lags).toEqual(Array(100).fill(0))
    },
  )

  it('takes no sample before it is due when it is woken', async () => {
    await asleep()
    const counts: number[] = []
    sampler.onLag((_, count) => counts.push(count))
    samples = 0
    sampler.wake()
    expect([samples, counts]).toEqual([1, []])
    await asleep()
    clock.rest(resolutionMs / 2)
    counts.length = 0
    sampler.wake()
    expect(counts).toEqual([])
  })

  it.each([
    ['something else turns the loop', 2, 0],
    ['something works', 1, 1],
  ])('does not sleep while %s', async (_, turns, workMs) => {
    countTurns(turns)
    const end = sampler.onSample(() => clock.pass(workMs))
    let pauses = 0
    sampler.onPause(() => pauses++)
    for (let sample = 0; sample < 5; sample++) await nextSample()
    expect(pauses).toBe(0)
    end()
    countTurns(1)
    await asleep()
  })

  it('can be stopped by a listener as it wakes', async () => {
    await asleep()
    sampler.onLag(() => sampler.stop())
    clock.rest(1_000)
    sampler.wake()
    expect(lags.slice(-100)).toEqual(Array(100).fill(0))
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
    for (let sample = 0; sample < 3; sample++) await nextSample()
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
