import { Session } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../cases/allocation-case.ts'
import { less, sumOf, type Allocated, type Profile } from './profile.ts'

const session = new Session()
session.connect()

/**
 * What one run of an operation allocates, to the byte. The heap profiler of V8 takes every single object for a sample, in a young
 * generation that is too large for any collection. Tables that grow now and then, numbers that need a box, timers and waiting for a busy
 * machine only ever add to a run, so the count is the least of several runs.
 */
export async function countAllocations({ run }: Operation, runs: number): Promise<Allocated> {
  nothing ??= await leastOf(() => undefined, UNSETTLED_AT_FIRST, runs)
  return less(await leastOf(run, UNSETTLED, runs), nothing)
}

/** Runs that do not count yet: V8 still allocates for the profiler, or has thrown code away that it compiles again. */
const UNSETTLED_AT_FIRST = 8
const UNSETTLED = 2

/** What the counting itself allocates. */
let nothing: Allocated | undefined

async function leastOf(run: () => unknown, unsettled: number, runs: number): Promise<Allocated> {
  let least: Allocated | undefined
  for (let i = -unsettled; i < runs; i++) {
    // Timers that the run before has left are over then.
    await sleep(5)
    start()
    await run()
    const count = sumOf(stop())
    if (i >= 0 && (!least || count.bytes < least.bytes)) least = count
  }
  return least!
}

function start(): void {
  session.post('HeapProfiler.startSampling', {
    samplingInterval: 1,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
}

/** A session in the same thread answers within the call. */
function stop(): Profile {
  let stopped: Profile | undefined
  session.post('HeapProfiler.stopSampling', (error, answer) => {
    if (error) throw error
    stopped = answer.profile as Profile
  })
  return stopped!
}
