import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { watchLoop } from './watch-loop.ts'

/** @returns how long it really took */
function block(ms: number): number {
  const start = performance.now()
  while (performance.now() < start + ms);
  return performance.now() - start
}

/** The delays while the work ran, which a loop that is not busy precedes and follows. */
async function delaysOf(work: () => Promise<void> | void) {
  await sleep(5)
  const stop = watchLoop()
  await sleep(5)
  await work()
  await sleep(5)
  return stop()
}

describe('watchLoop', () => {
  it('sees a block for as long as it was', async () => {
    let took = 0
    const { maxMs } = await delaysOf(() => {
      took = block(60)
    })
    expect(maxMs / took).toBeGreaterThan(0.99)
    expect(maxMs / took).toBeLessThan(1.5)
  })

  it('does not add up blocks between which the loop came round', async () => {
    let took = 0
    const { maxMs } = await delaysOf(async () => {
      for (let slice = 0; slice < 25; slice++) {
        took += block(8)
        await turn()
      }
    })
    expect(maxMs).toBeLessThan(took / 2)
  })

  it('takes a loop that waits for one that is free', async () => {
    const start = performance.now()
    const { maxMs } = await delaysOf(() => sleep(150))
    expect(maxMs).toBeLessThan((performance.now() - start) / 2)
  })

  it('weighs a block by the milliseconds in which work could have arrived', async () => {
    const { maxMs, p99Ms } = await delaysOf(async () => {
      block(60)
      await sleep(60)
    })
    // One sample of a hundred or so, yet half of the time.
    expect(p99Ms).toBeGreaterThan(maxMs * 0.8)
  })
})
