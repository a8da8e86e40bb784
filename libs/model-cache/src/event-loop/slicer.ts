import { InvalidOptionError } from '../errors.js'
import { noPressure, type Pressure } from './pressure.js'

export interface SlicerOptions {
  /** Milliseconds of one turn of the event loop that sliced work may fill, 0.1 or more. @default 4 */
  readonly budgetMs?: number
}

/** What a visit gives that is to be followed by another one of the same item. */
export const unfinished: unique symbol = Symbol('unfinished')

/** Work on items, one after the other, that may go on in a later turn. */
interface Job {
  readonly items: readonly unknown[]
  readonly visit: (item: never, index: number) => unknown
  readonly worked: (seconds: number) => void
  readonly done: { resolve(): void; reject(error: unknown): void }
  next: number
  /** Of this turn. */
  workedMs: number
}

/**
 * What a turn that is left to others may take, in milliseconds, if the next is to be filled. In a longer one somebody may have
 * connected, such as a probe, whom Node accepts in the next and hears in the one after it.
 */
const shortMs = 0.25

/** What follows it is a microtask; one of `queueMicrotask` takes three times as long where there is an asynchronous context. */
const ready = Promise.resolve()

/** Items between two looks at what the callers do with them. */
const burst = 16

/** Part of the budget that rows fill: who connects in the midst of it has to wait for its end, and then for Node to accept and hear it. */
const mostShare = 0.75

/** Part of the budget that is left under the highest pressure, and to a turn that others have filled. */
const leastShare = 0.25

/**
 * Divides work among turns of the event loop, so that none takes longer than the budget, however much there is.
 *
 * All caches of a process share one, and with it the budget of a turn. It is wall time: what callers do at once with the items that
 * they were waiting for counts, since between bursts of items their promise callbacks run. While there is work, so does what
 * Node does between two turns, when it looks at its sockets and timers.
 *
 * Under pressure slices are smaller, down to a quarter of the budget: the same work, in more turns.
 */
export class Slicer {
  readonly #budgetMs: number
  readonly #pressure: Pressure
  readonly #jobs: Job[] = []
  /** When the running turn is full. */
  #turnEndsAtMs = 0
  /** When work stopped in the last turn that had some. */
  #stoppedAtMs = 0
  #isTurnOpen = false
  #isWorking = false
  #isVisiting = false

  /** @throws InvalidOptionError */
  constructor({ budgetMs = 4 }: SlicerOptions = {}, pressure: Pressure = noPressure) {
    // With less than a microsecond or so the turn would be over before its first item.
    if (!(budgetMs >= 0.1 && budgetMs <= 1_000)) {
      throw new InvalidOptionError('budgetMs', budgetMs, 'milliseconds, from 0.1 to 1000')
    }
    this.#budgetMs = budgetMs
    this.#pressure = pressure
  }

  /** Whether an item is being visited just now: true only for who looks from within, or interrupts. */
  get isVisiting(): boolean {
    return this.#isVisiting
  }

  /**
   * Visits each item, in order; never in the running call. Between two visits it may wait for the next turn, within one never.
   *
   * @param visit what it gives does not matter, unless it is {@link unfinished}; then callers run, and it is called for the item again
   * @param worked told the seconds that the visits took, once for each turn in which there were some
   * @returns when all have been visited; rejects with what a visit throws, after which none follows
   */
  each<T>(
    items: readonly T[],
    visit: (item: T, index: number) => unknown,
    worked: (seconds: number) => void,
  ): Promise<void> {
    if (items.length === 0) return Promise.resolve()
    const { promise, ...done } = Promise.withResolvers<void>()
    this.#jobs.push({ items, visit, worked, done, next: 0, workedMs: 0 })
    if (!this.#isTurnOpen) this.#openTurn()
    if (!this.#isWorking) {
      this.#isWorking = true
      void ready.then(this.#work)
    }
    return promise
  }

  /** Who has work may have been told by a socket, and there may be more that wait for theirs: a small part is done at once. */
  #openTurn(): void {
    this.#isTurnOpen = true
    this.#stoppedAtMs = performance.now()
    this.#turnEndsAtMs = this.#stoppedAtMs + leastShare * this.#budgetMs
    setImmediate(this.#passTurn)
  }

  /** Leaves a turn to others. */
  readonly #passTurn = (mayPassAnother = true): void => {
    setImmediate(this.#fillTurn, performance.now(), mayPassAnother)
  }

  readonly #fillTurn = (passedAtMs: number, mayPassAnother: boolean): void => {
    this.#isTurnOpen = this.#jobs.length > 0
    if (!this.#isTurnOpen) return
    const nowMs = performance.now()
    if (mayPassAnother && nowMs - passedAtMs > shortMs) return this.#passTurn(false)
    // With work waiting Node does not sleep between two turns, so all that time was of use to somebody.
    const leftMs = Math.max(
      mostShare * this.#budget - (nowMs - this.#stoppedAtMs),
      leastShare * this.#budgetMs,
    )
    this.#stoppedAtMs = nowMs
    this.#turnEndsAtMs = nowMs + leftMs
    setImmediate(this.#passTurn)
    if (this.#isWorking) return
    this.#isWorking = true
    this.#work()
  }

  get #budget(): number {
    return this.#budgetMs * (1 - (1 - leastShare) * this.#pressure.value)
  }

  readonly #work = (): void => {
    const job = this.#jobs[0]
    if (!job) {
      this.#isWorking = false
      return
    }
    const startedAtMs = performance.now()
    let nowMs = startedAtMs
    const end = Math.min(job.next + burst, job.items.length)
    this.#isVisiting = true
    try {
      let isFinished = true
      while (isFinished && job.next < end && nowMs < this.#turnEndsAtMs) {
        isFinished = job.visit(job.items[job.next] as never, job.next) !== unfinished
        if (isFinished) job.next++
        nowMs = performance.now()
      }
    } catch (error) {
      job.next = job.items.length
      job.done.reject(error)
    }
    this.#isVisiting = false
    job.workedMs += nowMs - startedAtMs
    const isDone = job.next >= job.items.length
    const isTurnFull = nowMs >= this.#turnEndsAtMs
    if ((isDone || isTurnFull) && job.workedMs > 0) {
      job.worked(job.workedMs / 1_000)
      job.workedMs = 0
    }
    if (isDone) {
      this.#jobs.shift()
      job.done.resolve()
    }
    if (isTurnFull) {
      this.#isWorking = false
      this.#stoppedAtMs = nowMs
    } else void ready.then(this.#work)
  }
}
