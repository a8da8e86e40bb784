import { setTimeout as delay } from 'node:timers/promises'
import type { Identity } from './identity.js'

export interface UnsettledParts {
  readonly name: string
  /** Both reject while the store does not take them. Nothing is stored for `holdMs` after it has. */
  readonly settleRows: (rows: readonly Identity[], holdMs: number) => Promise<void>
  readonly settleModel: (holdMs: number) => Promise<void>
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/** Above this many rows the whole model is invalidated instead. */
const maxRows = 10_000
const firstRetryMs = 100
const lastRetryMs = 5_000

/**
 * Invalidations that have not reached the store. While one is unsettled this process passes the store by for its rows,
 * and tries until the store has taken it.
 */
export class Unsettled {
  readonly #parts: UnsettledParts
  #rows = new Set<Identity>()
  /** Handed to the store just now. Apart, since a row may be invalidated again before the store has answered. */
  #settling: ReadonlySet<Identity> = new Set()
  #all = false
  /** Counts invalidations of the whole model, of which there may be another while one is settled. */
  #allCount = 0
  /** Until when nothing that is unsettled may be stored, as a write may not have ended yet. */
  #heldUntilMs = 0
  #retrying: Promise<void> | undefined
  #isLossTold = false
  readonly #stop = new AbortController()

  constructor(parts: UnsettledParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return !this.#all && this.#rows.size === 0 && this.#settling.size === 0
  }

  has(row: Identity): boolean {
    return this.#all || this.#rows.has(row) || this.#settling.has(row)
  }

  /** @param holdMs for how long from now on the rows must not be stored */
  add(rows: readonly Identity[], holdMs = 0): void {
    for (const row of rows) this.#rows.add(row)
    if (this.#rows.size > maxRows) this.addAll(holdMs)
    else this.#start(holdMs)
  }

  addAll(holdMs = 0): void {
    this.#all = true
    this.#allCount++
    this.#rows.clear()
    this.#start(holdMs)
  }

  /** For the end of the process: tries once more, and gives up what is unsettled then. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#retrying
    if (this.isEmpty) return
    await this.#settle().catch(() => this.#warnOfLoss())
  }

  #warnOfLoss(): void {
    if (this.#isLossTold) return
    this.#isLossTold = true
    const { name, warn } = this.#parts
    warn(
      `ModelCache "${name}": this process ends with an invalidation that has not reached the store; ` +
        `other processes may read the outdated rows until their ttl is over, or until they are invalidated again. ` +
        'Close what writes, such as workers of a queue, before the caches.',
    )
  }

  #start(holdMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, performance.now() + holdMs)
    if (this.#stop.signal.aborted) this.#warnOfLoss()
    if (this.#retrying || this.#stop.signal.aborted) return
    this.#parts.warn(
      `ModelCache "${this.#parts.name}": an invalidation has not reached the store; the rows that it concerns are ` +
        'read from the source until it has.',
    )
    this.#retrying = this.#retry()
  }

  async #retry(): Promise<void> {
    for (let waitMs = firstRetryMs; !this.isEmpty; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        await delay(waitMs, undefined, { signal: this.#stop.signal, ref: false })
        await this.#settle()
      } catch {
        if (this.#stop.signal.aborted) return
      }
    }
    // In the same turn as the last look, so that what comes in next starts anew.
    this.#retrying = undefined
    this.#parts.info(`ModelCache "${this.#parts.name}": all invalidations have reached the store.`)
  }

  async #settle(): Promise<void> {
    if (this.#all) {
      const count = this.#allCount
      await this.#parts.settleModel(this.#holdMs())
      if (this.#allCount === count) this.#all = false
    }
    this.#settling = this.#rows
    this.#rows = new Set()
    try {
      if (this.#settling.size > 0) await this.#parts.settleRows([...this.#settling], this.#holdMs())
    } catch (error) {
      for (const row of this.#settling) this.#rows.add(row)
      throw error
    } finally {
      this.#settling = new Set()
    }
  }

  #holdMs(): number {
    return Math.max(0, this.#heldUntilMs - performance.now())
  }
}
