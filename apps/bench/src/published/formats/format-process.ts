/** The process that measures one format in one way, so that no format runs in code optimised for another one. */
import { isDeepStrictEqual } from 'node:util'
import { GCProfiler } from 'node:v8'
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { sum } from '../../harness/statistics.ts'
import { allocatedBy } from './allocated-by.ts'
import type { Message, Way } from './format.ts'
import { allFormats } from './all-formats.ts'
import { buildTrips, type Trip } from './trip.ts'

interface Order {
  readonly format: string
  readonly way: Way
  readonly trips: number
  /** Calls of each operation before those that count, beside the one that is verified. */
  readonly warmUps: number
  readonly calls: number
}

const methods = serveParent({
  /** @throws when a trip does not come back */
  measure({ format, way, trips: count, ...effort }: Order) {
    const { create } = allFormats.find(({ name }) => name === format)!
    const serializer = create[way]!()
    const trips = buildTrips(count)
    // A tuned serializer reuses the buffer of its messages.
    const messages: Message[] = serializer.encode(trips).map((message) => Buffer.from(message))
    verify(`${format}, ${way}`, trips, serializer.decode(messages))
    return {
      bytes: sum(messages.map((message) => message.length)),
      encode: measureOperation(() => serializer.encode(trips), effort),
      decode: measureOperation(() => serializer.decode(messages), effort),
    }
  },
})
export type Measuring = typeof methods

/** The classes of decoded trips may be a library's own. */
function verify(name: string, trips: readonly Trip[], decoded: readonly Trip[]): void {
  if (decoded.length !== trips.length)
    throw new Error(`${name} returns ${decoded.length} trips of ${trips.length}.`)
  decoded.forEach((trip, index) => {
    if (!isDeepStrictEqual({ ...trip }, trips[index]))
      throw new Error(`${name} does not restore trip ${index}.`)
  })
}

function measureOperation(work: () => unknown, { warmUps, calls }: Pick<Order, 'warmUps' | 'calls'>) {
  for (let i = 0; i < warmUps; i++) work()
  // The operation before must not leave garbage to this one.
  globalThis.gc!()
  const timed = Array.from({ length: calls }, () => measureCall(work))
  return { calls: timed, allocated: allocatedBy(work) }
}

/** Wall time, for which the event loop stands still, processor time of all threads, and garbage collections. */
function measureCall(work: () => unknown) {
  collectGarbage()
  const profiler = new GCProfiler()
  profiler.start()
  const startedCpu = cpuTime()
  const startedAt = performance.now()
  work()
  const ms = performance.now() - startedAt
  const cpuMs = cpuTime() - startedCpu
  const { statistics } = profiler.stop()
  // The profiler counts microseconds.
  return { ms, cpuMs, gcRuns: statistics.length, gcMs: sum(statistics.map(({ cost }) => cost)) / 1000 }
}
