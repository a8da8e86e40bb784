import type { LoggedTransaction } from './database-log.js'
import type { LoggedChange } from './logged-change.js'

/** Changes to work off together. */
export interface QueuedChanges {
  readonly changes: readonly LoggedChange[]
  /** The numbers of the transactions that made them. */
  readonly transactions: ReadonlySet<number>
  /** The end of the last transaction of which all changes are here or were before; undefined if none has ended since. */
  readonly position: bigint | undefined
  /** When the oldest transaction of these was committed, in milliseconds by the clock of the database. */
  readonly committedAtMs: number | undefined
}

/** The maximum number of queued changes. More wait in the database. */
const maxQueued = 20_000

/** The changes that have been read, until they have been worked off. */
export class ChangeQueue {
  readonly #flow: { pause(): void; resume(): void }
  #changes: LoggedChange[] = []
  #transactions = new Set<number>()
  #position: bigint | undefined
  #committedAtMs: number | undefined
  /** When the oldest transaction was committed of what has been taken and not worked off, oldest first. */
  readonly #taken: (number | undefined)[] = []
  #isPaused = false
  #isClosed = false
  #wake: (() => void) | undefined

  constructor(flow: { pause(): void; resume(): void }) {
    this.#flow = flow
  }

  /** Whether everything that was read has been worked off. */
  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#position === undefined && this.#taken.length === 0
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** When the oldest transaction was committed that has not been worked off; undefined if there is none. */
  get oldestMs(): number | undefined {
    return this.#taken.find((ms) => ms !== undefined) ?? this.#committedAtMs
  }

  add(change: LoggedChange, { committedAtMs, id }: LoggedTransaction): void {
    this.#changes.push(change)
    this.#transactions.add(id)
    this.#committedAtMs ??= committedAtMs
    if (this.#changes.length < maxQueued) return
    if (!this.#isPaused) this.#flow.pause()
    this.#isPaused = true
    this.#wake?.()
  }

  commit(position: bigint, { committedAtMs }: LoggedTransaction): void {
    this.#position = position
    this.#committedAtMs ??= committedAtMs
    this.#wake?.()
  }

  /** Returns what is queued, as soon as there is something; undefined after a time without anything. Call {@link done} after it. */
  async take(waitMs: number): Promise<QueuedChanges | undefined> {
    if (!this.#isReady && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs)
        timer.unref()
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = undefined
    }
    if (!this.#isReady) return undefined
    const taken = {
      changes: this.#changes,
      transactions: this.#transactions,
      position: this.#position,
      committedAtMs: this.#committedAtMs,
    }
    this.#taken.push(this.#committedAtMs)
    this.#changes = []
    this.#transactions = new Set()
    this.#position = undefined
    this.#committedAtMs = undefined
    if (this.#isPaused) this.#flow.resume()
    this.#isPaused = false
    return taken
  }

  /** What was taken first has been worked off. */
  done(): void {
    this.#taken.shift()
  }

  /** Ends a wait of {@link take}. */
  wake(): void {
    this.#wake?.()
  }

  close(): void {
    this.#isClosed = true
    this.#wake?.()
  }

  /** An incomplete transaction is taken only as far as it has to be. */
  get #isReady(): boolean {
    return this.#position !== undefined || this.#changes.length >= maxQueued
  }
}
