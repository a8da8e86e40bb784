/** The follower's part of the protocol as the rules of which it consists. A mutant breaks one of them. */
export interface Rules {
  /** A COMMIT is in the log before other transactions see it: the follower waits until they do. */
  readonly awaitsVisibility: boolean
  /** Where rows are loaded from a replica, the follower waits until it has the commit. */
  readonly awaitsReplica: boolean
  /** The invalidation of an event ends the leases of the row. */
  readonly endsLeases: boolean
  /** It leaves a mark in the guard, which refuses `prime`. */
  readonly marks: boolean
  /** It leaves the fences of writers alone. */
  readonly sparesFences: boolean
  /** When an event is acknowledged, of a durable slot after the bookmark. */
  readonly acknowledges: 'after the store has taken it' | 'when it is read'
  /** Up to where the bookmark says that the store has taken a durable slot. */
  readonly notes: 'what the store has taken' | 'what is read'
  /** Whether it names the version of the publication for which the gap was closed; or the one that was compared last. */
  readonly notesTables: 'once their gap is closed' | 'when they are published'
  /** When other processes are sent a message of the event. */
  readonly notifies: 'after the store has taken it' | 'when it is read'

  /** When a new follower changes the epoch, if anything may have been missed. */
  readonly bumps: 'after its slot exists' | 'before its slot exists' | 'never'
  /** It changes the epoch only when all can see, where rows are loaded from, the commits that its slot does not have. */
  readonly bumpAwaitsLoads: boolean
  /** That of a table which joins: only when the transactions have ended that wrote to it before. */
  readonly bumpAwaitsWriters: boolean
  /** The register remembers the change, and refuses `prime`. */
  readonly bumpMarks: boolean
  /** It owes the change unless the store has a bookmark; or only if it creates the slot or publishes the table itself. */
  readonly owesBump: 'unless it is noted' | 'if it causes the gap'
  /** A bookmark that is behind the slot does not count: somebody else has read it. */
  readonly comparesPosition: boolean
  /** A bookmark of another version of the publication does not count. */
  readonly comparesTables: boolean
  /** A log that the server keeps goes on only where the bookmark finds its place again. */
  readonly findsPlace: boolean
  /** It notices that the log which it reads was deleted: the server has begun another one. */
  readonly noticesDeletion: boolean
  /** An event of a parent changes the epoch of the rows that refer to it. */
  readonly expandsCascades: boolean
  /** It does not end the reader of a durable slot that is another program. */
  readonly sparesOthers: boolean
  /** Which new followers have all processes empty L1, and when: each of them, after its bump if it owes one. */
  readonly announces: 'always' | 'after a bump alone' | 'before the bump'
  /** When a follower sends heartbeats. */
  readonly healthy: 'when its gap is closed' | 'when it streams'
  /** A heartbeat needs a sign of life of the follower's stream. */
  readonly heartbeatNeedsStream: boolean
  /** A heartbeat that comes later than its time does not count. */
  readonly heartbeatsExpire: boolean
  /** A heartbeat names the follower: L1 is emptied when it names another one. */
  readonly heartbeatEmptiesL1: boolean
  /** What a process does not use while it hears no follower. */
  readonly bypasses: 'L1 and store' | 'store' | 'nothing'

  /** What counts under the epoch is stored with the one that was read before the load. */
  readonly fillNamesEpoch: boolean
  /** A value goes into L1 only if the clock has not advanced since its read began. */
  readonly l1ChecksClock: boolean

  /** How a follower notices that the publication has changed. */
  readonly notices: 'by its version' | 'by whether it has the table' | 'never'
  /** When a table that joins has its epoch changed. */
  readonly joins: 'publication, then epoch' | 'epoch, then publication'
}

export const protocol: Rules = {
  awaitsVisibility: true,
  awaitsReplica: true,
  endsLeases: true,
  marks: true,
  sparesFences: true,
  acknowledges: 'after the store has taken it',
  notes: 'what the store has taken',
  notesTables: 'once their gap is closed',
  notifies: 'after the store has taken it',

  bumps: 'after its slot exists',
  bumpAwaitsLoads: true,
  bumpAwaitsWriters: true,
  bumpMarks: true,
  owesBump: 'unless it is noted',
  comparesPosition: true,
  comparesTables: true,
  findsPlace: true,
  noticesDeletion: true,
  expandsCascades: true,
  sparesOthers: true,
  announces: 'always',
  healthy: 'when its gap is closed',
  heartbeatNeedsStream: true,
  heartbeatsExpire: true,
  heartbeatEmptiesL1: true,
  bypasses: 'L1 and store',

  fillNamesEpoch: true,
  l1ChecksClock: true,

  notices: 'by its version',
  joins: 'publication, then epoch',
}
