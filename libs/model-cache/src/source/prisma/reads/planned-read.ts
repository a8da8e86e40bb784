import type { AnsweringCache } from '../../read-caches.js'
import type { Answer } from './read-answer.js'
import type { GivenRead } from './read-arguments.js'
import type { ReadPlan } from './read-plan.js'
import type { ShapeRefusal } from './refusals.js'
import type { ResultShape } from './known-shapes.js'

/** A query that caches can answer. */
export interface PlannedRead extends GivenRead {
  readonly plan: ReadPlan
  /** The caches that the plan reads, that of the result first. */
  readonly caches: readonly AnsweringCache[]
  /** The shape of the query, if results may answer it for less. */
  readonly preferred: ResultShape | undefined
  /** Reads the caches, as `answerOf` does. */
  answer(): Promise<Answer>
  /** Notes that the database answers for less, and returns what counts such queries. */
  leave(): ShapeRefusal | undefined
  /** Notes that it does not. */
  stay(): void
}
