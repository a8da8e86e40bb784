/** What can go wrong in a scenario, and how often it may where the scenario does not say so: never. */
export const noFaults = {
  /** A writer's process dies; what it had sent to the database may still be committed. */
  crash: 0,
  /** A writer does not learn how its transaction ended, which the database may still decide either way. */
  'unknown end': 0,
  /** A command that was given up, or sent twice, runs once more. */
  'late command': 0,
  /** The `ttl` of the result is over, and `staleFor` is not. */
  'soft expiry': 0,
  'failed load': 0,
  /** The store restarts empty, or is flushed. Its catalogue shows that. */
  'loss of the store': 0,
  'eviction of a marker': 0,
  /** A register is evicted with the fences in it. */
  'eviction of a register': 0,
  /** The guard of a marker is evicted with the fences in it. */
  'eviction of fences': 0,
}

export type Fault = keyof typeof noFaults
