/** How a process tells that a server has come back with old data. A mutant breaks one of the rules. */
export const protocol = {
  /** When a process checks a connection. */
  checks: 'before it is used' as 'before it is used' | 'after the first read' | 'only the first one',
  /** The same for connections to nodes of a cluster that have rows. */
  checksNodes: 'each connection' as 'each connection' | 'only the first one',
  /** A server check counts only if it is of this run of the server, or newer than its start. */
  needsRunOrTime: true,
  /** A server check of this run of the server counts only if its replication id is one of the server's as well. */
  runNeedsHistory: true,
  /** A server check that is newer than the start of the server counts. Otherwise only one of this run does. */
  laterTimeCounts: true,
  /** It counts only if its replication id is one of the server's as well. */
  timeNeedsHistory: true,
  /** It has to be newer by more than clocks differ. */
  timeHasMargin: true,
  /** By whose clock the server check is. */
  clock: 'of the server' as 'of the server' | 'of the client' | 'of the server that has the catalogue',
  /** Whose heartbeat renews the server check. */
  renews: 'a checked connection' as 'a checked connection' | 'any connection',
  /** Nothing is stored under a new epoch before the writes have ended whose fences may be lost. */
  newEpochWaits: true,
  /** In a cluster, the replica of the catalogue has a new epoch before the connection that it is for counts as checked. */
  newEpochIsAcknowledged: true,
  /** In a cluster, an epoch that was read before the check of the node of the row has ended is read again. */
  epochIsReadAfterCheck: true,

  /** Fences count once the replica, if there is one, has them. */
  fencesAreAcknowledged: true,
  /** The clock of a server is right when it starts, give or take the margin. */
  startsWithRightClock: true,
}

export type Rules = Readonly<typeof protocol>
