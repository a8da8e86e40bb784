import { plansIn, cachesIn, type ReadPlan } from './read-plan.js'
import type { CountedResults } from './result-shapes.js'

/**
 * The share of queries that have to find a result. Another one is sent to the database, and costs a read and a store in Valkey beside
 * that, where rows might have answered it.
 */
const least = { insteadOfRows: 0.75, insteadOfDatabase: 0.5 }

/** What would answer a query without results. */
export type ResultAlternative = keyof typeof least

/** One of so many queries looks for a result in any case. A power of two; more where hardly any is found. */
const stride = { least: 32, most: 256 }
/** Such queries between two decisions. */
const samples = 64
/** All queries between two decisions, and the number of samples among them from which on these decide. */
const trial = { length: 512, samples: 4 }
/** Queries without a sample among them after which all look for results again. */
const pause = 16_384

/**
 * Whether queries of one shape look for results, learned from how many of them found one. To ask all of them would keep out shapes with
 * many arguments for good: their results are found only once most are stored. So it is learned from a sample of the arguments, which stays
 * the same, in other processes as well, and whose results are always stored. Shapes with so few arguments that none is a sample are tried
 * as a whole.
 */
export class ResultPreference {
  readonly #sampled = new Share()
  readonly #all = new Share()
  #samplesInAll = 0
  #stride = stride.least
  #share = 1
  #skipped = 0

  /** Whether so many find one that all look for it. */
  pays(alternative: ResultAlternative): boolean {
    return this.#share >= least[alternative]
  }

  /**
   * Whether a query looks for a result.
   *
   * @param sample as of {@link sampleOf}
   */
  prefers(sample: number, alternative: ResultAlternative): boolean {
    if (this.pays(alternative) || sample % this.#stride === 0) return true
    if (++this.#skipped < pause) return false
    this.#decide(1)
    return true
  }

  /** Notes whether a query has found a result. */
  note(sample: number, isFound: boolean): void {
    if (sample % stride.least === 0) {
      this.#skipped = 0
      this.#samplesInAll++
      if (this.#sampled.add(isFound) === samples) this.#decide(this.#sampled.take())
    }
    if (this.#all.add(isFound) < trial.length) return
    const share = this.#all.take()
    if (this.#samplesInAll < trial.samples) this.#decide(share)
    this.#samplesInAll = 0
  }

  #decide(share: number): void {
    this.#share = share
    this.#skipped = 0
    if (share >= least.insteadOfDatabase) this.#stride = stride.least
    else if (share < least.insteadOfDatabase / 4) this.#stride = Math.min(this.#stride * 2, stride.most)
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

  /** Returns it, and begins anew. */
  take(): number {
    const share = this.#found / this.#asked
    this.#asked = this.#found = 0
    return share
  }
}

/** Results are looked for by all queries of the shape. */
export const always: Pick<ResultPreference, 'pays' | 'prefers' | 'note'> = {
  pays: () => true,
  prefers: () => true,
  note: () => {},
}

/** Draws a number from 0 to 255 from the text of a query, the same one each time: FNV-1a. */
export function sampleOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 24
}

/** What is the same in all queries of one shape. */
export interface ResultShape {
  /** All that they read. */
  readonly models: ReadonlySet<string>
  /** Whether results of all of these are kept, and not only for those that ask by `cached`. */
  readonly isListed: boolean
  /** What decides their results besides their arguments. */
  readonly head: string
  /** Whether they return fields that must not be cached. */
  readonly hasKeptOut: boolean
  /** Whether they look for results. */
  readonly preference: typeof always
  /** Once one has been answered. */
  counts?: CountedResults
}

/** Whether a plan reads more entries than one result has, and none from memory. */
export function isComposed(plan: ReadPlan): boolean {
  // Another key than the id leads to an entry, and that to the row.
  const readsOne = 'ids' in plan && plan.key === plan.readable.id && plansIn(plan).length === 1
  return !readsOne && !cachesIn(plan).every(({ holdsRows }) => holdsRows)
}
