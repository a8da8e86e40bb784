import type { Scenario } from './scenario.ts'

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
export const scenarios = {
  plain: {
    name: 'two writers outside Prisma',
    followers: 1,
    processes: [{ reads: 3 }],
    faults: { 'eviction of the value': 1 },
  },
  extended: {
    name: 'two writers outside Prisma, one with the extended client',
    writers: ['SQL', 'extended', 'SQL'],
    followers: 1,
    processes: [{ reads: 3 }],
  },
  primes: {
    name: 'rows that are primed, beside a takeover',
    processes: [{ reads: 1, primes: 1 }],
    faults: { disconnect: 1 },
  },
  takeover: {
    name: 'takeover: the old follower does not know yet',
    processes: [{ reads: 3 }],
    faults: { disconnect: 1 },
  },
  takeovers: {
    name: 'takeover by a follower that fails, too',
    writers: ['SQL'],
    followers: 3,
    processes: [{ reads: 3 }],
    faults: { disconnect: 2 },
  },
  durable: {
    name: 'durable slot: two takeovers',
    followers: 3,
    slot: 'durable',
    processes: [{ reads: 2 }],
    faults: { disconnect: 2 },
    readsAtOnce: 1,
  },
  slotLost: {
    name: 'durable slot that is lost; the next follower fails, too',
    writers: ['SQL'],
    followers: 3,
    slot: 'durable',
    processes: [{ reads: 2 }],
    faults: { disconnect: 2, 'slot lost': 1 },
  },
  outage: {
    name: 'the store goes down, guards are evicted',
    processes: [{ reads: 2 }],
    faults: { disconnect: 1, outage: 1, 'eviction of the guard': 1 },
  },
  bypass: {
    name: 'a process that requires a follower',
    processes: [{ reads: 3, isStrict: true }],
    faults: { disconnect: 1, 'late heartbeats': 1 },
    readsAtOnce: 1,
  },
  bypassDurable: {
    name: 'a process that requires a follower; durable slot',
    slot: 'durable',
    processes: [{ reads: 3, isStrict: true }],
    faults: { disconnect: 1 },
    readsAtOnce: 1,
  },
  l1: {
    name: 'L1: messages are lost, or late',
    followers: 1,
    processes: [{ reads: 3, l1: true }, { reads: 1 }],
    faults: { 'lost message': 1 },
  },
  l1Takeover: {
    name: 'L1: takeover',
    writers: ['SQL'],
    processes: [{ reads: 2, l1: true }],
    faults: { disconnect: 1, 'lost message': 1 },
  },
  l1Durable: {
    name: 'L1: takeover of a durable slot',
    writers: ['SQL'],
    slot: 'durable',
    processes: [{ reads: 2, l1: true }],
    faults: { disconnect: 1 },
  },
  l1Bypass: {
    name: 'L1 of a process that requires a follower',
    writers: ['SQL'],
    processes: [{ reads: 3, l1: true, isStrict: true }],
    faults: { disconnect: 1, 'lost message': 1 },
  },
  joins: {
    name: 'a table that joins, beside a process that stores its rows',
    writers: ['SQL'],
    joins: true,
    processes: [{ reads: 2 }, { reads: 1, isStrict: true }],
    faults: { disconnect: 1 },
    readsAtOnce: 1,
  },
  joinsDurable: {
    name: 'a table that joins, durable slot',
    slot: 'durable',
    joins: true,
    processes: [{ reads: 2 }],
    faults: { disconnect: 1 },
    readsAtOnce: 1,
  },
  publication: {
    name: 'a table that leaves the publication, and comes back',
    followers: 1,
    processes: [{ reads: 2 }, { reads: 1, isStrict: true }],
    faults: { publication: 2 },
    readsAtOnce: 1,
  },
  publicationDurable: {
    name: 'a publication that changes, also while nobody follows',
    writers: ['SQL'],
    slot: 'durable',
    processes: [{ reads: 2 }],
    faults: { disconnect: 1, publication: 2 },
    readsAtOnce: 1,
  },
  rivals: {
    name: 'a durable slot that another program reads, and a bookmark that is lost',
    slot: 'durable',
    processes: [{ reads: 2 }],
    faults: { disconnect: 1, 'other reader': 1, 'lost bookmark': 1 },
    readsAtOnce: 1,
  },
  binlog: {
    name: 'binlog: takeovers, the old follower has lost its lock and reads on',
    followers: 3,
    slot: 'binlog',
    processes: [{ reads: 1 }],
    faults: { disconnect: 2 },
    readsAtOnce: 1,
  },
  binlogPurged: {
    name: 'binlog that the server deletes while nobody reads it',
    followers: 3,
    slot: 'binlog',
    processes: [{ reads: 1 }],
    faults: { disconnect: 2, purge: 1 },
    readsAtOnce: 1,
  },
  binlogDeleted: {
    name: 'binlog that somebody deletes while it is read',
    slot: 'binlog',
    processes: [{ reads: 2 }],
    faults: { disconnect: 1, 'deleted log': 1 },
    readsAtOnce: 1,
  },
  cascades: {
    name: 'binlog: rows that change by foreign keys',
    writers: ['cascade', 'SQL'],
    slot: 'binlog',
    processes: [{ reads: 3 }],
    faults: { disconnect: 1 },
  },
  replica: {
    name: 'loads from a replica: invalidation once it has the commit',
    processes: [{ reads: 2 }],
    replica: 'invalidates later',
    faults: { disconnect: 1 },
  },
  replicaFenced: {
    name: 'loads from a replica: the row is fenced until it has the commit',
    processes: [{ reads: 2 }],
    replica: 'fences the row',
    faults: { disconnect: 1 },
  },
} satisfies Record<string, Scenario>

export type ScenarioKey = keyof typeof scenarios

/** The same with one more read in the last process. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  processes: scenario.processes.map((process, i) =>
    i === scenario.processes.length - 1 ? { ...process, reads: (process.reads ?? 0) + 1 } : process,
  ),
})
