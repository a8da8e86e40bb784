import { PerformanceObserver, performance } from 'node:perf_hooks'
import { cpuTime } from '../measure/cpu-time.ts'
import { watchLoop } from '../measure/watch-loop.ts'

/** What a process did while it was watched. */
export interface Watched {
  /** Milliseconds of processor time, those of helping threads included. */
  readonly cpuMs: number
  /** The longest time for which the event loop did not come round to its timers. */
  readonly loopMaxMs: number
  /** The part of the time in which the event loop had nothing to do, from 0 to 1. */
  readonly loopIdle: number
  /** The longest single garbage collection; 0 when there was none. */
  readonly longestGcMs: number
}

/** Watches this process until the returned function is called. */
export function watchProcess(): () => Watched {
  let longestGcMs = 0
  const note = (collections: readonly { duration: number }[]): void => {
    for (const { duration } of collections) longestGcMs = Math.max(longestGcMs, duration)
  }
  const collections = new PerformanceObserver((list) => note(list.getEntries()))
  collections.observe({ entryTypes: ['gc'] })
  const stopLoop = watchLoop()
  const loopBefore = performance.eventLoopUtilization()
  const cpuBefore = cpuTime()
  return () => {
    const cpuMs = cpuTime() - cpuBefore
    const { utilization } = performance.eventLoopUtilization(loopBefore)
    const { maxMs } = stopLoop()
    note(collections.takeRecords())
    collections.disconnect()
    return { cpuMs, loopMaxMs: maxMs, loopIdle: 1 - utilization, longestGcMs }
  }
}
