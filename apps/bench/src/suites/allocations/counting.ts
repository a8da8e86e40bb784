import { Session } from 'node:inspector'
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from './allocation-case.ts'
import { less, sumAfter, type Allocated, type Profile } from './profile.ts'

const session = new Session()
session.connect()

/**
 * Counts what one more run of an operation allocates, to the byte. The heap profiler of V8 samples every object, in a young generation
 * that is too large to be collected. Before it starts, V8 drops the hidden classes of objects that are gone, and the next run creates
 * them again; so the run after that one counts. Growing tables, boxed numbers, timers and a busy machine only add to a run, so the
 * count is the least of several runs, which end when it is confirmed.
 */
export async function countAllocations({ run }: Operation, runs: number): Promise<Allocated> {
  nothing ??= await leastOf(() => undefined, IGNORED_AT_FIRST, runs)
  return less(await leastOf(run, IGNORED, runs), nothing)
}

/** Runs before those that count: V8 still allocates for the profiler, or compiles discarded code again. */
const IGNORED_AT_FIRST = 8
const IGNORED = 2
/** What so many runs allocate at least is not less in another one. */
const CONFIRMED = 3

/** Allocated by the counting itself. */
let nothing: Allocated | undefined

async function leastOf(run: () => unknown, ignored: number, runs: number): Promise<Allocated> {
  let least: Allocated | undefined
  let seen = 0
  for (let i = -ignored; i < runs && seen < CONFIRMED; i++) {
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

/** Counts garbage collections, of both generations, in that many runs. */
export async function countCollections({ run }: Operation, times: number): Promise<number> {
  let collections = 0
  const count = (entries: readonly unknown[]): void => void (collections += entries.length)
  const observer = new PerformanceObserver((list) => count(list.getEntries()))
  observer.observe({ type: 'gc' })
  for (let i = 0; i < times; i++) await run()
  // The observer is called in a turn of its own.
  await turn()
  count(observer.takeRecords())
  observer.disconnect()
  return collections
}
