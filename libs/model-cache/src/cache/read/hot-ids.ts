import type { RowId } from '../../protocol/index.js'
import type { HotChange } from '../telemetry/observer.js'

export interface HotIdsOptions {
  /** Reads a second from which on an id is hot. */
  readonly perSecond: number
  /** The most ids that are hot. */
  readonly most: number
  readonly onChange: (change: HotChange, rowId: RowId) => void
}

/** An id that is hot, and its reads a second. */
interface HotId {
  readonly id: RowId
  readonly perSecond: number
}

/** What is read. A tick reads an id once, however many callers it has. */
export interface HotReads {
  /** Reads of all ids, also of those that are not hot. Undefined within the first second. */
  readonly perSecond: number | undefined
  /** The ids that are hot, most reads first. */
  readonly hottest: readonly HotId[]
}

interface Hot {
  /** Reads in this window. */
  reads: number
  perSecond: number
}

const windowMs = 1_000

const counterBits = 10
/** The ids that may become hot in one window. */
export const counters = 2 ** counterBits

/**
 * Tells the ids that this process reads often from those of a scan, in bounded memory and without an allocation per read.
 *
 * An id that is not hot yet is counted for one window, by its hash. Ids share counters. A counter belongs to one id: each read of another takes
 * one from it, and the read that finds nothing left makes it its own (Boyer and Moore's majority vote). So a count is never higher than the
 * reads were: a scan promotes nothing, however long it is. Which ids share a counter changes with every window.
 *
 * Ids that are hot have counts of their own, which no scan touches; they decay by half each window.
 */
export class HotIds {
  readonly #options: HotIdsOptions
  readonly #hot = new Map<RowId, Hot>()
  /** The hash of the id to which each counter belongs. Two ids of one hash count as one. */
  readonly #hashes = new Int32Array(counters)
  readonly #reads = new Uint32Array(counters)
  /** An id by its counter that is read often enough while no more may be hot. */
  readonly #due = new Map<number, RowId>()
  #multiplier = 1
  /** Reads of other ids in this window. */
  #otherReads = 0
  #perSecond: number | undefined
  /** Undefined between windows: without reads there are none. */
  #beganAtMs: number | undefined

  constructor(options: HotIdsOptions) {
    this.#options = options
  }

  /** Returns whether an id is hot, of which this is a read then. */
  countHot(rowId: RowId): boolean {
    const hot = this.#hot.size > 0 ? this.#hot.get(rowId) : undefined
    if (hot === undefined) return false
    hot.reads++
    return true
  }

  /**
   * Notes a read of an id that is not hot. One that is has no effect.
   *
   * @param hash `hashOf` the id
   */
  countOther(rowId: RowId, hash: number): void {
    if (this.has(rowId)) return
    if (this.#beganAtMs === undefined) this.#begin()
    this.#otherReads++
    const counter = Math.imul(hash, this.#multiplier) >>> (32 - counterBits)
    const left = this.#reads[counter]!
    if (left > 0 && this.#hashes[counter] !== hash) {
      this.#reads[counter] = left - 1
      return
    }
    this.#hashes[counter] = hash
    this.#reads[counter] = left + 1
    if (left + 1 >= this.#options.perSecond) this.#becomeDue(rowId, counter)
  }

  has(rowId: RowId): boolean {
    return this.#hot.size > 0 && this.#hot.has(rowId)
  }

  /** The reads of the last window. */
  get reads(): HotReads {
    return { perSecond: this.#perSecond, hottest: this.#hottest() }
  }

  #hottest(): HotId[] {
    return [...this.#hot].map(([id, { perSecond }]) => ({ id, perSecond })).toSorted(byRate)
  }

  #becomeDue(rowId: RowId, counter: number): void {
    if (this.#hot.size >= this.#options.most) this.#due.set(counter, rowId)
    else {
      const reads = this.#reads[counter]!
      this.#promote(rowId, this.#options.perSecond, reads)
      // From now on they count as reads of an id that is hot.
      this.#otherReads -= reads
      this.#reads[counter] = 0
    }
  }

  #promote(rowId: RowId, perSecond: number, reads: number): void {
    this.#hot.set(rowId, { reads, perSecond })
    this.#options.onChange('promoted', rowId)
  }

  #demote(rowId: RowId): void {
    this.#hot.delete(rowId)
    this.#options.onChange('demoted', rowId)
  }

  #begin(): void {
    this.#beganAtMs = performance.now()
    // Odd: every bit of a hash counts.
    this.#multiplier = (Math.random() * 2 ** 32) | 1
    setTimeout(this.#end, windowMs).unref()
  }

  readonly #end = (): void => {
    // A blocked event loop makes a window longer.
    const seconds = (performance.now() - this.#beganAtMs!) / 1_000
    let reads = this.#otherReads
    this.#otherReads = 0
    for (const [id, hot] of this.#hot) {
      reads += hot.reads
      hot.perSecond = (hot.perSecond + hot.reads / seconds) / 2
      hot.reads = 0
      if (hot.perSecond < this.#options.perSecond / 2) this.#demote(id)
    }
    this.#perSecond =
      this.#perSecond === undefined ? reads / seconds : (this.#perSecond + reads / seconds) / 2
    if (this.#due.size > 0) this.#replaceColdest(seconds)
    this.#reads.fill(0)
    this.#beganAtMs = undefined
    // What nobody reads any more has to be noticed.
    if (this.#hot.size > 0) this.#begin()
  }

  /** Ids that are read more often than hot ones replace these. */
  #replaceColdest(seconds: number): void {
    const coldest = this.#hottest()
    const due = [...this.#due]
      .map(([counter, id]) => ({ id, perSecond: this.#reads[counter]! / seconds }))
      .filter(({ perSecond }) => perSecond >= this.#options.perSecond)
      .toSorted(byRate)
    this.#due.clear()
    for (const { id, perSecond } of due) {
      if (this.#hot.size >= this.#options.most) {
        const cold = coldest.pop()
        if (cold === undefined || cold.perSecond >= perSecond) break
        this.#demote(cold.id)
      }
      this.#promote(id, perSecond, 0)
    }
  }
}

const byRate = (one: { perSecond: number }, other: { perSecond: number }): number =>
  other.perSecond - one.perSecond
