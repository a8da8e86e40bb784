import type { WriteSteps } from '../pod/write-steps.ts'
import type { Lot } from './lot.ts'

/** A committed transaction that writes lots. */
export interface LotWrite extends WriteSteps {
  /** The label that its statements give to lots. */
  readonly tag: string
  /** Lots that it deletes, as far as its arguments name them. */
  readonly deleted: readonly string[]
  /** How many rows it has written, as far as its results say. */
  readonly written: number
}

/** A transaction that may have been committed, or may be yet. */
export interface UnknownLotEnd extends LotWrite {
  readonly releasedAt: number
}

/** What a lookup, by its index, has answered for one key. */
export type LotAnswer = readonly [
  lookup: number,
  key: string,
  start: number,
  end: number,
  lots: readonly Lot[],
]
