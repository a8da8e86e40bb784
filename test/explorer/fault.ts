/** What can go wrong in a scenario, and how often it may where the scenario does not say so: never. */
export const noFaults = {
  /** A writer's process dies after FENCE; what it had sent to the database may still be committed. */
  crash: 0,
  /** A writer's connection is lost during its statement or COMMIT, of which the database may still do either. */
  'unknown end': 0,
  'lease expiry': 0,
  /** `v` is evicted, or reaches its TTL. */
  'eviction of the value': 0,
  /** The soft TTL of `v` is over. */
  'soft expiry': 0,
  /** The guard is evicted while it holds fences. One that holds a lease might as well expire. */
  'eviction of fences': 0,
  FLUSHALL: 0,
  /** A replica of Valkey takes its place, which may lack its last commands. */
  promotion: 0,
  /** A command is given up or sent again, and runs late. */
  'late command': 0,
  /** The row becomes hot in a pod, so that L1 may keep it from now on. */
  heating: 0,
  /** The row is not hot any more in a pod. */
  cooling: 0,
  'lost message': 0,
  /** A pod loses its subscription, and notices. */
  'lost subscription': 0,
  /** A message overtakes one that its publisher sent before. */
  'reordered message': 0,
  /** FENCE fails, and `available` commits all the same. */
  outage: 0,
  /** A pod stops, and what it was doing ends there. */
  stop: 0,
}

export type Fault = keyof typeof noFaults
