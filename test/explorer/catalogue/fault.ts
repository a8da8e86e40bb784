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
  /** A process pauses, whatever it does, until its fingerprint has left the register, and does not notice. */
  | 'pause'
  /** The clock of the server leaps while no write is running: all that expires is gone. */
  | 'leap of the clock'
  /** The same while a write is running. */
  | 'leap of the clock during a write'
  /** FENCE or an ask fails, and an `available` writer goes on. */
  | 'outage'
