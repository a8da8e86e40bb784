import { performance } from 'node:perf_hooks'
import { jest } from '@jest/globals'

/** The clock of a spec: `performance.now()` stands still but for what the spec lets pass, however busy the machine is. */
export interface ManualClock {
  /** Milliseconds pass: what a computation would take that blocks the event loop for so long. */
  pass: (ms: number) => void
}

/** Replaces `performance.now()` until the test ends with `jest.restoreAllMocks()`. Timers and immediates run as ever. */
export function manualClock(): ManualClock {
  // Whole milliseconds, so that what passes adds up exactly.
  let nowMs = Math.ceil(performance.now())
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
  return { pass: (ms) => void (nowMs += ms) }
}
