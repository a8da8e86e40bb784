/** The follower's part of the protocol as the rules of which it consists. A mutant breaks one of them. */
export const protocol = {
  /** A COMMIT is in the log before other transactions see it: the follower waits until they do. */
  awaitsVisibility: true,
  /** Where rows are loaded from a replica, the follower waits until it has the commit. */
  awaitsReplica: true,
  /** The invalidation of an event ends the leases of the row. */
  endsLeases: true,
  /** It leaves a mark in the guard, which refuses `prime`. */
  marks: true,
  /** It leaves the fences of writers alone. */
  sparesFences: true,
  /** When an event is acknowledged, of a durable slot after the bookmark. */
  acknowledges: 'after the store has taken it' as 'after the store has taken it' | 'when it is read',
  /** Up to where the bookmark says that the store has taken a durable slot. */
  notes: 'what the store has taken' as 'what the store has taken' | 'what is read',
  /** Whether it names the version of the publication for which the gap was closed; or the one that was compared last. */
  notesTables: 'once their gap is closed' as 'once their gap is closed' | 'when they are published',
  /** When other processes are sent a message of the event. */
  notifies: 'after the store has taken it' as 'after the store has taken it' | 'when it is read',

  /** When a new follower changes the epoch, if anything may have been missed. */
  bumps: 'after its slot exists' as 'after its slot exists' | 'before its slot exists' | 'never',
  /** It changes the epoch only when all can see, where rows are loaded from, the commits that its slot does not have. */
  bumpAwaitsLoads: true,
  /** That of a table which joins: only when the transactions have ended that wrote to it before. */
  bumpAwaitsWriters: true,
  /** The register remembers the change, and refuses `prime`. */
  bumpMarks: true,
  /** It owes the change unless the store has a bookmark; or only if it creates the slot or publishes the table itself. */
  owesBump: 'unless it is noted' as 'unless it is noted' | 'if it causes the gap',
  /** A bookmark that is behind the slot does not count: somebody else has read it. */
  comparesPosition: true,
  /** A bookmark of another version of the publication does not count. */
  comparesTables: true,
  /** A log that the server keeps goes on only where the bookmark finds its place again. */
  findsPlace: true,
  /** It notices that the log which it reads was deleted: the server has begun another one. */
  noticesDeletion: true,
  /** An event of a parent changes the epoch of the rows that refer to it. */
  expandsCascades: true,
  /** It does not end the reader of a durable slot that is another program. */
  sparesOthers: true,
  /** Which new followers have all processes empty L1, and when: each of them, after its bump if it owes one. */
  announces: 'always' as 'always' | 'after a bump alone' | 'before the bump',
  /** When a follower sends heartbeats. */
  healthy: 'when its gap is closed' as 'when its gap is closed' | 'when it streams',
  /** A heartbeat needs a sign of life of the follower's stream. */
  heartbeatNeedsStream: true,
  /** A heartbeat that comes later than its time does not count. */
  heartbeatsExpire: true,
  /** A heartbeat names the follower: L1 is emptied when it names another one. */
  heartbeatEmptiesL1: true,
  /** What a process does not use while it hears no follower. */
  bypasses: 'L1 and store' as 'L1 and store' | 'store' | 'nothing',

  /** What counts under the epoch is stored with the one that was read before the load. */
  fillNamesEpoch: true,
  /** A value goes into L1 only if the clock has not advanced since its read began. */
  l1ChecksClock: true,

  /** How a follower notices that the publication has changed. */
  notices: 'by its version' as 'by its version' | 'by whether it has the table' | 'never',
  /** When a table that joins has its epoch changed. */
  joins: 'publication, then epoch' as 'publication, then epoch' | 'epoch, then publication',
}

export type Rules = Readonly<typeof protocol>
