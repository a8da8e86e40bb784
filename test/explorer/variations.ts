import type { Limit, Mutant } from './explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

const untilTtl: readonly Breach[] = ['stale until TTL']
const inL1: readonly Breach[] = ['stale in L1 until TTL']
const afterDeploy: readonly Breach[] = ['stale after deploy']
const nonMonotonic: readonly Breach[] = ['non-monotonic read']

/** The protocol with one rule broken: of reads, of writes, of L1, of deploys. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['fill without compare', { fillCompares: false }, 'faults', untilTtl],
  ['fill or prime without a lease', { fillNeedsLease: false }, 'faults', untilTtl],
  ['fill that keeps its lease', { fillEndsLease: false }, 'faults', ['lease left behind']],
  [
    'fill with what an open transaction has written',
    { sharedLoadsAreNotStored: false },
    'sharedConnections',
    ['uncommitted row until TTL'],
  ],
  ['token per client', { token: 'of the client' }, 'faults', untilTtl],
  ['lease over a fence', { fencesStopLeases: false }, 'faults'],
  ['load from a replica', { loadsFrom: 'replica' }, 'faults', untilTtl],
  [
    'load in a snapshot older than the lease',
    { loadsFrom: 'snapshot of before the lease' },
    'faults',
    untilTtl,
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
    nonMonotonic,
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
  ['release without unlink', { releaseUnlinks: false }, 'lostFences', untilTtl],
  ['release that spares leases', { releaseEndsLease: false }, 'lostFences', untilTtl],
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
  ['release that does not advance the clock', { releaseAdvancesClock: false }, 'l1LostFences', inL1],
  ['L1 put without a check of the clock', { l1ChecksClock: false }, 'l1', inL1],
  [
    'read past L1 that does not advance the clock',
    { l1DropsWhatIsNotPut: false },
    'l1SlowMessages',
    nonMonotonic,
  ],
  ['reads beside each other put into L1', { l1SharesReads: false }, 'l1Subscription', nonMonotonic],
  ['L1 not turned off on a gap', { gapTurnsL1Off: false }, 'l1', inL1],
  [
    'L1 put of a read that began before the row was hot',
    { heatingAdvancesClock: false },
    'hotRows',
    nonMonotonic,
  ],
  [
    'row that becomes hot within a fence, of which no clock was kept',
    { heatingAdvancesClock: false, clockCoversColdRows: false },
    'hotRows',
    inL1,
  ],
  ['L1 of hot rows not turned off on a gap', { gapTurnsL1Off: false }, 'hotRows', inL1],
  [
    'clock not advanced after a lost subscription',
    { subscribingAdvancesClock: false },
    'l1Subscription',
    inL1,
  ],

  ['new fingerprint fills at once', { joinWindow: false }, 'deploy', afterDeploy],
  [
    'writers fence their own fingerprint',
    { writersFence: 'their own fingerprint' },
    'deployTwoWriters',
    afterDeploy,
  ],
  ['fingerprint retired before its values', { retiringAwaitsValues: false }, 'rollback', afterDeploy],
  [
    'LEASE that takes its first lease when it runs twice',
    { repeatedLeaseDiffers: false },
    'lateCommands',
    untilTtl,
  ],
  [
    'RELEASE that brings its first epoch back when it runs twice',
    { repeatedEpochDiffers: false },
    'modelWrites',
  ],
  ['RELEASE after an unknown end', { unknownEndKeepsFence: false }, 'unknownEnds'],
  ['prime without a lease and its mark', { primeNeedsLease: false }, 'primes', untilTtl],
  ["mark lost to another's lease", { leaseKeepsMark: false }, 'primes', untilTtl],
  // A fence that expires would leave the mark that is missing.
  [
    'no mark beside other fences, nor when these expire',
    { releaseMarksBesideFences: false, expiredFenceMarks: false },
    'primes',
    untilTtl,
  ],
  ['no mark when a fence expires', { expiredFenceMarks: false }, 'primes', untilTtl],
  ['prime under the epoch of a later write', { registerMarks: false }, 'modelPrimes', untilTtl],
]

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['a COMMIT that takes longer than `fenceMs`', {}, 'faults', { rules: { fenceOutlastsCommit: false } }],
  ['fences evicted between FENCE and COMMIT', {}, 'lostFences', ['transient stale']],
  [
    'fences evicted between FENCE and COMMIT, and a crash before RELEASE',
    { crash: 1 },
    'lostFences',
    untilTtl,
  ],
  ['FLUSHALL during a rolling deploy', { FLUSHALL: 1 }, 'deployTwoWriters', afterDeploy],
  [
    'a replica of Valkey that takes its place without a fence, which `consistency.replicas` prevents',
    {},
    'promotion',
    { rules: { fencesAreAcknowledged: false } },
  ],
  ['`available`: FENCE fails, reads elsewhere until it is retried', {}, 'outage', ['transient stale']],
  ['`available`: FENCE fails, and a crash before it is retried', { crash: 1 }, 'outage', untilTtl],
  ['L1 of another process until the message arrives', {}, 'l1', ['transient stale']],
]
