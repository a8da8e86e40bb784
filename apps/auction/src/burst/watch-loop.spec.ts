import { setTimeout as sleep } from 'node:timers/promises'
import { watchLoop } from './watch-loop.js'

describe('watchLoop', () => {
  it('returns the longest block without the idle time', async () => {
    let [busyMs, idleMs] = [0, 0]
    const longestBlock = watchLoop({ now: () => busyMs + idleMs, idleTime: () => idleMs })
    for (const [busy, idle] of [
      [30, 0],
      [300, 5],
      [0, 600],
    ] as const) {
      busyMs += busy
      idleMs += idle
      // Lets the timer run.
      await sleep(2)
    }
    expect(longestBlock()).toBe(300)
  })

  it('measures a real block', async () => {
    const longestBlock = watchLoop()
    await sleep(2)
    const from = performance.now()
    while (performance.now() < from + 30);
    const tookMs = performance.now() - from
    expect(longestBlock()).toBeGreaterThanOrEqual(tookMs * 0.99)
  })
})
