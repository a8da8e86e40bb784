/** What can go wrong in a scenario. */
export type Fault =
  /** A writer's process dies after FENCE; what it had sent to the database may still be committed. */
  | 'crash'
  /** A writer's connection is lost during its statement or COMMIT, of which the database may still do either. */
  | 'unknown end'
  | 'lease expiry'
  /** `v` is evicted, or reaches its TTL. */
  | 'eviction of the value'
  /** The soft TTL of `v` is over. */
  | 'soft expiry'
  /** The guard is evicted while it holds fences. One that holds a lease might as well expire. */
  | 'eviction of fences'
  | 'FLUSHALL'
  /** A replica of Valkey takes its place, which may lack its last commands. */
  | 'promotion'
  /** A command is given up or sent again, and runs late. */
  | 'late command'
  /** The row becomes hot in a pod, so that L1 may keep it from now on. */
  | 'heating'
  /** The row is not hot any more in a pod. */
  | 'cooling'
  | 'lost message'
  /** A pod loses its subscription, and notices. */
  | 'lost subscription'
  /** A message overtakes one that its publisher sent before. */
  | 'reordered message'
  /** FENCE fails, and `available` commits all the same. */
  | 'outage'
  /** A pod stops, and what it was doing ends there. */
  | 'stop'
