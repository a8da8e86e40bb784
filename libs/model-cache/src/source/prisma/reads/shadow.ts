import { setTimeout as delay } from 'node:timers/promises'
import type { ComparedAnswers } from '../../query-results.js'
import { isNotFound } from '../internals.js'
import { copyResult } from './copy-result.js'
import { areInOneOrder, differingFields } from './compare-results.js'
import { type LinkedPlan, type ListPlan, plansIn, type RelatedList, type RowPlan } from './read-plan.js'
import type { BypassReason } from './read-outcome.js'

/** Comparisons that run at once. Queries beyond them are not compared. */
const maxComparisons = 8

/** Milliseconds before a difference is looked at again: a write may have come between the two reads. */
const delaysMs = [50, 500]

/** Milliseconds between two warnings about one field. */
const quietMs = 60_000

/** Queries whose rows came in another order that are told apart. */
const maxReordered = 1_000

/** A query that the database has answered. */
export interface ShadowedQuery {
  /** What is compared with the database. */
  readonly compared: ComparedAnswers
  /** Whether the database may have ended a list at any of several rows, so that nothing can be compared. */
  readonly isCut: boolean
  /** The fields in which two results differ, whatever the order of rows that may have any. */
  readonly differing: (one: unknown, other: unknown) => readonly string[]
  /** Asks the cache. A text, which no result is, says why it does not answer. */
  readonly answer: () => Promise<unknown>
  /** Asks the database again. */
  readonly query: () => Promise<unknown>
  /** The text of the query, which is the same for all values. */
  readonly text: () => string
  /** Counts it, once: as one that the cache would have answered, or with the reason why the database would have. */
  readonly count: (reason?: BypassReason) => void
}

/** How rows of caches are compared with the result of a query. @param plan of the rows */
export function comparedRows(plan: RowPlan): Pick<ShadowedQuery, 'compared' | 'isCut' | 'differing'> {
  return {
    compared: plan.readable.cache,
    isCut: isCutAnywhere(plan),
    differing: (one, other) => differingFields({ plan }, one, other),
  }
}

/** Compares what caches would have answered with what the database has. Counts, logs, and never fails a caller. */
export class Shadow {
  #running = 0
  /** When a difference was last logged, by cache and field. */
  readonly #loggedAtMs = new Map<string, number>()
  /** The queries whose rows came in another order. */
  readonly #reordered = new Set<string>()

  /** Compares a result with the cache in the background. The caller may change the result as soon as this returns. */
  compare(query: ShadowedQuery, result: unknown): void {
    const { compared } = query
    if (this.#running >= maxComparisons || query.isCut) {
      query.count()
      return compared.countShadow('skipped')
    }
    this.#running++
    const answer = query.answer()
    answer.then(
      (found) => query.count(typeof found === 'string' ? (found as BypassReason) : undefined),
      (error: unknown) => query.count(isNotFound(error) ? undefined : 'error'),
    )
    void this.#outcomeOf(query, copyResult(result), answer)
      // The row that the first result had has been deleted meanwhile.
      .catch((error: unknown) => (isNotFound(error) ? 'skipped' : 'error'))
      .then((outcome) => {
        this.#running--
        if (outcome !== undefined) compared.countShadow(outcome)
      })
  }

  /** Compares what the cache has; undefined if the cache would not have answered. */
  async #outcomeOf(
    query: ShadowedQuery,
    firstResult: unknown,
    firstAnswer: Promise<unknown>,
  ): Promise<string | undefined> {
    let result = firstResult
    for (const delayMs of [0, ...delaysMs]) {
      if (delayMs > 0) {
        await delay(delayMs, undefined, { ref: false })
        result = copyResult(await query.query())
      }
      const answer = await (delayMs > 0 ? query.answer() : firstAnswer)
      if (typeof answer === 'string') return delayMs > 0 ? 'skipped' : undefined
      const differing = query.differing(result, answer)
      if (differing.length === 0) return this.#orderOf(query, result, answer)
      if (delayMs < delaysMs.at(-1)!) continue
      // Written again meanwhile: this says nothing.
      if (query.differing(result, await query.query()).length > 0) return 'skipped'
      this.#log(query.compared, differing)
    }
    return 'different'
  }

  #orderOf({ compared, text }: ShadowedQuery, result: unknown, answer: unknown): string {
    if (areInOneOrder(result, answer)) return 'same'
    const query = text()
    if (!this.#reordered.has(query) && this.#reordered.size < maxReordered) {
      this.#reordered.add(query)
      compared.warn(
        `ModelCache "${compared.name}": the cache has the rows of ${query} in another order than the database, which may return them in any: ` +
          'the query has no `orderBy`, or one that takes some rows for equal. If people see their order, add an `orderBy` that ends with a ' +
          'unique field. This is logged once for each query.',
      )
    }
    return 'reordered'
  }

  #log(cache: ComparedAnswers, fields: readonly string[]): void {
    const now = performance.now()
    const news = fields.filter((field) => {
      const key = `${cache.name}.${field}`
      if (now - (this.#loggedAtMs.get(key) ?? -Infinity) < quietMs) return false
      this.#loggedAtMs.set(key, now)
      return true
    })
    if (news.length === 0) return
    cache.warn(
      `ModelCache "${cache.name}": the cache and the database differ in ${news.join(', ')}, for a read that was compared in shadow mode. ` +
        'The database answered. Look for writes that the cache does not see (raw SQL, other programs), and for a schema or an extension ' +
        'that changes rows, before the cache answers.',
    )
  }
}

/** Whether the database may end a list at any of several rows, which the cache does not notice. */
function isCutAnywhere(plan: RowPlan): boolean {
  return plansIn(plan).some((each) => {
    const { areTied, isOrdered, take } = each.selection
    // The rows beyond a limit may be equal to the last one.
    const isUnnoticed = areTied === undefined || limitOf(each) !== undefined
    return !isOrdered && take < Infinity && isUnnoticed
  })
}

/** The maximum number of rows of the list that a plan reads. */
function limitOf(plan: RowPlan & Partial<ListPlan & LinkedPlan & RelatedList>): number | undefined {
  const list = plan.list ?? (plan.link && 'list' in plan.link ? plan.link.list : undefined)
  return list?.lookup.limit
}
