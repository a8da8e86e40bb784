/** What can go wrong in a scenario, and how often it may where the scenario does not say so: never. */
export const noFaults = {
  /** A follower loses its connections to the database, and notices that later. A crash is the same, noticed at once. */
  disconnect: 0,
  /** The database discards a durable slot that nobody reads. */
  'slot lost': 0,
  /** The server deletes what its log has, as nobody reads it. */
  purge: 0,
  /** Somebody deletes the log while it is read, and another one begins. */
  'deleted log': 0,
  /** Another program, or the follower of another store, reads a durable slot for a while. */
  'other reader': 0,
  /** The store loses its bookmark of a durable slot. */
  'lost bookmark': 0,
  /** Somebody takes the table out of the publication, or puts it back. */
  publication: 0,
  /** The store does not answer for a while. */
  outage: 0,
  /** The guard is evicted, with its lease and its mark; or the lease expires. */
  'eviction of the guard': 0,
  'eviction of the value': 0,
  /** The store has answered an invalidation that it loses in a failover. */
  'lost invalidation': 0,
  'lost message': 0,
  /** The heartbeats of a healthy follower are late. */
  'late heartbeats': 0,
}

export type Fault = keyof typeof noFaults
