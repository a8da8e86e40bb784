import { type ScenarioRow, scenariosOf } from '../explorations.ts'
import type { Scenario } from './scenario.ts'

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
const rows = {
  plain: [
    'two writers outside Prisma',
    { followers: 1, processes: [{ reads: 3 }] },
    { 'eviction of the value': 1 },
  ],
  extended: [
    'two writers outside Prisma, one with the extended client',
    { writers: ['SQL', 'extended', 'SQL'], followers: 1, processes: [{ reads: 3 }] },
  ],
  primes: [
    'rows that are primed, beside a takeover',
    { processes: [{ reads: 1, primes: 1 }] },
    { disconnect: 1 },
  ],
  takeover: [
    'takeover: the old follower does not know yet',
    { processes: [{ reads: 3 }] },
    { disconnect: 1 },
  ],
  takeovers: [
    'takeover by a follower that fails, too',
    { writers: ['SQL'], followers: 3, processes: [{ reads: 3 }] },
    { disconnect: 2 },
  ],
  durable: [
    'durable slot: two takeovers',
    { followers: 3, slot: 'durable', processes: [{ reads: 2 }], readsAtOnce: 1 },
    { disconnect: 2 },
  ],
  slotLost: [
    'durable slot that is lost; the next follower fails, too',
    { writers: ['SQL'], followers: 3, slot: 'durable', processes: [{ reads: 2 }] },
    { disconnect: 2, 'slot lost': 1 },
  ],
  outage: [
    'the store goes down, guards are evicted',
    { processes: [{ reads: 2 }] },
    { disconnect: 1, outage: 1, 'eviction of the guard': 1 },
  ],
  bypass: [
    'a process that requires a follower',
    { processes: [{ reads: 3, isStrict: true }], readsAtOnce: 1 },
    { disconnect: 1, 'late heartbeats': 1 },
  ],
  bypassDurable: [
    'a process that requires a follower; durable slot',
    { slot: 'durable', processes: [{ reads: 3, isStrict: true }], readsAtOnce: 1 },
    { disconnect: 1 },
  ],
  l1: [
    'L1: messages are lost, or late',
    { followers: 1, processes: [{ reads: 3, l1: true }, { reads: 1 }] },
    { 'lost message': 1 },
  ],
  l1Takeover: [
    'L1: takeover',
    { writers: ['SQL'], processes: [{ reads: 2, l1: true }] },
    { disconnect: 1, 'lost message': 1 },
  ],
  l1Durable: [
    'L1: takeover of a durable slot',
    { writers: ['SQL'], slot: 'durable', processes: [{ reads: 2, l1: true }] },
    { disconnect: 1 },
  ],
  l1Bypass: [
    'L1 of a process that requires a follower',
    { writers: ['SQL'], processes: [{ reads: 3, l1: true, isStrict: true }] },
    { disconnect: 1, 'lost message': 1 },
  ],
  joins: [
    'a table that joins, beside a process that stores its rows',
    {
      writers: ['SQL'],
      joins: true,
      processes: [{ reads: 2 }, { reads: 1, isStrict: true }],
      readsAtOnce: 1,
    },
    { disconnect: 1 },
  ],
  joinsDurable: [
    'a table that joins, durable slot',
    { slot: 'durable', joins: true, processes: [{ reads: 2 }], readsAtOnce: 1 },
    { disconnect: 1 },
  ],
  publication: [
    'a table that leaves the publication, and comes back',
    { followers: 1, processes: [{ reads: 2 }, { reads: 1, isStrict: true }], readsAtOnce: 1 },
    { publication: 2 },
  ],
  publicationDurable: [
    'a publication that changes, also while nobody follows',
    { writers: ['SQL'], slot: 'durable', processes: [{ reads: 2 }], readsAtOnce: 1 },
    { disconnect: 1, publication: 2 },
  ],
  rivals: [
    'a durable slot that another program reads, and a bookmark that is lost',
    { slot: 'durable', processes: [{ reads: 2 }], readsAtOnce: 1 },
    { disconnect: 1, 'other reader': 1, 'lost bookmark': 1 },
  ],
  binlog: [
    'binlog: takeovers, the old follower has lost its lock and reads on',
    { followers: 3, slot: 'binlog', processes: [{ reads: 1 }], readsAtOnce: 1 },
    { disconnect: 2 },
  ],
  binlogPurged: [
    'binlog that the server deletes while nobody reads it',
    { followers: 3, slot: 'binlog', processes: [{ reads: 1 }], readsAtOnce: 1 },
    { disconnect: 2, purge: 1 },
  ],
  binlogDeleted: [
    'binlog that somebody deletes while it is read',
    { slot: 'binlog', processes: [{ reads: 2 }], readsAtOnce: 1 },
    { disconnect: 1, 'deleted log': 1 },
  ],
  cascades: [
    'binlog: rows that change by foreign keys',
    { writers: ['cascade', 'SQL'], slot: 'binlog', processes: [{ reads: 3 }] },
    { disconnect: 1 },
  ],
  replica: [
    'loads from a replica: invalidation once it has the commit',
    { processes: [{ reads: 2 }], replica: 'invalidates later' },
    { disconnect: 1 },
  ],
  replicaFenced: [
    'loads from a replica: the row is fenced until it has the commit',
    { processes: [{ reads: 2 }], replica: 'fences the row' },
    { disconnect: 1 },
  ],
} satisfies Record<string, ScenarioRow<Scenario>>

export type ScenarioKey = keyof typeof rows
export const scenarios = scenariosOf<ScenarioKey, Scenario>(rows)

/** The same with one more read in the last process. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  processes: scenario.processes.map((process, i) =>
    i === scenario.processes.length - 1 ? { ...process, reads: (process.reads ?? 0) + 1 } : process,
  ),
})
