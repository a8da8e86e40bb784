import type { Limit, Mutant } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

/** One of so many states that `npm test` leaves it to `npm run test:deep`. */
const long = <const Change, const Within>(name: string, change: Change, within: Within) =>
  [name, change, within, { takesLong: true }] as const

/** The protocol with one rule broken. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['entry put after the cache has joined and stores', { putsEntry: 'after it stores' }, 'firstStart'],
  ['no wait for writers that asked before', { addedEntriesWait: false }, 'newerSet'],
  long('entry put only once, while others clean up', { putsAgain: false }, 'returns'),
  long('cache rejoins the register without describing itself', { describesToRejoin: false }, 'idle'),
  long('entries removed that have been put again', { removalComparesPuts: false }, 'returns'),
  long('clean-up reads the register before the entries', { cleanUpReadsFirst: 'registers' }, 'paused'),
  ['entries of lookups that live longer than the listing', { listingsOutliveValues: false }, 'dropped'],
  long('extension that lists a forgotten cache again', { extensionsNeedListing: false }, 'paused'),
  long(
    'lease granted after the listing has ended that its read found',
    { leasesEndWithListing: false },
    'paused',
  ),
  long(
    'paused process rejoins the register without describing itself',
    { describesToRejoin: false },
    'paused',
  ),
  ['`written` not set when only the hash was lost', { halfLostIsWritten: false }, 'newerLost'],
  [
    '`written` not set when hash and epoch key were lost, by who knew them',
    { knownIsWritten: false },
    'worker',
    ['stale after COMMIT'],
    { faults: { FLUSHALL: 1, crash: 0 } },
  ],
  long(
    'clean-up by a register that was lost just before, and extensions that list a cache again',
    { newRegistersAreIncomplete: false, extensionsNeedListing: false },
    'lostRegister',
  ),
  ['version asked as the write begins, not beside FENCE', { writersAsk: 'when they begin' }, 'newerSet'],
  ['FENCE forgets entries that were known at first', { fences: 'entries known by then' }, 'longWrites'],
  ['entries that a writer learns of are not fenced', { newEntriesAreFenced: false }, 'newerSet'],
  ['description that is not understood is ignored', { unknownDescription: 'is ignored' }, 'unknown'],
  [
    '`available`: unknown caches are emptied before COMMIT',
    { catchesUp: 'as soon as the store answers' },
    'outage',
  ],
  [
    'values do not carry the catalogue epoch: loss goes unnoticed',
    { valuesCarryCatalogueEpoch: false },
    'lostHash',
  ],
  ['catalogue epoch read after the load', { catalogueEpochIsRead: 'after the load' }, 'lostHash'],
]

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['FLUSHALL between FENCE and COMMIT', { FLUSHALL: 1, crash: 0 }, 'worker', ['stale after COMMIT']],
  long('FLUSHALL while a cache joins', { FLUSHALL: 1, 'eviction of the hash': 0 }, 'newerLost'),
  long(
    'hash and epoch key both lost while a cache joins',
    { 'eviction of the hash': 1, 'eviction of the epoch key': 1 },
    'newerLost',
  ),
  [
    'register evicted while a fence in it closes the cache',
    { 'eviction of the register': 1, crash: 0 },
    'unknown',
    ['stale after COMMIT'],
  ],
  [
    'the clock of the server leaps between FENCE and COMMIT',
    { 'leap of the clock during a write': 1 },
    'leap',
    ['stale after COMMIT'],
  ],
  ['`available`: reads elsewhere until the store answers again', {}, 'outage', ['stale after COMMIT']],
  ['`available`: a crash before the store answers again', { crash: 1 }, 'outage'],
]
