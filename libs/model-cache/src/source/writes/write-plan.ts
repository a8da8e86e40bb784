import type { UnknownRowsReason } from '../write-coordinator.js'
import type { Row } from './literals.js'
import type { Args } from './prisma-internals.js'
import type { Path } from './referential-actions.js'
import type { AffectedRows } from './affected-rows.js'

/** The rows that one query writes, as far as its arguments tell, and how the others are determined. */
export interface WritePlan {
  readonly model: string
  /** The id fields of the model's caches, each once. */
  readonly idFields: readonly string[]
  /** Known from the arguments. */
  readonly affected: AffectedRows
  /** Rows of other models, or others of this one, to be selected in the transaction. */
  readonly lookUps: readonly LookUp[]
  /**
   * How the query has to run in a transaction, so that the rows it writes are known:
   * `plain` as it is; `returning` with the id fields in its result; `create-returning` as createManyAndReturn;
   * `update-returning` as updateManyAndReturn; `restricted` first to the rows that were selected before, then to all others.
   */
  readonly mode: 'plain' | 'returning' | 'create-returning' | 'update-returning' | 'restricted'
  /** What is set in every row of a bulk write. */
  readonly changes: Row
  /** Rows to be locked before the query runs. Undefined where the rows as they are written tell enough. */
  readonly claim?: Claim | undefined
}

/** The rows that a query is about to write, where more than their new state has to be known. */
export interface Claim {
  readonly where: Args
  /** The one row that the query can write, when its arguments hold the primary key. */
  readonly pinned: Row | undefined
  /** Whether ids change that the arguments do not tell. */
  readonly changesIds: boolean
  /** Whether rows match by their own fields alone, and all that match are written. */
  readonly isSelfContained: boolean
}

/** Rows that are found through the rows that the query writes. */
export interface LookUp {
  readonly model: string
  /**
   * `before` the query runs: rows that the database changes by itself. `after` it: rows that nested writes have
   * created, or connected.
   */
  readonly when: 'before' | 'after'
  /** From the row that is looked up to the one that is written. */
  readonly path: Path
  readonly reason: UnknownRowsReason
  /** Whether all rows that cannot be determined are new ones. */
  readonly areNew: boolean
}

/** Whether the rows that a query writes can only be determined within a transaction. */
export function needsTransaction({ lookUps, mode }: WritePlan): boolean {
  return lookUps.length > 0 || mode !== 'plain'
}

/** Everything that writes. Reads are not looked at. */
export const writeActions: ReadonlySet<string> = new Set([
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
])
