import type { Variation } from './variation.ts'

/** The protocol with one rule broken: of epochs, of stale results, of scopes. */
export const mutants: readonly Variation[] = [
  {
    name: "one model's epoch left out",
    rules: { compares: 'what it has of the first part' },
    scenario: 'two',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'epochs read after the load',
    rules: { epochsAreRead: 'after the load' },
    scenario: 'two',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'stored, and served, under a standing fence',
    rules: { fencesAreRespected: false },
    scenario: 'two',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'no new epoch at the fence',
    rules: { newEpochAtFence: false },
    scenario: 'two',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'no new epoch at the release',
    rules: { newEpochAtRelease: false },
    scenario: 'evicted',
    breaches: ['stale until TTL'],
  },
  {
    name: 'RELEASE that brings its first epoch back when it runs twice',
    rules: { epochsNeverComeBack: false },
    scenario: 'late',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'RELEASE after an unknown end',
    rules: { unknownEndHolds: false },
    scenario: 'unknown',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'stored under a young register',
    rules: { lossIsAwaited: false },
    scenario: 'loss',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'invalidation that removes what is stored, and keeps the epoch',
    rules: { invalidation: 'removal of what is stored' },
    scenario: 'outside',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'result past its ttl served after a write has ended it',
    rules: { expiredMustCount: false },
    scenario: 'stale',
    breaches: ['stale result'],
  },
  {
    name: 'result past its ttl served in place of an error, by a process that has no epochs',
    rules: { unknownEpochsDiffer: false },
    scenario: 'stale',
    breaches: ['stale result'],
  },
  {
    name: 'a scope: only the values that rows have after the write',
    rules: { fencedValues: 'have' },
    scenario: 'scoped',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'a scope: only the entries that rows join, as for lists',
    rules: { fencedValues: 'those of lists that rows join' },
    scenario: 'scopedUpdate',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'a scope: marker stored without a lease',
    rules: { markersAreLeased: false },
    scenario: 'scoped',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'a scope: marker stored again with the same nonce',
    rules: { noncesDiffer: false },
    scenario: 'scopedUpdate',
    breaches: ['stale until TTL'],
  },
  {
    name: 'a scope: markers without the epoch of the register',
    rules: { markersHaveEpoch: false },
    scenario: 'scopedUpdate',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'a scope: nonce read after the load',
    rules: { epochsAreRead: 'after the load' },
    scenario: 'scoped',
    breaches: ['stale until TTL'],
  },
]
