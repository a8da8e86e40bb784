import { performance } from 'node:perf_hooks'

/** Milliseconds since any moment: elapsed time, and idle time of the event loop. */
export interface LoopClock {
  readonly now: () => number
  readonly idleTime: () => number
}

const processClock: LoopClock = {
  now: () => performance.now(),
  idleTime: () => performance.nodeTiming.idleTime,
}

/**
 * Watches the event loop until you call the returned function, which returns the longest block in milliseconds. A block
 * is the time between two runs of a 1 ms timer, minus the idle time of the loop.
 */
export function watchLoop(clock: LoopClock = processClock): () => number {
  let longest = 0
  let now = clock.now()
  let idle = clock.idleTime()
  const sample = (): void => {
    const before = now
    const idleBefore = idle
    now = clock.now()
    idle = clock.idleTime()
    longest = Math.max(longest, now - before - (idle - idleBefore))
  }
  const timer = setInterval(sample, 1)
  return () => {
    clearInterval(timer)
    sample()
    return longest
  }
}
