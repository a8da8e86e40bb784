import { performance } from 'node:perf_hooks'
import { quantile } from './statistics.ts'

/** In milliseconds: all time, and the idle time of the event loop. */
const processClock = {
  now: (): number => performance.now(),
  idleTime: (): number => performance.nodeTiming.idleTime,
}

/**
 * Watches the event loop of this process until the returned function is called.
 *
 * A timer is due every millisecond. The time between two of its turns, less the idle time, is a block.
 * `monitorEventLoopDelay` includes idle time, so its blocks are a millisecond or two too long. A chain of `setImmediate` is
 * exact, but never lets the loop sleep, and adds its own processor time.
 */
export function watchLoop(clock = processClock) {
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
    return {
      /** Longest block of the event loop. */
      maxMs: Math.max(...blocks),
      /** 99th percentile of the time that work waits which arrives at any millisecond. */
      p99Ms: quantile(blocks.flatMap(waitsIn), 0.99),
    }
  }
}
export type LoopDelays = ReturnType<ReturnType<typeof watchLoop>>

/** The waits of work that arrives during a block, once per millisecond, so that longer blocks weigh more. */
function waitsIn(block: number): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(block)) }, (_, late) => block - late)
}
