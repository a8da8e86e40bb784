import { performance } from 'node:perf_hooks'
import type { LagSampler } from './lag-sampler.js'

/** Pressure on the event loop, for components that can do less under load. */
export interface Pressure {
  /** From 0 (nothing waits) to 1. Cheap to read, and constant within one turn. */
  readonly value: number
}

/** Constant zero, for caches in processes that do not measure pressure. */
export const noPressure: Pressure = { value: 0 }

/** Seconds of lag at which pressure starts to rise, and at which it is 1. */
const lagRange = [0.02, 0.2] as const

/** Utilisation above which a busy loop without lag is under pressure, up to 0.5 at full utilisation. */
const busyFrom = 0.8

/** Time constants of the moving averages, in seconds: a measurement loses 63 % of its weight in this time. */
const lagMemory = 0.5
const utilizationMemory = 1

/** Milliseconds between two measurements of utilisation. */
const utilizationEveryMs = 100

/**
 * Pressure from recent lag and recent utilisation, whichever is greater:
 *
 * ```
 * lag part         = (lag - 20 ms) / 180 ms          within 0 and 1
 * utilisation part = (utilisation - 0.8) / 0.2 / 2   within 0 and 0.5
 * ```
 *
 * Both are exponential moving averages: lag over about half a second, utilisation over about one second. They change with
 * the samples, not with reads.
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

  /** Subscribes to the sampler. */
  start(): void {
    if (this.#stop) return
    const remainder = Math.exp(-this.#sampler.resolutionMs / 1_000 / lagMemory)
    const ends = [
      this.#sampler.onLag((seconds, samples) => {
        this.#lag = seconds + remainder ** samples * (this.#lag - seconds)
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
    this.#sampler.wake()
    const [from, to] = lagRange
    const lagPart = (this.#lag - from) / (to - from)
    const utilizationPart = (this.#utilization - busyFrom) / (1 - busyFrom) / 2
    return Math.min(1, Math.max(0, lagPart, utilizationPart))
  }

  /** Utilisation of the loop over about the last second, 0 to 1. */
  get utilization(): number {
    this.#sampler.wake()
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
