/** What can go wrong in a scenario. */
export type Fault =
  /** A writer's process dies; what it had sent to the database may still be committed. */
  | 'crash'
  /** A writer does not learn how its transaction ended, which the database may still decide either way. */
  | 'unknown end'
  /** A command that was given up, or sent twice, runs once more. */
  | 'late command'
  | 'lease expiry'
  /** The `ttl` of the result is over, and `staleFor` is not. */
  | 'soft expiry'
  | 'failed load'
  /** The store restarts empty, or is flushed. Its catalogue shows that. */
  | 'loss of the store'
  | 'eviction of a marker'
  /** A register is evicted with the fences in it. */
  | 'eviction of a register'
  /** The guard of a marker is evicted with the fences in it. */
  | 'eviction of fences'
