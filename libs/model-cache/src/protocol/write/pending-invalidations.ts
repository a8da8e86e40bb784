import { setTimeout as delay } from 'node:timers/promises'
import { chunksOf } from '../backend/chunks.js'
import { maxRowsPerMessage } from '../backplane.js'
import { type OperatorLog, reasonIn } from '../operator-log.js'
import type { RowId } from '../format/row-id.js'

/** The rows that have to be read from their source, because an invalidation has not reached the store. */
export type PendingRows = Pick<PendingInvalidations, 'isEmpty' | 'size' | 'has'>

/** Releases rows in the store. Rejects while the store does not accept it. */
export interface Releases {
  /**
   * @param rows {@link rowsPerPart} at most
   * @param holdMs how long from now on the rows must not be stored
   */
  rows(rows: readonly RowId[], holdMs: number): Promise<void>
  /** Releases all rows of the model. */
  model(holdMs: number): Promise<void>
}

/**
 * Maximum number of rows per command: few enough for the store to answer within its deadline, and for the event
 * loop to do other work in between.
 */
export const rowsPerPart = maxRowsPerMessage

/** Above this many rows the whole model is invalidated instead. */
const maxRows = 10_000
const firstRetryMs = 100
const lastRetryMs = 5_000

/**
 * Invalidations that have not reached the store. While there are any, this process bypasses the store for their rows
 * and retries until the store has accepted them.
 */
export class PendingInvalidations {
  readonly #name: string
  readonly #release: Releases
  readonly #log: OperatorLog
  readonly #rows = new Set<RowId>()
  /** On their way to the store. Separate, because a row may be invalidated again before the store answers. */
  #releasing: ReadonlySet<RowId> = new Set()
  #all = false
  /** Counts invalidations of the whole model, because another one may come while one is being released. */
  #allCount = 0
  /** Until when nothing pending may be stored, because a write may not have ended yet. */
  #heldUntilMs = 0
  #retrying: Promise<void> | undefined
  #hasWarnedOfLoss = false
  readonly #stop = new AbortController()

  /** @param name of the cache, for messages */
  constructor(name: string, release: Releases, log: OperatorLog) {
    this.#name = name
    this.#release = release
    this.#log = log
  }

  get isEmpty(): boolean {
    return !this.#all && this.#rows.size === 0 && this.#releasing.size === 0
  }

  /** How many rows there are, at least; `'all'` for the whole model. */
  get size(): number | 'all' {
    return this.#all ? 'all' : new Set([...this.#rows, ...this.#releasing]).size
  }

  has(row: RowId): boolean {
    return this.#all || this.#rows.has(row) || this.#releasing.has(row)
  }

  /** Resolves once the store has taken all of them. Rejects if the process ends before that. */
  async settled(): Promise<void> {
    while (!this.isEmpty) {
      if (this.#stop.signal.aborted) throw new Error('the process ends with a pending invalidation')
      await this.#retrying
    }
  }

  /**
   * @param error why the store has not taken them
   * @param holdMs how long from now on the rows must not be stored
   */
  add(rows: readonly RowId[], error: unknown, holdMs = 0): void {
    for (const row of rows) this.#rows.add(row)
    if (this.#rows.size > maxRows) this.addAll(error, holdMs)
    else this.#start(error, holdMs)
  }

  addAll(error: unknown, holdMs = 0): void {
    this.#all = true
    this.#allCount++
    this.#rows.clear()
    this.#start(error, holdMs)
  }

  /** Tries once more when the process ends, and gives up what is still pending then. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#retrying
    if (this.isEmpty) return
    await this.#releaseAll().catch(() => this.#warnOfLoss())
  }

  #warnOfLoss(): void {
    if (this.#hasWarnedOfLoss) return
    this.#hasWarnedOfLoss = true
    this.#log.warn(
      `ModelCache "${this.#name}": this process ends with an invalidation that has not reached the store; ` +
        `other processes may read outdated rows until their ttl ends or they are invalidated again. ` +
        'Close writers, such as queue workers, before the caches.',
    )
  }

  #start(error: unknown, holdMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, performance.now() + holdMs)
    if (this.#stop.signal.aborted) this.#warnOfLoss()
    if (this.#retrying || this.#stop.signal.aborted) return
    this.#log.warn(
      `ModelCache "${this.#name}": an invalidation has not reached the store; the rows that it affects are read from the ` +
        `source until it has. The reason: ${reasonIn(error)}`,
    )
    this.#retrying = this.#retry()
  }

  async #retry(): Promise<void> {
    for (let waitMs = firstRetryMs; !this.isEmpty; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        await delay(waitMs, undefined, { signal: this.#stop.signal, ref: false })
        await this.#releaseAll()
      } catch {
        if (this.#stop.signal.aborted) return
      }
    }
    // In the same turn as the last check, so that the next invalidation starts a new retry.
    this.#retrying = undefined
    this.#log.info(`ModelCache "${this.#name}": all invalidations have reached the store.`)
  }

  async #releaseAll(): Promise<void> {
    if (this.#all) {
      const count = this.#allCount
      await this.#release.model(this.#holdMs())
      if (this.#allCount === count) this.#all = false
    }
    for (const part of chunksOf([...this.#rows], rowsPerPart)) await this.#releasePart(part)
  }

  /** What the store has taken is not sent again if it does not take a later part. */
  async #releasePart(rows: readonly RowId[]): Promise<void> {
    this.#releasing = new Set(rows)
    for (const row of rows) this.#rows.delete(row)
    try {
      await this.#release.rows(rows, this.#holdMs())
    } catch (error) {
      for (const row of rows) this.#rows.add(row)
      throw error
    } finally {
      this.#releasing = new Set()
    }
  }

  #holdMs(): number {
    return Math.max(0, this.#heldUntilMs - performance.now())
  }
}
