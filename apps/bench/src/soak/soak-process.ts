/** The process that is soaked: with VALKEY_URL, an IPC channel and `--expose-gc`; sends samples until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { createCountingSource } from '../storm/counting-source.ts'
import { buildLots } from '../storm/lots.ts'
import type { Handles, Progress, Sample } from './soak-measurements.ts'
import { createStorms } from './soak-storms.ts'
import { openSoakedCaches } from './soaked-caches.ts'

export interface SoakMessage {
  readonly sample: Sample
  readonly handles: Handles
  readonly progress: Progress
}

const SAMPLE_EVERY_MS = 2_000
/** Between two storms, as the machine may have other things to do. */
const PAUSE_MS = 10

const lots = buildLots()
const source = createCountingSource(lots)
const { caches, rest } = await openSoakedCaches(process.env.VALKEY_URL!, source)
const storms = createStorms(caches, lots, createRandom('model-cache bench soak'))
let loads = 0
let isStopping = false
process.on('message', () => (isStopping = true))
process.on('disconnect', () => process.exit())

const startedAt = performance.now()
for (let isLast = false; !isLast;) {
  isLast = isStopping
  const until = performance.now() + (isLast ? 0 : SAMPLE_EVERY_MS)
  do {
    await storms.next()
    await sleep(PAUSE_MS)
  } while (performance.now() < until)
  await rest()
  // The second one takes what finalisers of the first have let go.
  globalThis.gc!()
  await sleep(PAUSE_MS)
  globalThis.gc!()
  loads += source.takeCounts().queries
  const heapKb = process.memoryUsage().heapUsed / 1_000
  const minutes = (performance.now() - startedAt) / 60_000
  const message: SoakMessage = {
    sample: { minutes, heapKb },
    handles: countsOf(process.getActiveResourcesInfo()),
    progress: { ...storms.progress(), loads },
  }
  process.send!(message)
}
process.disconnect!()

function countsOf(names: readonly string[]): Handles {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
