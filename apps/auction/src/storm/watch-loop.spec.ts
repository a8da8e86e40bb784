import { setTimeout as sleep } from 'node:timers/promises'
import { watchLoop } from './watch-loop.js'

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('watching the event loop', () => {
  it('finds the longest block, and takes no rest for one', async () => {
    const longestOf = async (work: () => Promise<unknown>): Promise<number> => {
      const longestBlock = watchLoop()
      await work()
      return longestBlock()
    }
    const blocked = await longestOf(async () => {
      block(30)
      await sleep(1)
      block(300)
    })
    const rested = await longestOf(() => sleep(600))
    expect(blocked).toBeGreaterThanOrEqual(299)
    expect(rested).toBeLessThan(blocked)
  })
})
