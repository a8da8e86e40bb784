import { crc32 } from 'node:zlib'
import { plansIn, cachesIn, type ReadPlan } from './read-plan.js'

/**
 * The share of queries that have to find a result. Each other one costs two to three times a query of Prisma, and more where Prisma would
 * send many with one statement: it looks for the result, sends its own statement, and stores what it got.
 */
const least = { findUnique: 0.9, other: 0.75 }

/** One of so many queries is a sample; fewer where hardly any finds a result. A power of two. */
const stride = { least: 32, most: 256 }
/** Samples between two decisions. */
const enoughSamples = 64
/** The samples among {@link trial} queries of a shape whose arguments are many, and none of which has a great part of them. */
const usualSamples = { least: 2, most: 24 }
/** Queries of other shapes after which it is decided, once as many have stored their results. */
const trial = 256
/** Queries of other shapes that look for no result, until these are tried again. */
const pause = { least: 4_096, most: 65_536 }

/**
 * Whether queries of one shape look for results, learned from how many of them found one.
 *
 * To count all of them would keep out shapes with many arguments for good: their results are found only once most are stored. So it is
 * learned from a sample of the arguments, which look for results in any case. Where a shape has so few arguments that the sample has none of
 * them, or a great part of the queries, all are tried now and then.
 */
export class ResultPreference {
  readonly #least: number
  readonly #sampled = new Share()
  readonly #all = new Share()
  /** The position among the queries in a row that are counted for a sample. */
  #queries = 0
  #samples = 0
  #isSampled = true
  #stride = stride.least
  #isOn = true
  /** Whether results are being stored that the first queries cannot find. */
  #isFilling = true
  #left = 0
  #pause = pause.least

  /** @param action of the queries */
  constructor(action: string) {
    this.#least = action.startsWith('findUnique') ? least.findUnique : least.other
  }

  /** Whether all queries look for results. */
  get isOn(): boolean {
    return this.#isOn
  }

  /**
   * Whether a query looks for a result.
   *
   * @param sample as of {@link sampleNumberOf}
   */
  prefers(sample: number): boolean {
    this.#queries++
    if (sample % stride.least === 0) this.#samples++
    if (this.#queries === trial) {
      this.#isSampled = this.#samples >= usualSamples.least && this.#samples <= usualSamples.most
      this.#queries = this.#samples = 0
    }
    if (this.#isOn) return true
    if (this.#isSampled) return sample % this.#stride === 0
    if (--this.#left > 0) return false
    this.#isOn = this.#isFilling = true
    return true
  }

  /** Notes whether a query has found a result. */
  note(sample: number, isFound: boolean): void {
    if (this.#all.add(isFound) === trial) {
      const share = this.#all.take()
      if (this.#isFilling) this.#isFilling = false
      else if (!this.#isSampled) this.#decide(share)
    }
    if (sample % this.#stride !== 0) return
    if (this.#sampled.add(isFound) < enoughSamples) return
    const share = this.#sampled.take()
    if (this.#isSampled) this.#decide(share)
  }

  #decide(share: number): void {
    this.#isOn = share >= this.#least
    const isHopeless = share < this.#least / 4
    // It stays what it is after that: of further samples no results would be stored yet.
    if (isHopeless) this.#stride = Math.min(this.#stride * 2, stride.most)
    this.#left = this.#pause
    this.#pause = isHopeless ? Math.min(this.#pause * 2, pause.most) : pause.least
  }
}

/** The part of queries that found a result. */
class Share {
  #asked = 0
  #found = 0

  /** Returns of how many queries it is now. */
  add(isFound: boolean): number {
    if (isFound) this.#found++
    return ++this.#asked
  }

  /** Returns it, and counts from zero again. */
  take(): number {
    const share = this.#found / this.#asked
    this.#asked = this.#found = 0
    return share
  }
}

/** Results are looked for by all queries of the shape. */
export const always: Pick<ResultPreference, 'isOn' | 'prefers' | 'note'> = {
  isOn: true,
  prefers: () => true,
  note: () => {},
}

/** Draws a number from 0 to 255 from the text of a query, the same one each time. */
export const sampleNumberOf = (text: string): number => crc32(text) & 0xff

/** Whether a plan reads more entries than one result has, and none from memory. */
export function isComposed(plan: ReadPlan): boolean {
  // Another key than the id leads to an entry, and that to the row.
  const readsOne = 'ids' in plan && plan.key === plan.readable.id && plansIn(plan).length === 1
  return !readsOne && !cachesIn(plan).every(({ holdsRows }) => holdsRows)
}
