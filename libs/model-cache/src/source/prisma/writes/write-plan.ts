import type { AffectedRows } from '../../affected-rows.js'
import type { Change, RelationPath } from '../../referential-actions.js'
import type { Models } from '../../schema-facts.js'
import type { UnknownRowsReason, WriteCoordinator } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import type { Row } from './literals.js'
import type { RelationShifts } from './relation-shifts.js'

/** The rows that one query writes as far as its arguments show them, and how to determine the others. */
export interface WritePlan {
  readonly model: string
  /** The id fields of the model's caches, each once. */
  readonly idFields: readonly string[]
  /** The rows that the arguments show. */
  readonly affected: AffectedRows
  /** Which rows of the model the arguments do not show. */
  readonly unknown: 'none' | 'created' | 'any'
  /** The lookups that the written rows enter, if the arguments do not show their keys. */
  readonly entering: Entering | undefined
  /** Rows of other models, or other rows of this one, to select in the transaction. */
  readonly furtherRows: readonly LookUp[]
  /**
   * How the query has to run to show the rows that it writes:
   * `plain` as it is; `returning` with the id fields in its result; `create-returning` as createManyAndReturn;
   * `update-returning` as updateManyAndReturn; `restricted` first on the rows that were selected before, then on all others.
   */
  readonly mode: 'plain' | 'returning' | 'create-returning' | 'update-returning' | 'restricted'
  /** Whether a bulk write cannot be divided, because the rows that one statement writes decide what the next one matches. */
  readonly isOneStatement: boolean
  /** The fields that a bulk write sets in every row. */
  readonly changes: Row
  /** The rows to lock before the query runs. Undefined if the written rows show enough. */
  readonly claim?: Claim | undefined
}

/** What the rows that a query returns show of the lookups that they enter. */
export interface Entering {
  readonly keyFields: readonly string[]
  /** The fields that change; undefined if the rows may be new. */
  readonly changed: ReadonlySet<string> | undefined
}

/** The rows that a query is about to write and whose state before the write is needed. */
export interface Claim {
  readonly where: Args
  /** The one row that the query can write, if its arguments hold its key. */
  readonly pinned: Row | undefined
  /** Whether the locked rows show ids that neither the arguments nor the returned rows do. */
  readonly showsIds: boolean
  /** Whether rows match by their own fields alone, and all matching rows are written. */
  readonly isSelfContained: boolean
  /** What happens to the rows, if the database passes it on generation by generation. */
  readonly circular?: Change | undefined
}

/** Rows to find through the rows that the query writes. */
export interface LookUp {
  readonly model: string
  /**
   * `before` the query runs: rows that the database changes along with it, or that nested writes find. `after` it: rows that nested
   * writes have created or connected.
   */
  readonly when: 'before' | 'after'
  /** From the row to find to the row that is written, or to the one of {@link from}. */
  readonly path: RelationPath
  /** The `where` of another row at the end of the path, which exists unless the query fails. */
  readonly from?: Args | undefined
  readonly reason: UnknownRowsReason
  /** Whether all rows that cannot be determined are new. */
  readonly areNew: boolean
  /** What happens to the rows; undefined if some of them may be new. */
  readonly change: Change | undefined
  /** Values that all of them have after the write. */
  readonly after: Row
}

/** The plan that nested writes are added to. */
export interface NestedPlan {
  readonly models: Models
  readonly coordinator: WriteCoordinator
  /** As in the planning. */
  readonly locksRows: boolean
  readonly affected: AffectedRows
  readonly furtherRows: LookUp[]
  /** What the query changes of relations; undefined if it finds no existing rows through others. */
  readonly shifts: RelationShifts | undefined
  /** As {@link RelationShifts.contested}. */
  readonly contested: ReadonlySet<string>
}

/** Whether the rows that a query writes can be determined only within a transaction. */
export function needsTransaction({ furtherRows, mode }: WritePlan): boolean {
  return furtherRows.length > 0 || mode !== 'plain'
}
