import type { Limit, Mutant } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

const acknowledged: readonly Breach[] = ['stale until TTL', 'stale although acknowledged']
const afterGap: readonly Breach[] = ['stale after a gap']

/** The protocol with one rule broken: of events, of gaps, of heartbeats and L1, of tables that join, of replicas. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['invalidation before the commit can be seen', { awaitsVisibility: false }, 'plain', acknowledged],
  ['invalidation that leaves leases alone', { endsLeases: false }, 'plain', acknowledged],
  ['invalidation without a mark', { marks: false }, 'primes'],
  [
    'invalidation that removes fences of writers',
    { sparesFences: false },
    'extended',
    ['stale after COMMIT'],
  ],
  [
    'event acknowledged before the store has taken it',
    { acknowledges: 'when it is read' },
    'durable',
    ['stale although acknowledged'],
  ],
  [
    'message of an event before the store has taken it',
    { notifies: 'when it is read' },
    'l1',
    ['stale in L1 until TTL', 'stale although acknowledged'],
  ],
  ['no bump after a takeover', { bumps: 'never' }, 'takeover'],
  ['no bump after a durable slot was lost', { bumps: 'never' }, 'slotLost'],
  ['bump before the slot exists', { bumps: 'before its slot exists' }, 'takeover'],
  [
    'bump while commits that the slot does not have cannot be seen yet',
    { bumpAwaitsLoads: false },
    'takeover',
  ],
  ['bump that leaves no mark in the register', { bumpMarks: false }, 'primes'],
  [
    'a new durable slot is not noted: the next follower owes no bump',
    { owesBump: 'if it causes the gap' },
    'slotLost',
  ],
  ['FILL under the epoch of the moment', { fillNamesEpoch: false }, 'takeover'],
  ['healthy before the bump', { healthy: 'when it streams' }, 'bypass', afterGap],
  [
    'healthy before what a durable slot has kept is read',
    { healthy: 'when it streams' },
    'bypassDurable',
    afterGap,
  ],
  ['heartbeats of a follower whose stream has ended', { heartbeatNeedsStream: false }, 'bypass', afterGap],
  ['heartbeats that come late count', { heartbeatsExpire: false }, 'bypass', afterGap],
  [
    'a process that hears no follower uses the store',
    { bypasses: 'nothing' },
    'bypass',
    ['stale while bypassing', 'stale after a gap'],
  ],
  ['a process that hears no follower uses L1', { bypasses: 'store' }, 'l1Bypass', ['stale while bypassing']],
  ['L1 kept when another follower is heard', { heartbeatEmptiesL1: false }, 'l1Bypass', afterGap],
  [
    'entry put into L1 without a check of the clock',
    { l1ChecksClock: false },
    'l1',
    ['stale in L1 until TTL', 'stale although acknowledged'],
  ],
  [
    'no message at the takeover of a durable slot',
    { announces: 'after a bump alone' },
    'l1Durable',
    ['stale in L1 until TTL'],
  ],
  [
    'message of the takeover before the bump',
    { announces: 'before the bump' },
    'l1Takeover',
    ['stale in L1 until TTL'],
  ],
  ['bump before ALTER PUBLICATION', { joins: 'epoch, then publication' }, 'joins'],
  ['table counted as followed before the bump', { healthy: 'when it streams' }, 'joins', afterGap],
  [
    'bump beside transactions that wrote before ALTER PUBLICATION',
    { bumpAwaitsWriters: false },
    'joinsDurable',
  ],
  [
    'a table that joined is not noted: the next follower owes no bump',
    { owesBump: 'if it causes the gap' },
    'joinsDurable',
  ],
  ['a publication that is never compared', { notices: 'never' }, 'publication'],
  [
    'a publication that is compared by whether it has the table',
    { notices: 'by whether it has the table' },
    'publication',
  ],
  ['a table that has left counts as followed', { healthy: 'when it streams' }, 'publication', afterGap],
  [
    'bump beside transactions that wrote while the table was not published',
    { bumpAwaitsWriters: false },
    'publication',
  ],
  ['bookmark that does not say of which publication it is', { comparesTables: false }, 'publicationDurable'],
  [
    'bookmark of a table that joins before the bump',
    { notesTables: 'when they are published' },
    'joinsDurable',
  ],
  ['bookmark that is not compared with the slot', { comparesPosition: false }, 'rivals'],
  ['bookmark of what has been read, but not taken', { notes: 'what is read' }, 'rivals'],
  ['durable slot without a bookmark that counts as noted', { owesBump: 'if it causes the gap' }, 'rivals'],
  [
    'the reader of a slot is ended, whoever it is',
    { sparesOthers: false },
    'rivals',
    ['takes what is not its own'],
  ],
  ['place in the binlog noted before the store has taken the event', { notes: 'what is read' }, 'binlog'],
  [
    'binlog that is read from where it begins, instead of where it was left',
    { findsPlace: false },
    'binlogPurged',
  ],
  ['binlog whose end nobody compares', { noticesDeletion: false }, 'binlogDeleted'],
  ['cascades that are not expanded', { expandsCascades: false }, 'cascades', acknowledged],
  ['invalidation before the replica has the commit', { awaitsReplica: false }, 'replica', acknowledged],
  ['fence released before the replica has the commit', { awaitsReplica: false }, 'replicaFenced'],
  ['bump before the replica has what the slot does not have', { bumpAwaitsLoads: false }, 'replica'],
]

/** What the protocol assumes, or does not promise, and what happens there. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['guards evicted where rows are primed', { 'eviction of the guard': 1 }, 'primes'],
  ['a failover of the store that loses an invalidation', { 'lost invalidation': 1 }, 'plain'],
]
