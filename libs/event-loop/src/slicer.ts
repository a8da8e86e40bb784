import { invalidOptionError } from './errors.js'
import { noPressure, type Pressure } from './pressure.js'

export interface SlicerOptions {
  /** The time budget of the caches per event-loop turn, in milliseconds, 0.1 or more. @default 4 */
  readonly budgetMs?: number
}

/** A visit returns this to be called again for the same item. */
export const unfinished: unique symbol = Symbol('unfinished')

/** Work on a list of items, which can continue in a later turn. */
interface Job {
  readonly items: readonly unknown[]
  readonly visit: (item: never, index: number) => unknown
  readonly worked: (seconds: number) => void
  readonly done: { resolve(): void; reject(error: unknown): void }
  next: number
  /** Milliseconds of work in this turn. */
  workedMs: number
}

/**
 * Maximum length of a turn left to others, in milliseconds, after which the next one is filled. In a longer turn a client,
 * such as a probe, may have connected: Node accepts it in the next turn and reads from it in the one after.
 */
const shortMs = 0.25

/** Schedules microtasks; `queueMicrotask` takes three times as long within an asynchronous context. */
const ready = Promise.resolve()

/** Number of items between two pauses in which promise callbacks of callers run. */
const burst = 16

/** Share of the budget that is filled. A client that connects meanwhile waits for its end, then for Node to accept and read. */
const mostShare = 0.75

/** Share of the budget that remains at the highest pressure, and in a turn that other work has filled. */
const leastShare = 0.25

/**
 * Divides work into time slices, so that no turn of the event loop exceeds the time budget, however much work there is.
 *
 * All caches of a process share one slicer and its budget. The budget is wall time: it includes the promise callbacks of
 * callers, which run between bursts of items. While there is work, it also includes the time that Node spends on sockets and
 * timers between two turns.
 *
 * Under pressure slices shrink, down to a quarter of the budget: the same work takes more turns.
 */
export class Slicer {
  readonly #budgetMs: number
  readonly #pressure: Pressure
  readonly #jobs: Job[] = []
  /** When the budget of the current turn is used up. */
  #turnEndsAtMs = 0
  /** When work stopped in the last turn that had work. */
  #stoppedAtMs = 0
  #isTurnOpen = false
  #isWorking = false
  #isVisiting = false

  /** @throws EventLoopError */
  constructor({ budgetMs = 4 }: SlicerOptions = {}, pressure: Pressure = noPressure) {
    // With a microsecond or so, the turn would end before its first item.
    if (!(budgetMs >= 0.1 && budgetMs <= 1_000)) {
      throw invalidOptionError('budgetMs', budgetMs, 'milliseconds, from 0.1 to 1000')
    }
    this.#budgetMs = budgetMs
    this.#pressure = pressure
  }

  /** Whether an item is being visited. True only when read from within a visit or an interruption of it. */
  get isVisiting(): boolean {
    return this.#isVisiting
  }

  /**
   * Visits each item in order, starting after the current call. It can wait for the next turn between visits, not within one.
   *
   * @param visit called for each item; if it returns `unfinished`, callers run, then it is called for the item again
   * @param worked receives the seconds that visits took, once per turn with visits
   * @returns resolves after the last visit; rejects with the first error of a visit, after which no visit follows
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

  /** The work may come from a socket, with more sockets to read in this turn: only a small share is filled at once. */
  #openTurn(): void {
    this.#isTurnOpen = true
    this.#stoppedAtMs = performance.now()
    this.#turnEndsAtMs = this.#stoppedAtMs + leastShare * this.#budgetMs
    setImmediate(this.#passTurn)
  }

  /** Leaves one turn to other work. */
  readonly #passTurn = (mayPassAnother = true): void => {
    setImmediate(this.#fillTurn, performance.now(), mayPassAnother)
  }

  readonly #fillTurn = (passedAtMs: number, mayPassAnother: boolean): void => {
    this.#isTurnOpen = this.#jobs.length > 0
    if (!this.#isTurnOpen) return
    const nowMs = performance.now()
    if (mayPassAnother && nowMs - passedAtMs > shortMs) return this.#passTurn(false)
    // With pending immediates Node does not sleep between turns, so the time since then was spent on other work.
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
