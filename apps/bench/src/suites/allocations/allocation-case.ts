/** One operation that is counted, in the state of an application after a while. */
export interface AllocationCase {
  readonly name: string
  readonly group: Group
  /** Reads or rows per run, by which the count is divided. */
  readonly per: number
  /** Part by which a count may differ between runs, where timers or growing tables disturb it. */
  readonly tolerance: number
  /** @throws when the operation does not return what it should */
  open(): Promise<Operation>
}

export interface Operation {
  run(): unknown
  close?(): Promise<void>
}

/** A read that is alone in its tick; each of 100 in a tick; what listens to a read; a write; a row into and out of its payload. */
export type Group = 'alone' | 'together' | 'hook' | 'write' | 'codec'

/** Of one read, or one row. */
export interface Count {
  readonly bytes: number
  readonly objects: number
}

/** Counts when they were last recorded: `baseline.json`. */
export interface Baseline {
  readonly v8: string
  readonly cases: Readonly<Record<string, Count>>
}

export type CountedCase = Pick<AllocationCase, 'name' | 'group' | 'tolerance'> & {
  readonly written: Count
  /** Bytes of `written` by the file that allocates them. */
  readonly byFile: Readonly<Record<string, number>>
}

/** A hit with nothing configured beside it, and hits with parts at rest, which must cost the same. */
export const UNCONFIGURED = 'nothing configured'
export const AT_REST = [
  'an observer that does nothing',
  'writes, no transaction',
  'pressure, at rest',
] as const
