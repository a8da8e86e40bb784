import type { Limit, Mutant } from './explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

/** The protocol with one rule broken: of reads, of writes, of L1, of deploys. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['fill without compare', { fillCompares: false }, 'faults', ['stale until TTL']],
  ['fill or prime without a lease', { fillNeedsLease: false }, 'faults', ['stale until TTL']],
  ['fill that keeps its lease', { fillEndsLease: false }, 'faults', ['lease left behind']],
  [
    'fill with what an open transaction has written',
    { sharedLoadsAreNotStored: false },
    'sharedConnections',
    ['uncommitted row until TTL'],
  ],
  ['token per client', { token: 'of the client' }, 'faults', ['stale until TTL']],
  ['lease over a fence', { fencesStopLeases: false }, 'faults'],
  ['load from a replica', { loadsFrom: 'replica' }, 'faults', ['stale until TTL']],
  [
    'load in a snapshot older than the lease',
    { loadsFrom: 'snapshot of before the lease' },
    'faults',
    ['stale until TTL'],
  ],
  [
    'coalescing without a check of the clock',
    { coalescesWith: 'any load' },
    'faults',
    ['stale read after own write'],
  ],
  [
    'coalescing by the clock alone',
    { coalescesWith: 'load under an unmoved clock' },
    'coalescedLoads',
    ['non-monotonic read'],
  ],
  [
    'reads in a transaction fill',
    { transactionsBypass: false },
    'faults',
    ['uncommitted row read', 'uncommitted row until TTL'],
  ],

  ['delete after commit only', { fenced: 'never' }, 'faults'],
  ['fence after commit', { fenced: 'after COMMIT' }, 'faults'],
  [
    'fence of a model that the replica of Valkey does not have',
    { fencesAreAcknowledged: false },
    'modelPromotion',
  ],
  ['fence without unlink', { fenceUnlinks: false }, 'faults'],
  ['fence that spares leases', { fenceEndsLease: false }, 'faults'],
  ['single fence instead of a set', { fencesAreSet: false }, 'faults'],
  ['fences that share one deadline', { fencesExpireAlone: false }, 'faults'],
  ['release without unlink', { releaseUnlinks: false }, 'lostFences', ['stale until TTL']],
  ['release that spares leases', { releaseEndsLease: false }, 'lostFences', ['stale until TTL']],
  ['release that removes every fence', { releaseSparesFences: false }, 'faults'],
  ['stale rows served after an invalidation', { invalidatedIsGone: false }, 'staleRows', ['transient stale']],
  [
    'available without bypassing the row',
    { outageBypasses: false },
    'outage',
    ['stale read after own write'],
  ],

  [
    'fence that does not advance the clock',
    { fenceAdvancesClock: false },
    'l1Own',
    ['stale although the invalidation came'],
  ],
  [
    'release that does not advance the clock',
    { releaseAdvancesClock: false },
    'l1LostFences',
    ['stale in L1 until TTL'],
  ],
  ['L1 put without a check of the clock', { l1ChecksClock: false }, 'l1', ['stale in L1 until TTL']],
  [
    'read past L1 that does not advance the clock',
    { l1DropsWhatIsNotPut: false },
    'l1SlowMessages',
    ['non-monotonic read'],
  ],
  ['reads beside each other put into L1', { l1SharesReads: false }, 'l1Subscription', ['non-monotonic read']],
  ['L1 not turned off on a gap', { gapTurnsL1Off: false }, 'l1', ['stale in L1 until TTL']],
  [
    'L1 put of a read that began before the row was hot',
    { heatingAdvancesClock: false },
    'hotRows',
    ['non-monotonic read'],
  ],
  [
    'row that becomes hot within a fence, of which no clock was kept',
    { heatingAdvancesClock: false, clockCoversColdRows: false },
    'hotRows',
    ['stale in L1 until TTL'],
  ],
  ['L1 of hot rows not turned off on a gap', { gapTurnsL1Off: false }, 'hotRows', ['stale in L1 until TTL']],
  [
    'clock not advanced after a lost subscription',
    { subscribingAdvancesClock: false },
    'l1Subscription',
    ['stale in L1 until TTL'],
  ],

  ['new fingerprint fills at once', { joinWindow: false }, 'deploy', ['stale after deploy']],
  [
    'writers fence their own fingerprint',
    { writersFence: 'their own fingerprint' },
    'deployTwoWriters',
    ['stale after deploy'],
  ],
  [
    'fingerprint retired before its values',
    { retiringAwaitsValues: false },
    'rollback',
    ['stale after deploy'],
  ],
  [
    'LEASE that takes its first lease when it runs twice',
    { repeatedLeaseDiffers: false },
    'lateCommands',
    ['stale until TTL'],
  ],
  [
    'RELEASE that brings its first epoch back when it runs twice',
    { repeatedEpochDiffers: false },
    'modelWrites',
  ],
  ['RELEASE after an unknown end', { unknownEndKeepsFence: false }, 'unknownEnds'],
  ['prime without a lease and its mark', { primeNeedsLease: false }, 'primes', ['stale until TTL']],
  ["mark lost to another's lease", { leaseKeepsMark: false }, 'primes', ['stale until TTL']],
  // A fence that expires would leave the mark that is missing.
  [
    'no mark beside other fences, nor when these expire',
    { releaseMarksBesideFences: false, expiredFenceMarks: false },
    'primes',
    ['stale until TTL'],
  ],
  ['no mark when a fence expires', { expiredFenceMarks: false }, 'primes', ['stale until TTL']],
  ['prime under the epoch of a later write', { registerMarks: false }, 'modelPrimes', ['stale until TTL']],
]

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['a COMMIT that takes longer than `fenceMs`', {}, 'faults', { rules: { fenceOutlastsCommit: false } }],
  ['fences evicted between FENCE and COMMIT', {}, 'lostFences', ['transient stale']],
  [
    'fences evicted between FENCE and COMMIT, and a crash before RELEASE',
    { crash: 1 },
    'lostFences',
    ['stale until TTL'],
  ],
  ['FLUSHALL during a rolling deploy', { FLUSHALL: 1 }, 'deployTwoWriters', ['stale after deploy']],
  [
    'a replica of Valkey that takes its place without a fence, which `consistency.replicas` prevents',
    {},
    'promotion',
    { rules: { fencesAreAcknowledged: false } },
  ],
  ['`available`: FENCE fails, reads elsewhere until it is retried', {}, 'outage', ['transient stale']],
  ['`available`: FENCE fails, and a crash before it is retried', { crash: 1 }, 'outage', ['stale until TTL']],
  ['L1 of another process until the message arrives', {}, 'l1', ['transient stale']],
]
