/** What can go wrong in a scenario, and how often it may where the scenario does not say so: never. */
export const noFaults = {
  /** A writer's process dies after FENCE or after COMMIT; what it had sent to the database may still be committed. */
  crash: 0,
  /** The transaction is rolled back. */
  rollback: 0,
  /** A writer does not learn how its transaction ended, which the database may still decide either way. */
  'unknown end': 0,
  /** FENCE fails, and `available` commits all the same. */
  outage: 0,
  'lease expiry': 0,
  /** A row or an entry is evicted, or reaches its TTL. */
  'eviction of a value': 0,
  /** A guard without fences is evicted: with its lease, and with its mark. */
  'eviction of a guard': 0,
  'eviction of fences': 0,
}

export type Fault = keyof typeof noFaults
