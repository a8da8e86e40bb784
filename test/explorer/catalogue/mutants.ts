import type { Variation } from './variation.ts'

/** The protocol with one rule broken. */
export const mutants: readonly Variation[] = [
  {
    name: 'entry put after the cache has joined and stores',
    rules: { putsEntry: 'after it stores' },
    scenario: 'firstStart',
    breaches: ['stale until TTL'],
  },
  {
    name: 'no wait for writers that asked before',
    rules: { addedEntriesWait: false },
    scenario: 'newerSet',
    breaches: ['stale until TTL'],
  },
  {
    name: 'entry put only once, while others clean up',
    rules: { putsAgain: false },
    scenario: 'returns',
    breaches: ['stale until TTL'],
  },
  {
    name: 'cache rejoins the register without describing itself',
    rules: { describesToRejoin: false },
    scenario: 'idle',
    breaches: ['stale until TTL'],
  },
  {
    name: 'entries removed that have been put again',
    rules: { removalComparesPuts: false },
    scenario: 'returns',
    breaches: ['stale until TTL'],
  },
  {
    name: 'clean-up reads the register before the entries',
    rules: { cleanUpReadsFirst: 'registers' },
    scenario: 'paused',
    breaches: ['stale until TTL'],
  },
  {
    name: 'entries of lookups that live longer than the listing',
    rules: { listingsOutliveValues: false },
    scenario: 'dropped',
    breaches: ['stale until TTL'],
  },
  {
    name: 'extension that lists a forgotten cache again',
    rules: { extensionsNeedListing: false },
    scenario: 'paused',
    breaches: ['stale until TTL'],
  },
  {
    name: 'lease granted after the listing has ended that its read found',
    rules: { leasesEndWithListing: false },
    scenario: 'paused',
    breaches: ['stale until TTL'],
  },
  {
    name: 'paused process rejoins the register without describing itself',
    rules: { describesToRejoin: false },
    scenario: 'paused',
    breaches: ['stale until TTL'],
  },
  {
    name: '`written` not set when only the hash was lost',
    rules: { halfLostIsWritten: false },
    scenario: 'newerLost',
    breaches: ['stale until TTL'],
  },
  {
    name: '`written` not set when hash and epoch key were lost, by who knew them',
    rules: { knownIsWritten: false },
    scenario: 'worker',
    faults: { FLUSHALL: 1, crash: 0 },
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'clean-up by a register that was lost just before, and extensions that list a cache again',
    rules: { newRegistersAreIncomplete: false, extensionsNeedListing: false },
    scenario: 'lostRegister',
    breaches: ['stale until TTL'],
  },
  {
    name: 'version asked as the write begins, not beside FENCE',
    rules: { writersAsk: 'when they begin' },
    scenario: 'newerSet',
    breaches: ['stale until TTL'],
  },
  {
    name: 'FENCE forgets entries that were known at first',
    rules: { fences: 'entries known by then' },
    scenario: 'longWrites',
    breaches: ['stale until TTL'],
  },
  {
    name: 'entries that a writer learns of are not fenced',
    rules: { newEntriesAreFenced: false },
    scenario: 'newerSet',
    breaches: ['stale until TTL'],
  },
  {
    name: 'description that is not understood is ignored',
    rules: { unknownDescription: 'is ignored' },
    scenario: 'unknown',
    breaches: ['stale until TTL'],
  },
  {
    name: '`available`: unknown caches are emptied before COMMIT',
    rules: { catchesUp: 'as soon as the store answers' },
    scenario: 'outage',
    breaches: ['stale until TTL'],
  },
  {
    name: 'values do not carry the catalogue epoch: loss goes unnoticed',
    rules: { valuesCarryCatalogueEpoch: false },
    scenario: 'lostHash',
    breaches: ['stale until TTL'],
  },
  {
    name: 'catalogue epoch read after the load',
    rules: { catalogueEpochIsRead: 'after the load' },
    scenario: 'lostHash',
    breaches: ['stale until TTL'],
  },
]
