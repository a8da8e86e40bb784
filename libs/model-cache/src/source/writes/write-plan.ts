import type { TouchAllReason } from '../write-coordinator.js'
import type { Row } from './literals.js'
import type { Args } from './prisma-internals.js'
import type { Touched } from './touched.js'

/** What one query writes, as far as its arguments tell it, and how the rest is to be found out. */
export interface WritePlan {
  readonly model: string
  /** The id fields of the model's caches, each once. */
  readonly idFields: readonly string[]
  /** Told by the arguments. */
  readonly touched: Touched
  /** Rows to be selected in the transaction before the query runs. */
  readonly lookUps: readonly LookUp[]
  /**
   * How the query has to run in a transaction, so that it tells what it writes:
   * `plain` as it is; `returning` with the id fields in its result; `create-returning` as createManyAndReturn;
   * `restricted` to the rows that were found before.
   */
  readonly mode: 'plain' | 'returning' | 'create-returning' | 'restricted'
  /** What is set in every row of a bulk write. */
  readonly changes: Row
}

/** Rows that are found by a `where`. */
export interface LookUp {
  readonly model: string
  readonly where: Args
  readonly reason: TouchAllReason
}

/** Whether what is written can only be told within a transaction. */
export function needsTransaction({ lookUps, mode }: WritePlan): boolean {
  return lookUps.length > 0 || mode !== 'plain'
}
