/** A process of bursts over caches of every kind, without a database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { buildLots, createCountingSource } from '../bench/built.ts'
import { serveParent } from '../bench/harness.ts'
import { settingsOf } from '../process.ts'
import { takeHolding } from './at-rest.ts'
import { createBursts, openSoakedCaches } from './bursts.ts'

/** Between two bursts, to leave time to other programs. */
const PAUSE_MS = 10

const lots = buildLots()
const source = createCountingSource(lots)
const { caches, rest } = await openSoakedCaches(settingsOf<{ valkeyUrl: string }>().valkeyUrl, source)
const bursts = createBursts(caches, lots, createRandom('model-cache bench soak'))
let loads = 0

const methods = serveParent({
  /** Runs bursts for a while. Resolves when the process is at rest. */
  async work(forMs: number) {
    const until = performance.now() + forMs
    do {
      await bursts.next()
      await sleep(PAUSE_MS)
    } while (performance.now() < until)
    await rest()
    loads += source.takeCounts().queries
    return { ...bursts.progress(), loads }
  },
  look: takeHolding,
})
export type Bursting = typeof methods
