/** What can go wrong in a scenario. */
export type Fault =
  /** A disk, a backup or a copied folder gets what a server holds now. */
  | 'snapshot'
  /** A server stops, and starts from any of the snapshots, at once or later. */
  | 'restart'
  /** A replica is promoted; the primary becomes its replica. */
  | 'failover'
  /** Clients keep their connections to a primary that becomes a replica. */
  | 'failover behind connections'
  /** A server is rolled back with its memory, and so with its identity. */
  | 'memory rolled back'
