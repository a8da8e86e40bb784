import type { Variation } from './variation.ts'

/** The protocol with one rule broken: of reads, of writes, of L1, of deploys. */
export const mutants: readonly Variation[] = [
  {
    name: 'fill without compare',
    rules: { fillCompares: false },
    scenario: 'faults',
    breaches: ['stale until TTL'],
  },
  {
    name: 'fill or prime without a lease',
    rules: { fillNeedsLease: false },
    scenario: 'faults',
    breaches: ['stale until TTL'],
  },
  {
    name: 'fill that keeps its lease',
    rules: { fillEndsLease: false },
    scenario: 'faults',
    breaches: ['lease left behind'],
  },
  {
    name: 'token per client',
    rules: { token: 'of the client' },
    scenario: 'faults',
    breaches: ['stale until TTL'],
  },
  {
    name: 'lease over a fence',
    rules: { fencesStopLeases: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'load from a replica',
    rules: { loadsFrom: 'replica' },
    scenario: 'faults',
    breaches: ['stale until TTL'],
  },
  {
    name: 'load in a snapshot older than the lease',
    rules: { loadsFrom: 'snapshot of before the lease' },
    scenario: 'faults',
    breaches: ['stale until TTL'],
  },
  {
    name: 'coalescing without a check of the clock',
    rules: { coalescesWith: 'any load' },
    scenario: 'faults',
    breaches: ['stale read after own write'],
  },
  {
    name: 'coalescing by the clock alone',
    rules: { coalescesWith: 'load under an unmoved clock' },
    scenario: 'coalescedLoads',
    breaches: ['non-monotonic read'],
  },
  {
    name: 'reads in a transaction fill',
    rules: { transactionsBypass: false },
    scenario: 'faults',
    breaches: ['uncommitted row read', 'uncommitted row until TTL'],
  },

  {
    name: 'delete after commit only',
    rules: { fenced: 'never' },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'fence after commit',
    rules: { fenced: 'after COMMIT' },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'fence of a model that the replica of Valkey does not have',
    rules: { fencesAreAcknowledged: false },
    scenario: 'modelPromotion',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'fence without unlink',
    rules: { fenceUnlinks: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'fence that spares leases',
    rules: { fenceEndsLease: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'single fence instead of a set',
    rules: { fencesAreSet: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'fences that share one deadline',
    rules: { fencesExpireAlone: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'release without unlink',
    rules: { releaseUnlinks: false },
    scenario: 'lostFences',
    breaches: ['stale until TTL'],
  },
  {
    name: 'release that spares leases',
    rules: { releaseEndsLease: false },
    scenario: 'lostFences',
    breaches: ['stale until TTL'],
  },
  {
    name: 'release that removes every fence',
    rules: { releaseSparesFences: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'stale rows served after an invalidation',
    rules: { invalidatedIsGone: false },
    scenario: 'staleRows',
    breaches: ['transient stale'],
  },
  {
    name: 'available without bypassing the row',
    rules: { outageBypasses: false },
    scenario: 'outage',
    breaches: ['stale read after own write'],
  },

  {
    name: 'fence that does not advance the clock',
    rules: { fenceAdvancesClock: false },
    scenario: 'l1Own',
    breaches: ['stale although the invalidation came'],
  },
  {
    name: 'release that does not advance the clock',
    rules: { releaseAdvancesClock: false },
    scenario: 'l1LostFences',
    breaches: ['stale in L1 until TTL'],
  },
  {
    name: 'L1 put without a check of the clock',
    rules: { l1ChecksClock: false },
    scenario: 'l1',
    breaches: ['stale in L1 until TTL'],
  },
  {
    name: 'read past L1 that does not advance the clock',
    rules: { l1DropsWhatIsNotPut: false },
    scenario: 'l1SlowMessages',
    breaches: ['non-monotonic read'],
  },
  {
    name: 'reads beside each other put into L1',
    rules: { l1SharesReads: false },
    scenario: 'l1Subscription',
    breaches: ['non-monotonic read'],
  },
  {
    name: 'L1 not turned off on a gap',
    rules: { gapTurnsL1Off: false },
    scenario: 'l1',
    breaches: ['stale in L1 until TTL'],
  },
  {
    name: 'clock not advanced after a lost subscription',
    rules: { subscribingAdvancesClock: false },
    scenario: 'l1Subscription',
    breaches: ['stale in L1 until TTL'],
  },

  {
    name: 'new fingerprint fills at once',
    rules: { joinWindow: false },
    scenario: 'deploy',
    breaches: ['stale after deploy'],
  },
  {
    name: 'writers fence their own fingerprint',
    rules: { writersFence: 'their own fingerprint' },
    scenario: 'deployTwoWriters',
    breaches: ['stale after deploy'],
  },
  {
    name: 'fingerprint retired before its values',
    rules: { retiringAwaitsValues: false },
    scenario: 'rollback',
    breaches: ['stale after deploy'],
  },
  {
    name: 'LEASE that takes its first lease when it runs twice',
    rules: { repeatedLeaseDiffers: false },
    scenario: 'lateCommands',
    breaches: ['stale until TTL'],
  },
  {
    name: 'RELEASE that brings its first epoch back when it runs twice',
    rules: { repeatedEpochDiffers: false },
    scenario: 'modelWrites',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'RELEASE after an unknown end',
    rules: { unknownEndKeepsFence: false },
    scenario: 'unknownEnds',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'prime without a lease and its mark',
    rules: { primeNeedsLease: false },
    scenario: 'primes',
    breaches: ['stale until TTL'],
  },
  {
    name: "mark lost to another's lease",
    rules: { leaseKeepsMark: false },
    scenario: 'primes',
    breaches: ['stale until TTL'],
  },
  {
    // A fence that expires would leave the mark that is missing.
    name: 'no mark beside other fences, nor when these expire',
    rules: { releaseMarksBesideFences: false, expiredFenceMarks: false },
    scenario: 'primes',
    breaches: ['stale until TTL'],
  },
  {
    name: 'no mark when a fence expires',
    rules: { expiredFenceMarks: false },
    scenario: 'primes',
    breaches: ['stale until TTL'],
  },
  {
    name: 'prime under the epoch of a later write',
    rules: { registerMarks: false },
    scenario: 'modelPrimes',
    breaches: ['stale until TTL'],
  },
]
