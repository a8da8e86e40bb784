import type { AnsweringCache } from '../../read-caches.js'
import type { Args, QueryParams } from '../internals.js'
import { answerOf } from './read-answer.js'
import { cachesIn, type ReadPlan } from './read-plan.js'

/** A query, and its arguments at the time. */
export interface GivenRead {
  /** A copy, which the caller cannot change. */
  readonly args: Args
  /** With the arguments as they were given. */
  readonly params: QueryParams
}

/** A query that caches can answer. */
export interface PlannedRead extends GivenRead {
  readonly plan: ReadPlan
  /** The caches that the plan reads, that of the result first. */
  readonly caches: readonly AnsweringCache[]
  /** Reads the caches, as `answerOf` does. */
  answer(): Promise<unknown>
  /** Notes that the database answers for less. */
  leave?(): void
}

export function plannedRead(plan: ReadPlan, { args, params }: GivenRead): PlannedRead {
  return { args, params, plan, caches: cachesIn(plan), answer: () => answerOf(plan, params.action) }
}
