import { isDeepStrictEqual } from 'node:util'
import { allocatedBy } from '../measure/allocated-by.ts'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import { watchGarbage } from '../measure/watch-garbage.ts'
import { allFormats } from './all-formats.ts'
import type { Message, Way } from './format.ts'
import type { Call, FormatCalls, OperationCalls } from './formats-measurements.ts'
import { buildTrips, type Trip } from './trip.ts'

/** What one process is told to measure. */
export interface Order {
  readonly format: string
  readonly way: Way
  readonly trips: number
  /** Calls of each operation before those that count, beside the one that is verified. */
  readonly warmUps: number
  /** Calls of each operation that count. */
  readonly calls: number
}

/** @throws when a trip does not come back */
export function measureFormat({ format, way, trips: count, ...effort }: Order): FormatCalls {
  const serializer = allFormats.find(({ name }) => name === format)!.create[way]!()
  const trips = buildTrips(count)
  // A tuned serializer writes over its messages; they arrive in memory of their own.
  const messages: Message[] = serializer.encode(trips).map((message) => Buffer.from(message))
  verify(`${format}, ${way}`, trips, serializer.decode(messages))
  return {
    bytes: messages.reduce((sum, message) => sum + message.length, 0),
    encode: measureOperation(() => serializer.encode(trips), effort),
    decode: measureOperation(() => serializer.decode(messages), effort),
  }
}

/** The classes of decoded trips may be a library's own. */
function verify(name: string, trips: readonly Trip[], decoded: readonly Trip[]): void {
  if (decoded.length !== trips.length)
    throw new Error(`${name} gives ${decoded.length} trips of ${trips.length}.`)
  decoded.forEach((trip, index) => {
    if (!isDeepStrictEqual({ ...trip }, trips[index]))
      throw new Error(`${name} does not bring trip ${index} back.`)
  })
}

function measureOperation(
  work: () => unknown,
  { warmUps, calls }: Pick<Order, 'warmUps' | 'calls'>,
): OperationCalls {
  for (let i = 0; i < warmUps; i++) work()
  // What the operation before has left is not this one's garbage.
  globalThis.gc!()
  const timed = Array.from({ length: calls }, () => measureCall(work))
  return { calls: timed, ...allocatedBy(work) }
}

function measureCall(work: () => unknown): Call {
  collectGarbage()
  const stopWatching = watchGarbage()
  const startedCpu = cpuTime()
  const startedAt = performance.now()
  work()
  const ms = performance.now() - startedAt
  const cpuMs = cpuTime() - startedCpu
  return { ms, cpuMs, ...stopWatching() }
}
