import { setTimeout as delay } from 'node:timers/promises'
import type { RowId } from './row-id.js'

export interface PendingInvalidationsParts {
  readonly name: string
  /** Both reject while the store does not take them. Nothing is stored for `holdMs` after it has. */
  readonly releaseRows: (rows: readonly RowId[], holdMs: number) => Promise<void>
  readonly releaseModel: (holdMs: number) => Promise<void>
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/** Above this many rows the whole model is invalidated instead. */
const maxRows = 10_000
const firstRetryMs = 100
const lastRetryMs = 5_000

/**
 * Invalidations that have not reached the store. While one is pending this process passes the store by for its rows,
 * and tries until the store has taken it.
 */
export class PendingInvalidations {
  readonly #parts: PendingInvalidationsParts
  #rows = new Set<RowId>()
  /** Handed to the store just now. Apart, since a row may be invalidated again before the store has answered. */
  #releasing: ReadonlySet<RowId> = new Set()
  #all = false
  /** Counts invalidations of the whole model, of which there may be another while one is released. */
  #allCount = 0
  /** Until when nothing that is pending may be stored, as a write may not have ended yet. */
  #heldUntilMs = 0
  #retrying: Promise<void> | undefined
  #isLossTold = false
  readonly #stop = new AbortController()

  constructor(parts: PendingInvalidationsParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return !this.#all && this.#rows.size === 0 && this.#releasing.size === 0
  }

  has(row: RowId): boolean {
    return this.#all || this.#rows.has(row) || this.#releasing.has(row)
  }

  /** @param holdMs for how long from now on the rows must not be stored */
  add(rows: readonly RowId[], holdMs = 0): void {
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

  /** For the end of the process: tries once more, and gives up what is pending then. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#retrying
    if (this.isEmpty) return
    await this.#release().catch(() => this.#warnOfLoss())
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
        await this.#release()
      } catch {
        if (this.#stop.signal.aborted) return
      }
    }
    // In the same turn as the last look, so that what comes in next starts anew.
    this.#retrying = undefined
    this.#parts.info(`ModelCache "${this.#parts.name}": all invalidations have reached the store.`)
  }

  async #release(): Promise<void> {
    if (this.#all) {
      const count = this.#allCount
      await this.#parts.releaseModel(this.#holdMs())
      if (this.#allCount === count) this.#all = false
    }
    this.#releasing = this.#rows
    this.#rows = new Set()
    try {
      if (this.#releasing.size > 0) await this.#parts.releaseRows([...this.#releasing], this.#holdMs())
    } catch (error) {
      for (const row of this.#releasing) this.#rows.add(row)
      throw error
    } finally {
      this.#releasing = new Set()
    }
  }

  #holdMs(): number {
    return Math.max(0, this.#heldUntilMs - performance.now())
  }
}
