import { setTimeout as sleep } from 'node:timers/promises'
import { watchLoop } from './watch-loop.ts'

/** A clock that the test moves. */
let [busyMs, idleMs] = [0, 0]
const clock = { now: () => busyMs + idleMs, idleTime: () => idleMs }
const block = (ms: number): void => void (busyMs += ms)
const rest = (ms: number): void => void (idleMs += ms)
/** Lets timers run. */
const comeRound = () => sleep(2)

/** The delays while the work ran. */
async function delaysOf(work: () => Promise<void> | void) {
  const stop = watchLoop(clock)
  await comeRound()
  await work()
  await comeRound()
  return stop()
}

describe('watchLoop', () => {
  it('measures a block', async () => {
    expect(await delaysOf(() => block(60))).toEqual({ maxMs: 60, p99Ms: expect.any(Number) })
  })

  it('does not add up separate blocks', async () => {
    const { maxMs } = await delaysOf(async () => {
      for (let slice = 0; slice < 25; slice++) {
        block(8)
        await comeRound()
      }
    })
    expect(maxMs).toBe(8)
  })

  it('does not count idle time', async () => {
    const { maxMs } = await delaysOf(() => rest(150))
    expect(maxMs).toBe(0)
  })

  it('weighs a block by its milliseconds', async () => {
    const { maxMs, p99Ms } = await delaysOf(async () => {
      block(60)
      for (let turns = 0; turns < 60; turns++) {
        rest(1)
        await comeRound()
      }
    })
    // One sample of about sixty, but half of the time.
    expect(p99Ms).toBeGreaterThan(maxMs * 0.8)
  })

  it('measures a real block', async () => {
    const stop = watchLoop()
    await comeRound()
    const from = performance.now()
    while (performance.now() < from + 30);
    const tookMs = performance.now() - from
    await comeRound()
    expect(stop().maxMs).toBeGreaterThanOrEqual(tookMs * 0.99)
  })
})
