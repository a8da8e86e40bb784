import { performance } from 'node:perf_hooks'
import { InvalidOptionError } from '../errors.js'

export interface LagSamplerOptions {
  /** Milliseconds between samples, and so the shortest block that is noticed for certain. @default 20 */
  readonly resolutionMs?: number
}

/** Told a lag, in seconds. */
export type LagListener = (lagSeconds: number) => void

/** Told the lag of a sample, in seconds, and when it was taken, in milliseconds by `performance.now()`. */
export type SampleListener = (lagSeconds: number, atMs: number) => void

const longestLagMs = 60_000

/** How many samples are kept for handlers that ask for the worst lag since they began. */
const history = 4_096

/**
 * Measures event-loop lag: how much later than due a timer runs.
 *
 * A loop that is blocked for a second runs the timer once, a second late. The samples that could not be taken in that
 * time are filled in (1 s, 0.98 s, 0.96 s, …), for each would have met what was left of the block; without them one
 * long block would weigh as little as one quiet sample. Known as the correction of coordinated omission.
 *
 * A block is seen as long as it is, less up to one resolution: it may begin just after a sample.
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

  /** Starts to sample; does not keep the process alive. */
  start(): void {
    if (this.#timer) return
    this.#dueMs = performance.now() + this.resolutionMs
    this.#timer = setInterval(this.#sample, this.resolutionMs).unref()
  }

  /**
   * Takes the sample that is overdue, if one is: who reads what was measured in the same turn as a block reads the block
   * as well.
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

  /** Tells each sample and each that was filled in, in the order of their time. @returns ends it */
  onLag(listener: LagListener): () => void {
    this.#lagListeners.add(listener)
    return () => this.#lagListeners.delete(listener)
  }

  /** Tells the samples that were really taken, each after those that it fills in. @returns ends it */
  onSample(listener: SampleListener): () => void {
    this.#sampleListeners.add(listener)
    return () => this.#sampleListeners.delete(listener)
  }

  /** Tells that there will be no samples until the next start. @returns ends it */
  onStop(listener: () => void): () => void {
    this.#stopListeners.add(listener)
    return () => this.#stopListeners.delete(listener)
  }

  /** A moment to measure from, for {@link worstSince}. */
  mark(): number {
    return this.#samples
  }

  /**
   * The worst lag, in seconds, of the samples since a mark, and of the next one, which is the first to see a block
   * that is still going on. Exact over the last 4,096 samples.
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
    // A process that was stopped for hours must not fill in millions of samples.
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
