import { performance } from 'node:perf_hooks'

/**
 * Watches the event loop until the returned function is called, which tells the longest block in milliseconds: the time
 * between two turns of a timer that is due every millisecond, less the time in which the loop had nothing to do.
 */
export function watchLoop(): () => number {
  const { nodeTiming } = performance
  let longest = 0
  let now = performance.now()
  let idle = nodeTiming.idleTime
  const sample = (): void => {
    const before = now
    const idleBefore = idle
    now = performance.now()
    idle = nodeTiming.idleTime
    longest = Math.max(longest, now - before - (idle - idleBefore))
  }
  const timer = setInterval(sample, 1)
  return () => {
    clearInterval(timer)
    sample()
    return longest
  }
}
