/** What can go wrong in a scenario. */
export type Fault =
  | 'eviction of the hash'
  | 'eviction of the epoch key'
  | 'eviction of the register'
  | 'FLUSHALL'
  /** A writer's process dies before or after COMMIT; what it had sent to the database may still be committed. */
  | 'crash'
  /** A process stops, and what it was doing ends there. */
  | 'stop'
  /** A value reaches its TTL. */
  | 'expiry of the value'
  /** A process reads nothing for so long that its fingerprint leaves the register. */
  | 'idleness'
  /** FENCE or an ask fails, and an `available` writer goes on. */
  | 'outage'
