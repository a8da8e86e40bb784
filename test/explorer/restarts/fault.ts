/** What can go wrong in a scenario, and how often it may where the scenario does not say so: never. */
export const noFaults = {
  /** A disk, a backup or a copied folder gets what a server holds now. */
  snapshot: 0,
  /** A server stops, and starts from any of the snapshots, at once or later. */
  restart: 0,
  /** A replica is promoted; the primary becomes its replica. */
  failover: 0,
  /** Clients keep their connections to a primary that becomes a replica. */
  'failover behind connections': 0,
  /** A server is rolled back with its memory, and so with its identity. */
  'memory rolled back': 0,
}

export type Fault = keyof typeof noFaults
