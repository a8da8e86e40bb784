/** What can go wrong in a scenario. */
export type Fault =
  /** A writer's process dies after FENCE or after COMMIT; what it had sent to the database may still be committed. */
  | 'crash'
  /** The transaction is rolled back. */
  | 'rollback'
  /** A writer does not learn how its transaction ended, which the database may still decide either way. */
  | 'unknown end'
  /** FENCE fails, and `available` commits all the same. */
  | 'outage'
  | 'lease expiry'
  /** A row or an entry is evicted, or reaches its TTL. */
  | 'eviction of a value'
  /** A guard without fences is evicted: with its lease, and with its mark. */
  | 'eviction of a guard'
  | 'eviction of fences'
