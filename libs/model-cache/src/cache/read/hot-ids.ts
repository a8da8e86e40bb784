import type { RowId } from '../../protocol/index.js'
import type { ModelObserver } from '../telemetry/observer.js'

/** Which rows L1 keeps. */
export interface L1Admission {
  /** Notes a read. */
  count(rowId: RowId): void
  admits(rowId: RowId): boolean
}

/** Without `l1.hot`. */
const everyRow: L1Admission = { count: () => {}, admits: () => true }

/** Creates what tells L1 which rows to keep. */
export function createAdmission(
  { hotPerSecond, maxEntries }: { readonly hotPerSecond: number | undefined; readonly maxEntries: number },
  observer: Pick<ModelObserver, 'hotIds'>,
): L1Admission {
  if (hotPerSecond === undefined) return everyRow
  const onChange = (promoted: number, demoted: number): void => {
    if (promoted > 0) observer.hotIds('promoted', promoted)
    if (demoted > 0) observer.hotIds('demoted', demoted)
  }
  return new HotIds({ perSecond: hotPerSecond, most: Math.min(maxEntries, counters), onChange })
}

export interface HotIdsOptions {
  /** Reads a second from which on an id is hot. */
  readonly perSecond: number
  /** The most ids that are hot. */
  readonly most: number
  /** Called at the end of a window in which ids became hot, or ceased to be. */
  readonly onChange: (promoted: number, demoted: number) => void
}

/** An id that is hot, and its reads a second. */
interface HotId {
  readonly id: RowId
  readonly perSecond: number
}

interface Hot {
  /** In this window. */
  reads: number
  perSecond: number
}

/** The ids that may become hot in one window. */
const counters = 1_024
const windowMs = 1_000

/**
 * Tells the ids that this process reads often from those of a scan, in bounded memory and without an allocation per read.
 *
 * An id that is not hot yet is counted for one window. When all counters are taken, each read of another id takes one from the next counter,
 * and gets that counter once nothing is left of it (Misra and Gries' frequent items, one counter at a time). So a count is never higher than the
 * reads were: a scan promotes nothing, however long it is. Ids that are hot have counts of their own, which no scan touches; they decay
 * by half each window.
 */
export class HotIds implements L1Admission {
  readonly #options: HotIdsOptions
  readonly #hot = new Map<RowId, Hot>()
  readonly #slots = new Map<RowId, number>()
  /** By slot; undefined for an id that has become hot. */
  readonly #ids: (RowId | undefined)[] = []
  readonly #reads = new Uint32Array(counters)
  /** The counter that the next read of another id takes from. */
  #hand = 0
  /** Undefined between windows: without reads there are none. */
  #beganAtMs: number | undefined
  #promoted = 0

  constructor(options: HotIdsOptions) {
    this.#options = options
  }

  count(rowId: RowId): void {
    if (this.#beganAtMs === undefined) this.#begin()
    const hot = this.#hot.get(rowId)
    if (hot !== undefined) {
      hot.reads++
      return
    }
    const slot = this.#slots.get(rowId)
    if (slot === undefined) this.#countOther(rowId)
    else if (++this.#reads[slot]! >= this.#options.perSecond && this.#hot.size < this.#options.most)
      this.#promote(rowId, slot, this.#options.perSecond, this.#reads[slot]!)
  }

  admits(rowId: RowId): boolean {
    return this.#hot.has(rowId)
  }

  /** The ids that are hot, most reads first. */
  hottest(): HotId[] {
    return [...this.#hot].map(([id, { perSecond }]) => ({ id, perSecond })).toSorted(byRate)
  }

  #countOther(rowId: RowId): void {
    let slot = this.#ids.length
    if (slot === counters) {
      slot = this.#hand
      this.#hand = (slot + 1) % counters
      if (this.#reads[slot]! > 0) {
        this.#reads[slot]!--
        return
      }
      const id = this.#ids[slot]
      if (id !== undefined) this.#slots.delete(id)
    }
    this.#ids[slot] = rowId
    this.#reads[slot] = 1
    this.#slots.set(rowId, slot)
  }

  #promote(rowId: RowId, slot: number, perSecond: number, reads: number): void {
    this.#slots.delete(rowId)
    this.#ids[slot] = undefined
    this.#reads[slot] = 0
    this.#hot.set(rowId, { reads, perSecond })
    this.#promoted++
  }

  #begin(): void {
    this.#beganAtMs = performance.now()
    setTimeout(this.#end, windowMs).unref()
  }

  readonly #end = (): void => {
    // A blocked event loop makes a window longer.
    const seconds = (performance.now() - this.#beganAtMs!) / 1_000
    let demoted = 0
    for (const [id, hot] of this.#hot) {
      hot.perSecond = (hot.perSecond + hot.reads / seconds) / 2
      hot.reads = 0
      if (hot.perSecond < this.#options.perSecond / 2) {
        this.#hot.delete(id)
        demoted++
      }
    }
    demoted += this.#replaceColdest(seconds)
    this.#slots.clear()
    this.#ids.length = 0
    this.#hand = 0
    if (this.#promoted > 0 || demoted > 0) this.#options.onChange(this.#promoted, demoted)
    this.#promoted = 0
    this.#beganAtMs = undefined
    // What nobody reads any more has to be noticed.
    if (this.#hot.size > 0) this.#begin()
  }

  /** Where no more ids may be hot, those that are read more often replace others. Returns how many. */
  #replaceColdest(seconds: number): number {
    const due = [...this.#slots]
      .map(([id, slot]) => ({ id, slot, perSecond: this.#reads[slot]! / seconds }))
      .filter(({ perSecond }) => perSecond >= this.#options.perSecond)
      .toSorted(byRate)
    let replaced = 0
    const coldest = due.length > 0 ? this.hottest() : []
    for (const { id, slot, perSecond } of due) {
      if (this.#hot.size >= this.#options.most) {
        const cold = coldest.pop()
        if (cold === undefined || cold.perSecond >= perSecond) break
        this.#hot.delete(cold.id)
        replaced++
      }
      this.#promote(id, slot, perSecond, 0)
    }
    return replaced
  }
}

const byRate = (one: { perSecond: number }, other: { perSecond: number }): number =>
  other.perSecond - one.perSecond
