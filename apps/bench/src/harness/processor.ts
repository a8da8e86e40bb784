import { cpus } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sum } from './statistics.ts'

/**
 * Milliseconds of processor time of this process, including garbage collection in other threads. The wall clock would
 * also count the time in which the machine runs something else.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of all processors of the machine, whatever program ran on them. */
export function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times)
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.map((time) => sum(Object.values(time)))),
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void

/**
 * Collects short-lived garbage, so that the next measurement does not pay for the one before. Only the young
 * generation: a full collection would also take away the room that V8 has given to short-lived objects.
 */
export const collectGarbage = (): void => collect({ type: 'minor' })

/** Megabytes in use after a full garbage collection; needs `--expose-gc`. */
export function heapMb(): number {
  globalThis.gc!()
  return process.memoryUsage().heapUsed / 1e6
}
