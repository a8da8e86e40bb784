import { performance } from 'node:perf_hooks'

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
 * Watches the event loop until the returned function is called, which tells the longest block in milliseconds: the time
 * between two turns of a timer that is due every millisecond, less the time in which the loop had nothing to do.
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
