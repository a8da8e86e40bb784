import { performance } from 'node:perf_hooks'
import { jest } from '@jest/globals'

/**
 * The clock of a spec: `performance.now()` and `performance.eventLoopUtilization()` stand still but for what the spec lets
 * pass, however busy the machine is.
 */
export interface ManualClock {
  /** Milliseconds pass: what a computation would take that blocks the event loop for so long. */
  pass: (ms: number) => void
  /** Milliseconds pass in which the event loop waits. */
  rest: (ms: number) => void
}

/** Replaces the clocks of `performance` until the test ends with `jest.restoreAllMocks()`. Timers and immediates run as ever. */
export function manualClock(): ManualClock {
  // Whole milliseconds, so that what passes adds up exactly.
  const startMs = Math.ceil(performance.now())
  let [activeMs, idleMs] = [0, 0]
  jest.spyOn(performance, 'now').mockImplementation(() => startMs + activeMs + idleMs)
  const nothing = { active: 0, idle: 0 }
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation((now, before) => {
    const end = before ? now! : { active: activeMs, idle: idleMs }
    const start = before ?? now ?? nothing
    const [active, idle] = [end.active - start.active, end.idle - start.idle]
    return { active, idle, utilization: active + idle > 0 ? active / (active + idle) : 0 }
  })
  return { pass: (ms) => void (activeMs += ms), rest: (ms) => void (idleMs += ms) }
}
