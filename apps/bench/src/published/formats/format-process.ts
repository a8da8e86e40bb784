/** The process that measures one format in one way, so that no format runs in code optimised for another one. */
import { isDeepStrictEqual } from 'node:util'
import { GCProfiler } from 'node:v8'
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { sum } from '../../harness/statistics.ts'
import { allFormats } from './all-formats.ts'
import { allocatedBy } from './allocated-by.ts'
import type { ListSerializer, Message, Serializer, Way } from './format.ts'
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
  measure({ format: named, way, trips: count, warmUps, calls }: Order) {
    const format = allFormats.find(({ name }) => name === named)!
    const { encode, decode } = way === 'rows' ? rowByRow(format.rows()) : atOnce(format[way]!())
    const trips = buildTrips(count)
    // A tuned serializer reuses the buffer of its messages.
    const messages: Message[] = encode(trips).map((message) => Buffer.from(message))
    const decoded = decode(messages)
    trips.forEach((trip, index) => {
      // The classes of decoded trips may be a library's own.
      if (!isDeepStrictEqual({ ...decoded[index] }, trip))
        throw new Error(`${named}, ${way}, does not restore trip ${index}.`)
    })
    const measureOperation = (work: () => unknown) => {
      for (let i = 0; i < warmUps; i++) work()
      // The operation before must not leave garbage to this one.
      globalThis.gc!()
      return { calls: Array.from({ length: calls }, () => measureCall(work)), allocated: allocatedBy(work) }
    }
    return {
      bytes: sum(messages.map((message) => message.length)),
      encode: measureOperation(() => encode(trips)),
      decode: measureOperation(() => decode(messages)),
    }
  },
})
export type Measuring = typeof methods

const atOnce = ({ encode, decode }: ListSerializer) => ({
  encode: (trips: readonly Trip[]) => [encode(trips)],
  decode: ([message]: readonly Message[]) => decode(message!),
})

const rowByRow = ({ encode, decode }: Serializer<Trip>) => ({
  encode: (trips: readonly Trip[]) => trips.map((trip) => encode(trip)),
  decode: (messages: readonly Message[]) => messages.map((message) => decode(message)),
})

/** Wall time, for which the event loop stands still, processor time of all threads, and garbage collections. */
function measureCall(work: () => unknown) {
  collectGarbage()
  const profiler = new GCProfiler()
  profiler.start()
  const [wall, cpu] = [performance.now(), cpuTime()]
  work()
  const [ms, cpuMs] = [performance.now() - wall, cpuTime() - cpu]
  const { statistics } = profiler.stop()
  // The profiler counts microseconds.
  return { ms, cpuMs, gcRuns: statistics.length, gcMs: sum(statistics.map(({ cost }) => cost)) / 1000 }
}
