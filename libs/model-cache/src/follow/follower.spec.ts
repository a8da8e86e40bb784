import { jest } from '@jest/globals'
import { eventually } from '../../../../test/support/eventually.js'
import { manualClock } from '../../../../test/support/manual-clock.js'
import type { FollowContext } from './follow-context.js'
import { Follower } from './follower.js'

afterEach(() => jest.restoreAllMocks())

/** A process that stands by, and looks at how long it has not heard the follower. */
async function standBy() {
  const clock = manualClock()
  const seen = { looks: 0, deposed: 0, isDeaf: false, heardAtMs: performance.now() }
  const context = {
    database: {
      name: 'a database',
      elect: (_key: string, signal: AbortSignal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      depose: async () => void seen.deposed++,
    },
    namespace: 'mc',
    known: { catalogue: { read: async () => {}, epoch: 'of the store' } },
    watch: {
      report: undefined,
      get silentForMs() {
        seen.looks++
        return performance.now() - seen.heardAtMs
      },
      hears: async () => !seen.isDeaf,
    },
    log: { warn() {}, info() {} },
  }
  const follower = new Follower(context as unknown as FollowContext)
  follower.start()
  await new Promise(setImmediate)
  /** Milliseconds pass, and it looks at the end of them. */
  const passes = async (ms: number): Promise<void> => {
    const { looks } = seen
    clock.pass(ms)
    await eventually(() => seen.looks > looks)
    // What follows from it takes no timer.
    await new Promise(setImmediate)
  }
  return { follower, passes, seen }
}

describe('a process that stands by', () => {
  it('deposes a follower that it has not heard for three seconds', async () => {
    const { follower, passes, seen } = await standBy()
    for (let seconds = 1; seconds < 3; seconds++) await passes(1_000)
    expect(seen.deposed).toBe(0)
    await passes(1_000)
    expect(seen.deposed).toBe(1)
    await follower.stop()
  })

  it('does not count the time in which it was held up itself, and has read no report', async () => {
    const { follower, passes, seen } = await standBy()
    await passes(60_000)
    expect(seen.deposed).toBe(0)
    seen.heardAtMs = performance.now()
    for (let seconds = 1; seconds < 3; seconds++) await passes(1_000)
    expect(seen.deposed).toBe(0)
    await follower.stop()
  })

  it('does not count the time in which it heard nothing at all', async () => {
    const { follower, passes, seen } = await standBy()
    seen.isDeaf = true
    for (let seconds = 0; seconds < 3; seconds++) await passes(1_000)
    seen.isDeaf = false
    for (let seconds = 1; seconds < 3; seconds++) await passes(1_000)
    expect(seen.deposed).toBe(0)
    await passes(1_000)
    expect(seen.deposed).toBe(1)
    await follower.stop()
  })
})
