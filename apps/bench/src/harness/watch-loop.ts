import { performance } from 'node:perf_hooks'
import { quantile } from './statistics.ts'

export interface LoopDelays {
  /** The longest time for which the event loop did not come round to its timers. */
  readonly maxMs: number
  /** How long work that arrives at any millisecond has to wait until the loop comes round: the 99th percentile. */
  readonly p99Ms: number
}

/** Milliseconds since any moment: of all time, and of the time in which the event loop had nothing to do. */
export interface LoopClock {
  readonly now: () => number
  readonly idleTime: () => number
}

const processClock: LoopClock = {
  now: () => performance.now(),
  idleTime: () => performance.nodeTiming.idleTime,
}

/**
 * Watches the event loop of this process until the returned function is called.
 *
 * A timer is due every millisecond. What lies between two of its turns, less the time in which the loop had nothing to
 * do, is a block. `monitorEventLoopDelay` does not take the idle time away, so its blocks are up to a millisecond or two
 * too long; a chain of `setImmediate` is exact but never lets the loop sleep, and its own processor time would be
 * measured with the rest.
 */
export function watchLoop(clock: LoopClock = processClock): () => LoopDelays {
  const blocks: number[] = []
  let now = clock.now()
  let idle = clock.idleTime()
  const sample = (): void => {
    const before = now
    const idleBefore = idle
    now = clock.now()
    idle = clock.idleTime()
    blocks.push(now - before - (idle - idleBefore))
  }
  const timer = setInterval(sample, 1)
  return () => {
    clearInterval(timer)
    sample()
    return { maxMs: Math.max(...blocks), p99Ms: quantile(blocks.flatMap(waitsIn), 0.99) }
  }
}

/**
 * How long work waits that arrives during a block, one piece each millisecond. Counted as one value, a block of a
 * second would weigh as little as one of a millisecond.
 */
function waitsIn(block: number): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(block)) }, (_, late) => block - late)
}
