import { Session } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../cases/allocation-case.ts'
import { less, sumOf, type Allocated, type Profile } from './profile.ts'

const session = new Session()
session.connect()

/**
 * What one run of an operation allocates, to the byte. The heap profiler of V8 takes every single object for a sample, in a young
 * generation that is too large for any collection. Tables that grow now and then, and timers that happen to be there, disturb some of
 * the runs, so the count is that of one which is larger than a quarter of them.
 */
export async function countAllocations({ run }: Operation, runs: number): Promise<Allocated> {
  nothing ??= await typicalRun(() => undefined, runs)
  return less(await typicalRun(run, runs), nothing)
}

const UNSETTLED = 4

/** What the counting itself allocates. */
let nothing: Allocated | undefined

async function typicalRun(run: () => unknown, runs: number): Promise<Allocated> {
  const counts: Allocated[] = []
  // The first are disturbed by the counting itself, which has not yet settled.
  for (let i = -UNSETTLED; i < runs; i++) {
    // Timers that the run before has left are over then.
    await sleep(5)
    start()
    await run()
    const count = sumOf(stop())
    if (i >= 0) counts.push(count)
  }
  return counts.toSorted((a, b) => a.bytes - b.bytes)[Math.floor(runs / 4)]!
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
