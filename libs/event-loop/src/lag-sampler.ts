import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import { invalidOptionError } from './errors.js'
import { notify } from './notify.js'

export interface LagSamplerOptions {
  /** The interval of lag samples in milliseconds. Every block that is longer is noticed. @default 20 */
  readonly resolutionMs?: number
}

/** Receives a lag in seconds, and the number of samples with this lag: above 1 for those of an idle time. */
export type LagListener = (lagSeconds: number, samples: number) => void

/** Receives the lag of a sample in seconds, and the time of the sample by `performance.now()`, in milliseconds. */
export type SampleListener = (lagSeconds: number, atMs: number) => void

const longestLagMs = 60_000

/** Number of samples kept for `worstSince`. */
const history = 4_096

/** Milliseconds of work between two samples, up to which the loop is idle. The sample itself takes a part of them. */
const idleUpToMs = 0.4

/**
 * Measures event-loop lag: how late a timer runs.
 *
 * A loop that is blocked for a second runs the timer once, a second late. The sampler fills in the samples that the block
 * prevented (1 s, 0.98 s, 0.96 s, …), which corrects coordinated omission. Otherwise one long block would weigh as little as
 * one quiet sample.
 *
 * A measured block is up to one resolution shorter than the real one, which may start just after a sample.
 *
 * While the loop is idle, the sampler sleeps: nothing wakes the processor. It wakes with the first turn of the loop, and
 * counts the samples of the idle time then. Node's own count of idle time tells it how long that turn has taken, together
 * with the rest of the turn in which it fell asleep.
 */
export class LagSampler {
  readonly resolutionMs: number
  readonly #lagListeners = new Set<LagListener>()
  readonly #sampleListeners = new Set<SampleListener>()
  readonly #pauseListeners = new Set<() => void>()
  readonly #worst = new Float64Array(history)
  readonly #afterSample: (() => void)[] = []
  #samples = 0
  #dueMs = 0
  /** When the sampler last looked whether the loop is idle. */
  #looked = look()
  #isAsleep = false
  #holds = 0
  #timer: NodeJS.Timeout | undefined

  /** @throws EventLoopError */
  constructor({ resolutionMs = 20 }: LagSamplerOptions = {}) {
    if (!(resolutionMs >= 1 && resolutionMs <= 1_000)) {
      throw invalidOptionError('resolutionMs', resolutionMs, 'milliseconds from 1 to 1000')
    }
    this.resolutionMs = resolutionMs
  }

  /** Starts sampling. The timer does not keep the process alive. */
  start(): void {
    if (this.#timer) return
    this.#timer = setTimeout(this.#onTimer, this.resolutionMs).unref()
    this.#looked = look()
    this.#dueMs = this.#looked.atMs + this.resolutionMs
  }

  /**
   * Takes an overdue sample at once, so that a reader in the same turn as a block sees that block.
   */
  catchUp(): void {
    this.wake()
    const nowMs = performance.now()
    if (this.#timer && nowMs >= this.#dueMs) this.#sample(nowMs)
  }

  /** Ends the sleep of an idle time, if there is one, and counts the samples of that time. */
  wake(): void {
    if (this.#isAsleep) this.#wake()
  }

  /** Wakes the sampler, and keeps it awake until {@link release}: while work waits that may block when it continues. */
  hold(): void {
    this.#holds++
    this.wake()
  }

  /** Ends a {@link hold}. */
  release(): void {
    this.#holds--
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isAsleep = false
    notify(this.#afterSample.splice(0))
    notify(this.#pauseListeners)
  }

  /**
   * Calls the listener for each sample, including filled-in ones, in order of time. What any listener throws, or rejects with, is ignored:
   * it would end the process, or the read that took the sample.
   *
   * @returns a function that unsubscribes
   */
  onLag(listener: LagListener): () => void {
    this.#lagListeners.add(listener)
    return () => this.#lagListeners.delete(listener)
  }

  /** Calls the listener for each sample taken, after the ones that it fills in. @returns a function that unsubscribes */
  onSample(listener: SampleListener): () => void {
    this.#sampleListeners.add(listener)
    return () => this.#sampleListeners.delete(listener)
  }

  /** Calls the listener when the sampler stops or falls asleep. @returns a function that unsubscribes */
  onPause(listener: () => void): () => void {
    this.#pauseListeners.add(listener)
    return () => this.#pauseListeners.delete(listener)
  }

  /** Returns the current position, for {@link worstSince}. */
  mark(): number {
    this.wake()
    return this.#samples
  }

  /**
   * Reports the worst lag in seconds since a mark, after the next sample, which is the first to see a block in progress.
   * Considers at most the last 4,096 samples.
   */
  worstSince(mark: number, report: (lagSeconds: number) => void): void {
    if (!this.#timer) return
    this.wake()
    this.#afterSample.push(() => {
      let worst = 0
      for (let i = Math.max(mark, this.#samples - history); i < this.#samples; i++) {
        worst = Math.max(worst, this.#worst[i % history]!)
      }
      return report(worst)
    })
  }

  readonly #onTimer = (): void => {
    this.#sample(performance.now())
    if (this.#holds === 0 && this.#isIdle()) this.#sleep()
    else this.#timer?.refresh()
  }

  #sample(nowMs: number): void {
    // A process that was suspended for hours must not fill in millions of samples.
    const lagMs = Math.min(Math.max(0, nowMs - this.#dueMs), longestLagMs)
    this.#dueMs = nowMs + this.resolutionMs
    this.#worst[this.#samples++ % history] = lagMs / 1_000
    for (let remainingMs = lagMs; remainingMs >= 0; remainingMs -= this.resolutionMs)
      notify(this.#lagListeners, remainingMs / 1_000, 1)
    notify(this.#sampleListeners, lagMs / 1_000, nowMs)
    if (this.#afterSample.length > 0) notify(this.#afterSample.splice(0))
  }

  /**
   * Whether the loop has done next to nothing since the last look, in one turn: that of the sample. Where something else
   * wakes the loop more often than that, to sleep and to be woken would take more than the samples.
   */
  #isIdle(): boolean {
    const last = this.#looked
    this.#looked = look()
    return this.#looked.turns - last.turns <= 1 && workedSince(last, this.#looked) <= idleUpToMs
  }

  /** Until the loop has something to do: an immediate without a reference runs in its next turn, and causes none. */
  #sleep(): void {
    if (!this.#timer) return
    this.#isAsleep = true
    notify(this.#pauseListeners)
    setImmediate(this.#onTurn).unref()
  }

  readonly #onTurn = (): void => this.wake()

  /** Bound to the context of its creation: what the timer captures here would be the context of a request otherwise. */
  readonly #wake = AsyncResource.bind((): void => {
    this.#isAsleep = false
    const last = this.#looked
    this.#looked = look()
    const nowMs = this.#looked.atMs
    const workedMs = Math.max(0, workedSince(last, this.#looked))
    // Samples were due every `resolutionMs`: first those of the idle time, then those that the current turn has delayed.
    const quiet = Math.max(0, Math.ceil((nowMs - workedMs - this.#dueMs) / this.resolutionMs))
    if (quiet > 0) notify(this.#lagListeners, 0, quiet)
    this.#dueMs += quiet * this.resolutionMs
    this.#timer?.refresh()
    if (nowMs >= this.#dueMs) return this.#sample(nowMs)
    this.#dueMs = nowMs + this.resolutionMs
    notify(this.#sampleListeners, 0, nowMs)
  })
}

/** The time, the milliseconds in which the loop has waited until then, and the number of its turns. */
function look() {
  const { idle } = performance.eventLoopUtilization()
  return { atMs: performance.now(), idleMs: idle, turns: performance.nodeTiming.uvMetricsInfo.loopCount }
}

type Look = ReturnType<typeof look>

const workedSince = (last: Look, now: Look): number => now.atMs - last.atMs - (now.idleMs - last.idleMs)
