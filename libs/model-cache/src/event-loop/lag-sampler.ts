import { performance } from 'node:perf_hooks'
import { InvalidOptionError } from '../errors.js'

export interface LagSamplerOptions {
  /** The interval of lag samples in milliseconds. Every block that is longer is noticed. @default 20 */
  readonly resolutionMs?: number
}

/** Receives a lag in seconds. */
export type LagListener = (lagSeconds: number) => void

/** Receives the lag of a sample in seconds, and the time of the sample by `performance.now()`, in milliseconds. */
export type SampleListener = (lagSeconds: number, atMs: number) => void

const longestLagMs = 60_000

/** Number of samples kept for `worstSince`. */
const history = 4_096

/**
 * Measures event-loop lag: how late a timer runs.
 *
 * A loop that is blocked for a second runs the timer once, a second late. The sampler fills in the samples that the block
 * prevented (1 s, 0.98 s, 0.96 s, …), which corrects coordinated omission. Otherwise one long block would weigh as little as
 * one quiet sample.
 *
 * A measured block is up to one resolution shorter than the real one, which may start just after a sample.
 */
export class LagSampler {
  readonly resolutionMs: number
  readonly #lagListeners = new Set<LagListener>()
  readonly #sampleListeners = new Set<SampleListener>()
  readonly #stopListeners = new Set<() => void>()
  readonly #worst = new Float64Array(history)
  readonly #afterSample: (() => void)[] = []
  #samples = 0
  #dueMs = 0
  #timer: NodeJS.Timeout | undefined

  /** @throws InvalidOptionError */
  constructor({ resolutionMs = 20 }: LagSamplerOptions = {}) {
    if (!(resolutionMs >= 1 && resolutionMs <= 1_000)) {
      throw new InvalidOptionError('resolutionMs', resolutionMs, 'milliseconds from 1 to 1000')
    }
    this.resolutionMs = resolutionMs
  }

  /** Starts sampling. The timer does not keep the process alive. */
  start(): void {
    if (this.#timer) return
    this.#dueMs = performance.now() + this.resolutionMs
    this.#timer = setInterval(this.#sample, this.resolutionMs).unref()
  }

  /**
   * Takes an overdue sample at once, so that a reader in the same turn as a block sees that block.
   */
  catchUp(): void {
    if (this.#timer && performance.now() >= this.#dueMs) this.#sample()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const done of this.#afterSample.splice(0)) done()
    for (const listener of this.#stopListeners) listener()
  }

  /** Calls the listener for each sample, including filled-in ones, in order of time. @returns a function that unsubscribes */
  onLag(listener: LagListener): () => void {
    this.#lagListeners.add(listener)
    return () => this.#lagListeners.delete(listener)
  }

  /** Calls the listener for each sample taken, after the ones that it fills in. @returns a function that unsubscribes */
  onSample(listener: SampleListener): () => void {
    this.#sampleListeners.add(listener)
    return () => this.#sampleListeners.delete(listener)
  }

  /** Calls the listener when sampling stops. @returns a function that unsubscribes */
  onStop(listener: () => void): () => void {
    this.#stopListeners.add(listener)
    return () => this.#stopListeners.delete(listener)
  }

  /** Returns the current position, for {@link worstSince}. */
  mark(): number {
    return this.#samples
  }

  /**
   * Reports the worst lag in seconds since a mark, after the next sample, which is the first to see a block in progress.
   * Considers at most the last 4,096 samples.
   */
  worstSince(mark: number, report: LagListener): void {
    if (!this.#timer) return
    this.#afterSample.push(() => {
      let worst = 0
      for (let i = Math.max(mark, this.#samples - history); i < this.#samples; i++) {
        worst = Math.max(worst, this.#worst[i % history]!)
      }
      report(worst)
    })
  }

  readonly #sample = (): void => {
    const now = performance.now()
    // A process that was suspended for hours must not fill in millions of samples.
    const lagMs = Math.min(Math.max(0, now - this.#dueMs), longestLagMs)
    this.#dueMs = now + this.resolutionMs
    this.#worst[this.#samples++ % history] = lagMs / 1_000
    for (let remainingMs = lagMs; remainingMs >= 0; remainingMs -= this.resolutionMs) {
      for (const listener of this.#lagListeners) listener(remainingMs / 1_000)
      if (remainingMs < this.resolutionMs) break
    }
    for (const listener of this.#sampleListeners) listener(lagMs / 1_000, now)
    if (this.#afterSample.length > 0) for (const done of this.#afterSample.splice(0)) done()
  }
}
