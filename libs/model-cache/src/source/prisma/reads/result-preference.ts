import { plansIn, cachesIn, type ReadPlan } from './read-plan.js'
import type { CountedResults } from './result-shapes.js'

/** Queries of one shape for which results are tried, before it is decided for those after them. */
const trial = 256
/** How many of them have to find a result: each of the others is a query of the database that rows might have answered. */
const enough = trial * 0.75
/** With fewer, the models are written too often, and the next trial comes later. */
const few = trial * 0.25
/** Queries that rows answer between two trials. */
const pause = { least: 2_048, most: 65_536 }

/**
 * Whether queries of one shape are answered by results of the same queries, instead of by the rows of several caches, which costs about as
 * much as Prisma's own query. Learned from how many of them found a result.
 */
export class ResultPreference {
  #asked = 0
  #found = 0
  /** Queries that are yet to be answered by rows. */
  #left = 0
  #pause = pause.least

  /** Whether the next query looks for a result. */
  prefers(): boolean {
    if (this.#left === 0) return true
    this.#left--
    return false
  }

  /** Notes whether a query has found a result. */
  note(isFound: boolean): void {
    this.#asked++
    if (isFound) this.#found++
    if (this.#asked < trial) return
    if (this.#found < enough) {
      this.#left = this.#pause
      if (this.#found < few) this.#pause = Math.min(this.#pause * 2, pause.most)
    } else this.#pause = pause.least
    this.#asked = this.#found = 0
  }
}

/** Results are looked for by all queries of the shape. */
export const always: Pick<ResultPreference, 'prefers' | 'note'> = { prefers: () => true, note: () => {} }

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
  /** Whether results answer them where rows do as well. */
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
