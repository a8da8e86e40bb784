import type { L1, RowId } from 'model-cache/internal'

/** What a process keeps in L1 because it is read often. */
export interface HotStatus {
  /** Reads a second, as of the last seconds. A tick reads a row once. */
  readonly readsPerSecond: number
  /** How many rows, or entries, are hot. */
  readonly count: number
  /** The rows or entries that are read most, as people type them: by ids, or by keys. */
  readonly hottest: readonly {
    readonly id: string
    readonly readsPerSecond: number
    /** Whether L1 has it now. */
    readonly isHeld: boolean
  }[]
}

/** The most hot ids that a process reports of a cache or a lookup. */
export const maxHottest = 10

/** What L1 says of what is read. */
export type HotIdsIn = Pick<L1<unknown>, 'has' | 'reads'>

/** Undefined unless L1 keeps hot rows alone. */
export function hotStatusOf(
  l1: HotIdsIn | undefined,
  textOf: (rowId: RowId) => string,
): HotStatus | undefined {
  const reads = l1?.reads
  if (!reads) return undefined
  const { hottest, perSecond = 0 } = reads
  return {
    readsPerSecond: perSecond,
    count: hottest.length,
    hottest: hottest.slice(0, maxHottest).map(({ id, perSecond }) => ({
      id: textOf(id),
      readsPerSecond: perSecond,
      isHeld: l1.has(id),
    })),
  }
}
