/** What can go wrong in a scenario, and how often it may where the scenario does not say so: never. */
export const noFaults = {
  'eviction of the hash': 0,
  'eviction of the epoch key': 0,
  'eviction of the register': 0,
  FLUSHALL: 0,
  /** A writer's process dies before or after COMMIT; what it had sent to the database may still be committed. */
  crash: 0,
  /** A process stops, and what it was doing ends there. */
  stop: 0,
  /** A value reaches its TTL. */
  'expiry of the value': 0,
  /** A process reads nothing for so long that its fingerprint leaves the register. */
  idleness: 0,
  /** A process pauses, whatever it does, until its fingerprint has left the register, and does not notice. */
  pause: 0,
  /** The clock of the server leaps while no write is running: all that expires is gone. */
  'leap of the clock': 0,
  /** The same while a write is running. */
  'leap of the clock during a write': 0,
  /** FENCE or an ask fails, and an `available` writer goes on. */
  outage: 0,
}

export type Fault = keyof typeof noFaults
