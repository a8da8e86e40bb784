/** The process that is soaked: with VALKEY_URL, an IPC channel and `--expose-gc`; sends samples until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
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

const SAMPLE_EVERY_MS = 1_000
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
  const minutes = (performance.now() - startedAt) / 60_000
  const message: SoakMessage = {
    sample: { minutes, heapKb: heapOfObjects() / 1_000 },
    handles: await openHandles(),
    progress: { ...storms.progress(), loads },
  }
  process.send!(message)
}
process.disconnect!()

/** In bytes. Without code: V8 compiles some of it anew for as long as a process runs, and adds to what it knows of it. */
function heapOfObjects(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !/code|trusted|read_only/.test(name))
    .reduce((total, { space_used_size: size }) => total + size, 0)
}

/** Those that are open in each of some looks: the deadline of a heartbeat that happens to be under way is gone in the next. */
async function openHandles(): Promise<Handles> {
  const counts = countsOf(process.getActiveResourcesInfo())
  for (let look = 0; look < 5; look++) {
    await sleep(PAUSE_MS)
    const again = countsOf(process.getActiveResourcesInfo())
    for (const type of Object.keys(counts)) counts[type] = Math.min(counts[type]!, again[type] ?? 0)
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
