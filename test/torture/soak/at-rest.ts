import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import type { ValkeyStore } from 'model-cache/advanced'

/** Open handles by type, as Node names them. */
export type Handles = Readonly<Record<string, number>>

/** What a process at rest holds. */
export interface Holding {
  readonly heapKb: number
  readonly handles: Handles
}

/** Between two looks, and between collections. */
const PAUSE_MS = 10

export const isServing = (store: ValkeyStore): Promise<boolean> =>
  store.ping().then(
    () => true,
    () => false,
  )

/** Measures a process at rest, which was started with `--expose-gc`. */
export async function takeHolding(): Promise<Holding> {
  globalThis.gc!()
  // The second collection takes what finalisers of the first have released.
  await sleep(PAUSE_MS)
  globalThis.gc!()
  return { heapKb: heapOfObjects() / 1_000, handles: await openHandles() }
}

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
