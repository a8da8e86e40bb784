/** What is counted: one operation, again and again, in the state in which an application is after a while. */
export interface AllocationCase {
  readonly name: string
  readonly group: Group
  /** How many reads or rows one run is, by which what it allocates is divided. */
  readonly per: number
  /** By how much of a count it differs between runs, where timers of its own or growing tables disturb it; exact when left out. */
  readonly tolerance?: number
  /** @throws when the operation does not give what it should */
  open(): Promise<Operation>
}

export interface Operation {
  run(): unknown
  close?(): Promise<void>
}

/** `alone`: a read that is the only one of its tick. `together`: each of 100 in one. `hook`: what listens to a read. */
export type Group = 'alone' | 'together' | 'hook' | 'codec'
