/** The process that counts. */
import { Session } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveParent } from '../../harness/process.ts'
import type { Operation } from './allocation-case.ts'
import { allCases } from './cases.ts'
import { less, sumAfter, type Allocated, type Profile } from './profile.ts'

/** Reads before those that count. */
const WARM_UPS = 500
/** Runs of which the least counts. */
const RUNS = 8

/** Time stands still: what the library does at once depends on how long it took before, and so on how busy the machine is. */
const { now } = performance
performance.now = () => {
  now.call(performance)
  return 1_000
}

const session = new Session()
session.connect()

const methods = serveParent({
  async count(names: readonly string[]) {
    const allocated: Record<string, Allocated> = {}
    for (const { name, open, per } of allCases.filter((one) => names.includes(one.name))) {
      const operation = await open()
      for (let reads = 0; reads < WARM_UPS; reads += per) await operation.run()
      allocated[name] = await countAllocations(operation)
      await operation.close?.()
    }
    return allocated
  },
})
export type Counting = typeof methods

/**
 * Counts what one more run of an operation allocates, to the byte. The heap profiler of V8 samples every object, in a young generation
 * that is too large to be collected. Before it starts, V8 drops the hidden classes of objects that are gone, and the next run creates
 * them again; so the run after that one counts. Growing tables, boxed numbers, timers and a busy machine only add to a run, so the
 * count is the least of several runs, which end when it is confirmed.
 */
async function countAllocations({ run }: Operation): Promise<Allocated> {
  nothing ??= await leastOf(() => undefined, IGNORED_AT_FIRST)
  return less(await leastOf(run, IGNORED), nothing)
}

/** Runs before those that count: V8 still allocates for the profiler, or compiles discarded code again. */
const IGNORED_AT_FIRST = 8
const IGNORED = 2
/** What so many runs allocate at least is not less in another one. */
const CONFIRMED = 3

/** Allocated by the counting itself. */
let nothing: Allocated | undefined

async function leastOf(run: () => unknown, ignored: number): Promise<Allocated> {
  let least: Allocated | undefined
  let seen = 0
  for (let i = -ignored; i < RUNS && seen < CONFIRMED; i++) {
    await timersFire()
    start()
    await run()
    await timersFire()
    markRun()
    await run()
    const count = sumAfter(markRun.name, stop())
    if (i < 0) continue
    if (!least || count.bytes < least.bytes) [least, seen] = [count, 0]
    if (count.bytes === least.bytes) seen++
  }
  return least!
}

/** So that a run creates its timers, as if it were the only one. */
const timersFire = (): Promise<void> => sleep(5)

let lastMark: object | undefined

/** Allocates an object between two runs. */
function markRun(): void {
  lastMark = { before: lastMark === undefined }
}

function start(): void {
  session.post('HeapProfiler.startSampling', {
    samplingInterval: 1,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
}

/** A session of the same thread answers synchronously. */
function stop(): Profile {
  let stopped: Profile | undefined
  session.post('HeapProfiler.stopSampling', (error, answer) => {
    if (error) throw error
    stopped = answer.profile as Profile
  })
  return stopped!
}
