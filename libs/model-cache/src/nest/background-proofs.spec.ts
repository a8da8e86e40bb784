import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundProofs } from './background-proofs.js'

function proofs(count: number) {
  const proved: number[] = []
  const background = new BackgroundProofs()
  const caches = Array.from({ length: count }, (_, i) => ({ prove: () => void proved.push(i) }))
  return { proved, background, caches }
}

describe('background proofs', () => {
  it('prove one codec per event-loop turn, in order, and later ones as well', async () => {
    const { proved, background, caches } = proofs(3)
    for (const cache of caches.slice(0, 2)) background.add(cache)
    expect(proved).toEqual([])
    while (proved.length < 2) {
      const before = proved.length
      await new Promise(setImmediate)
      expect(proved.length - before).toBeLessThanOrEqual(1)
    }
    background.add(caches[2]!)
    while (proved.length < 3) await delay(1)
    expect(proved).toEqual([0, 1, 2])
  })

  it('stop with the application', async () => {
    const { proved, background, caches } = proofs(3)
    for (const cache of caches) background.add(cache)
    while (proved.length === 0) await new Promise(setImmediate)
    background.stop()
    await delay(20)
    expect(proved.length).toBeLessThan(3)
  })

  it('do not keep the process alive', () => {
    const { background, caches } = proofs(1)
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    background.add(caches[0]!)
    expect(timers()).toBe(before)
    background.stop()
  })
})
