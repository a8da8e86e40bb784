/** The process under test: with VALKEY_URL and `--expose-gc`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { createRandom } from '#prisma/demo/random.js'
import { createCountingSource } from '../../harness/fixtures/counting-source.ts'
import { buildLots } from '../../harness/fixtures/lots.ts'
import { serveParent } from '../../harness/process.ts'
import { createBursts, openSoakedCaches } from './soaked-caches.ts'

/** Open handles by type, as Node names them. */
export type Handles = Readonly<Record<string, number>>

/** Between two bursts, to leave time to other programs. */
const PAUSE_MS = 10

const lots = buildLots()
const source = createCountingSource(lots)
const { caches, rest } = await openSoakedCaches(process.env.VALKEY_URL!, source)
const bursts = createBursts(caches, lots, createRandom('model-cache bench soak'))
const startedAt = performance.now()
let loads = 0

const methods = serveParent({
  /** Runs bursts for a while, then looks at the process at rest. */
  async sample(forMs: number) {
    const until = performance.now() + forMs
    do {
      await bursts.next()
      await sleep(PAUSE_MS)
    } while (performance.now() < until)
    await rest()
    // The second collection takes what finalisers of the first have released.
    globalThis.gc!()
    await sleep(PAUSE_MS)
    globalThis.gc!()
    loads += source.takeCounts().queries
    const minutes = (performance.now() - startedAt) / 60_000
    return {
      sample: { minutes, heapKb: heapOfObjects() / 1_000 },
      handles: await openHandles(),
      progress: { ...bursts.progress(), loads },
    }
  },
})
export type Soaked = typeof methods

/** Bytes of objects. Not of code, which V8 compiles and profiles for as long as a process runs. */
function heapOfObjects(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !/code|trusted|read_only/.test(name))
    .reduce((total, { space_used_size: size }) => total + size, 0)
}

/** Handles that are open in each of several looks, without deadlines of a heartbeat that is in flight. */
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
