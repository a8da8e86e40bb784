import { setTimeout as delay } from 'node:timers/promises'
import type { AnsweringCache } from '../../read-caches.js'
import { copyResult } from './copy-result.js'
import { differingFields } from './compare-results.js'
import type { RowPlan } from './read-plan.js'
import { Unanswered } from './read-answer.js'

/** Comparisons that run at once. Queries beyond them are not compared. */
const maxComparisons = 8

/** Milliseconds before a difference is looked at again: a write may have come between the two reads. */
const delaysMs = [50, 500]

/** Milliseconds between two warnings about one field. */
const quietMs = 60_000

/** A query that the database has answered. */
export interface ShadowedQuery {
  /** That of the rows of the result. */
  readonly plan: RowPlan
  readonly action: string
  /** Asks the cache. */
  readonly answer: () => Promise<unknown>
  /** Asks the database again. */
  readonly query: () => Promise<unknown>
}

/** Compares what caches would have answered with what the database has. Counts, logs, and never fails a caller. */
export class Shadow {
  #running = 0
  /** When a difference was last logged, by cache and field. */
  readonly #loggedAtMs = new Map<string, number>()

  /** Compares a result with the cache in the background. The caller may change the result as soon as this returns. */
  compare(query: ShadowedQuery, result: unknown): void {
    const { cache } = query.plan.readable
    if (this.#running >= maxComparisons || isCutAnywhere(query.plan)) return cache.countShadow('skipped')
    this.#running++
    void this.#outcomeOf(query, copyResult(result))
      .catch(() => 'error')
      .then((outcome) => {
        this.#running--
        cache.countShadow(outcome)
      })
  }

  async #outcomeOf(query: ShadowedQuery, first: unknown): Promise<string> {
    let result = first
    for (const delayMs of [0, ...delaysMs]) {
      if (delayMs > 0) {
        await delay(delayMs, undefined, { ref: false })
        result = copyResult(await query.query())
      }
      const answer = await query.answer()
      // Queries like this one go to the database.
      if (answer instanceof Unanswered) return 'skipped'
      const differing = differingFields(query, result, answer)
      if (differing.length === 0) return 'same'
      if (delayMs < delaysMs.at(-1)!) continue
      // Written again meanwhile: this says nothing.
      if (differingFields(query, result, await query.query()).length > 0) return 'skipped'
      this.#log(query.plan.readable.cache, differing)
    }
    return 'different'
  }

  #log(cache: AnsweringCache, fields: readonly string[]): void {
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

/** Whether the database may end a list at any of the rows that its `orderBy` takes for equal. */
function isCutAnywhere(plan: RowPlan): boolean {
  const { selection } = plan
  return (
    (!selection.isOrdered && selection.take < Infinity) ||
    plan.related.some((related) => !('counts' in related) && isCutAnywhere(related))
  )
}
