import { performance } from 'node:perf_hooks'
import type { LagSampler } from './lag-sampler.js'

/** How hard the event loop is pressed, for those who can do less when it is. */
export interface Pressure {
  /** From 0, nothing waits, to 1. Cheap to read, and the same for all who read it in one turn. */
  readonly value: number
}

/** For caches that work without anybody who measures. */
export const noPressure: Pressure = { value: 0 }

/** Seconds of lag at which pressure begins, and at which it is 1. */
const lagRange = [0.02, 0.2] as const

/** Utilisation from which on a loop that is busy, but never late, is under pressure: half of it when it never rests. */
const busyFrom = 0.8

/** Seconds in which what was measured loses the greater part (63 %) of its weight. */
const lagMemory = 0.5
const utilizationMemory = 1

/** Milliseconds between two looks at the utilisation. */
const utilizationEveryMs = 100

/**
 * Pressure from recent lag and recent utilisation, the greater of the two:
 *
 * ```
 * lag part         = (lag - 20 ms) / 180 ms          within 0 and 1
 * utilisation part = (utilisation - 0.8) / 0.2 / 2   within 0 and 0.5
 * ```
 *
 * Lag is the mean over the last half second, utilisation over the last second, older time weighing exponentially less. Both move
 * with the samples, whoever reads them and however often.
 */
export class EventLoopPressure implements Pressure {
  readonly #sampler: LagSampler
  #lag = 0
  #utilization = 0
  #looked = { atMs: performance.now(), elu: performance.eventLoopUtilization() }
  #stop: (() => void) | undefined

  constructor(sampler: LagSampler) {
    this.#sampler = sampler
  }

  /** Begins to listen to the sampler. */
  start(): void {
    if (this.#stop) return
    const weight = 1 - Math.exp(-this.#sampler.resolutionMs / 1_000 / lagMemory)
    const ends = [
      this.#sampler.onLag((seconds) => {
        this.#lag += weight * (seconds - this.#lag)
      }),
      this.#sampler.onSample(this.#look),
    ]
    this.#stop = () => ends.forEach((end) => end())
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  get value(): number {
    const [from, to] = lagRange
    const lagPart = (this.#lag - from) / (to - from)
    const utilizationPart = (this.#utilization - busyFrom) / (1 - busyFrom) / 2
    return Math.min(1, Math.max(0, lagPart, utilizationPart))
  }

  /** Share of about the last second in which the loop was busy, 0 to 1. */
  get utilization(): number {
    return this.#utilization
  }

  readonly #look = (_lagSeconds: number, atMs: number): void => {
    const passedMs = atMs - this.#looked.atMs
    if (passedMs < utilizationEveryMs) return
    const elu = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(elu, this.#looked.elu)
    this.#utilization +=
      (1 - Math.exp(-passedMs / 1_000 / utilizationMemory)) * (utilization - this.#utilization)
    this.#looked = { atMs, elu }
  }
}
