import { GCProfiler } from 'node:v8'

export interface Collections {
  readonly gcRuns: number
  /** Milliseconds that the main thread stood still for them. */
  readonly gcMs: number
}

/** Watches collections from now on until the function that it gives is called. */
export function watchGarbage(): () => Collections {
  const profiler = new GCProfiler()
  profiler.start()
  return () => {
    const { statistics } = profiler.stop()
    // The profiler counts in microseconds.
    return { gcRuns: statistics.length, gcMs: statistics.reduce((sum, { cost }) => sum + cost, 0) / 1000 }
  }
}
