/** What can go wrong in a scenario. */
export type Fault =
  /** The source of a load does not end. */
  | 'hanging source'
  /** A deadline passes while everything still moves. */
  | 'early deadline'
