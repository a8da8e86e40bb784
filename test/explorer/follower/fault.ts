/** What can go wrong in a scenario. */
export type Fault =
  /** A follower loses its connections to the database, and notices that later. A crash is the same, noticed at once. */
  | 'disconnect'
  /** The database discards a durable slot that nobody reads. */
  | 'slot lost'
  /** The server deletes what its log has, as nobody reads it. */
  | 'purge'
  /** Somebody deletes the log while it is read, and another one begins. */
  | 'deleted log'
  /** Another program, or the follower of another store, reads a durable slot for a while. */
  | 'other reader'
  /** The store loses its bookmark of a durable slot. */
  | 'lost bookmark'
  /** Somebody takes the table out of the publication, or puts it back. */
  | 'publication'
  /** The store does not answer for a while. */
  | 'outage'
  /** The guard is evicted, with its lease and its mark; or the lease expires. */
  | 'eviction of the guard'
  | 'eviction of the value'
  /** The store has answered an invalidation that it loses in a failover. */
  | 'lost invalidation'
  | 'lost message'
  /** The heartbeats of a healthy follower are late. */
  | 'late heartbeats'
