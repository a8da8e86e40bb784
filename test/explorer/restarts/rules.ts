/** How a process tells that a server has come back with old data. A mutant breaks one of the rules. */
export interface Rules {
  /** When a process checks a connection. */
  readonly checks: 'before it is used' | 'after the first read' | 'only the first one'
  /** The same for connections to nodes of a cluster that have rows. */
  readonly checksNodes: 'each connection' | 'only the first one'
  /** A server check counts only if it is of this run of the server, or newer than its start. */
  readonly needsRunOrTime: boolean
  /** A server check of this run of the server counts only if its replication id is one of the server's as well. */
  readonly runNeedsHistory: boolean
  /** A server check that is newer than the start of the server counts. Otherwise only one of this run does. */
  readonly laterTimeCounts: boolean
  /** It counts only if its replication id is one of the server's as well. */
  readonly timeNeedsHistory: boolean
  /** It has to be newer by more than clocks differ. */
  readonly timeHasMargin: boolean
  /** By whose clock the server check is. */
  readonly clock: 'of the server' | 'of the client' | 'of the server that has the catalogue'
  /** Whose heartbeat renews the server check. */
  readonly renews: 'a checked connection' | 'any connection'
  /** Nothing is stored under a new epoch before the writes have ended whose fences may be lost. */
  readonly newEpochWaits: boolean
  /** In a cluster, the replica of the catalogue has a new epoch before the connection that it is for counts as checked. */
  readonly newEpochIsAcknowledged: boolean
  /** In a cluster, an epoch that was read before the check of the node of the row has ended is read again. */
  readonly epochIsReadAfterCheck: boolean

  /** Fences count once the replica, if there is one, has them. */
  readonly fencesAreAcknowledged: boolean
  /** The clock of a server is right when it starts, give or take the margin. */
  readonly startsWithRightClock: boolean
}

export const protocol: Rules = {
  checks: 'before it is used',
  checksNodes: 'each connection',
  needsRunOrTime: true,
  runNeedsHistory: true,
  laterTimeCounts: true,
  timeNeedsHistory: true,
  timeHasMargin: true,
  clock: 'of the server',
  renews: 'a checked connection',
  newEpochWaits: true,
  newEpochIsAcknowledged: true,
  epochIsReadAfterCheck: true,

  fencesAreAcknowledged: true,
  startsWithRightClock: true,
}
