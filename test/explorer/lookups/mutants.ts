import type { Variation } from './variation.ts'

/** The protocol with one rule broken: of writes, of reads, of stored rows, of L1, of deploys. */
export const mutants: readonly Variation[] = [
  {
    name: 'no fence for entered keys',
    rules: { enteredKeysAreFenced: false },
    scenario: 'create',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'keys of the row before the write',
    rules: { keysAreOf: 'the row before the write' },
    scenario: 'create',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'keys of a row that was read before the write',
    rules: { keysAreOf: 'a row read before the write' },
    scenario: 'sameRow',
    breaches: ['stale entry until TTL'],
  },
  {
    name: 'a row that changes its place enters nothing',
    rules: { reorderingEnters: false },
    scenario: 'sameRow',
    breaches: ['stale entry until TTL'],
  },
  {
    name: 'a row that changes its place enters nothing; readers sort',
    rules: { reorderingEnters: false, placesAreValidated: false, order: 'sorted by the reader' },
    scenario: 'reorder',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'unknown keys change nothing',
    rules: { unknownKeys: 'change nothing' },
    scenario: 'absence',
    breaches: ['stale answer', 'stale entry until TTL', 'stale row until TTL'],
  },
  {
    name: 'existence epoch changed at RELEASE only',
    rules: { unknownKeys: 'change the epoch at RELEASE' },
    scenario: 'absence',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'existence epoch without a fence of the register',
    rules: { existenceIsFenced: false },
    scenario: 'unknownKeys',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'lookup that a writer does not understand is ignored',
    rules: { unknownLookups: 'ignores them' },
    scenario: 'ignorant',
    breaches: ['stale answer', 'stale entry until TTL'],
  },

  {
    name: 'rows are not validated',
    rules: { rowsAreValidated: false },
    scenario: 'leaveReturn',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'places of rows are not validated',
    rules: { placesAreValidated: false },
    scenario: 'leaveReturn',
    breaches: ['stale answer'],
  },
  {
    name: 'incomplete list answered without a row that has left',
    rules: { reloads: 'complete lists' },
    scenario: 'leaveReturn',
    breaches: ['stale answer'],
  },
  {
    name: 'complete list answered without a row that has left',
    rules: { reloads: 'incomplete lists' },
    scenario: 'swap',
    breaches: ['rows left out'],
  },
  {
    name: 'unique key answered without its row that has another',
    rules: { uniqueReloads: false },
    scenario: 'swap',
    breaches: ['rows left out'],
  },
  {
    name: 'entry stored without a lease',
    rules: { leaseIsTaken: 'never' },
    scenario: 'loads',
    breaches: ['stale entry until TTL'],
  },
  {
    name: 'lease taken after the load',
    rules: { leaseIsTaken: 'after the load' },
    scenario: 'loads',
    breaches: ['stale entry until TTL'],
  },
  {
    name: 'entries without the existence epoch',
    rules: { entriesCarryEpoch: false },
    scenario: 'absence',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'absences without the existence epoch',
    rules: { absencesCarryEpoch: false },
    scenario: 'absence',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'existence epoch read after the load',
    rules: { epochIsRead: 'after the load' },
    scenario: 'unknownKeys',
    breaches: ['stale answer', 'stale entry until TTL'],
  },

  {
    name: 'prime without a lease and its mark',
    rules: { primeNeedsLease: false },
    scenario: 'primes',
    breaches: ['stale answer', 'stale row until TTL'],
  },
  {
    name: "mark lost to another's lease",
    rules: { leaseKeepsMark: false },
    scenario: 'primes',
    breaches: ['stale row until TTL'],
  },
  {
    name: 'no mark beside other fences, nor when these expire',
    rules: { releaseMarksBesideFences: false, expiredFenceMarks: false },
    scenario: 'primes',
    breaches: ['stale answer'],
  },
  {
    name: 'no mark when a fence expires',
    rules: { expiredFenceMarks: false },
    scenario: 'primes',
    breaches: ['stale answer', 'stale row until TTL'],
  },
  {
    name: 'prime under the epoch of a later write',
    rules: { registerMarks: false },
    scenario: 'unknownRows',
    breaches: ['stale row until TTL'],
  },
  {
    name: 'prime of rows that were read longer ago than leaseMs',
    rules: { primesAreRecent: false },
    scenario: 'primes',
    breaches: ['stale answer', 'stale row until TTL'],
  },

  {
    name: 'messages drop rows from L1, and no entries',
    rules: { messagesDropEntries: false },
    scenario: 'l1Warm',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'entry put into L1 without a check of the clock',
    rules: { l1ChecksClock: false },
    scenario: 'l1',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: 'rows of a load left in L1 as they were',
    rules: { l1DropsWhatIsNotPut: false },
    scenario: 'l1Warm',
    breaches: ['stale answer'],
  },

  {
    name: '`available`: rows bypassed, and no entries',
    rules: { outageBypasses: 'rows' },
    scenario: 'outage',
    breaches: ['stale answer'],
  },

  {
    name: 'lookups described after the cache has stored entries',
    rules: { describes: 'after it stores' },
    scenario: 'deploy',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
  {
    name: "catalogue's version asked before FENCE, not beside it",
    rules: { writersAsk: 'before FENCE' },
    scenario: 'deploy',
    breaches: ['stale answer', 'stale entry until TTL'],
  },
]
