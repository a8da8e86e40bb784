import type { Group } from './cases/allocation-case.ts'

/** Of one read, or one row. */
export interface Count {
  readonly bytes: number
  readonly objects: number
}

export interface CountedCase {
  readonly name: string
  readonly group: Group
  readonly tolerance: number
  /** Without V8's optimising compilers: what the code says. */
  readonly written: Count
  /** As after a while; not in a quick run. */
  readonly optimised?: Count
  /** Garbage collections in 20,000 reads; not in a quick run. */
  readonly collections?: number
  /** Bytes of `written` by the file that allocates them. */
  readonly byFile: Readonly<Record<string, number>>
}

export interface AllocationMeasurements {
  readonly cases: readonly CountedCase[]
  /** Where this is not as it was recorded, and what is allocated for nobody. */
  readonly problems: readonly string[]
}

/** What was counted when it was last meant to change: `baseline.json`. */
export interface Baseline {
  readonly v8: string
  readonly cases: Readonly<Record<string, Count>>
}
