import type { Limit, Mutant } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

const answer: readonly Breach[] = ['stale answer']
const untilTtl: readonly Breach[] = ['stale entry until TTL']
const ofRows: readonly Breach[] = ['stale answer', 'stale row until TTL']
const row: readonly Breach[] = ['stale row until TTL']

/** The protocol with one rule broken: of writes, of reads, of stored rows, of L1, of deploys. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['no fence for entered keys', { enteredKeysAreFenced: false }, 'create'],
  ['keys of the row before the write', { keysAreOf: 'the row before the write' }, 'create'],
  [
    'keys of a row that was read before the write',
    { keysAreOf: 'a row read before the write' },
    'sameRow',
    untilTtl,
  ],
  ['a row that changes its place enters nothing', { reorderingEnters: false }, 'sameRow', untilTtl],
  [
    'a row that changes its place enters nothing; readers sort',
    { reorderingEnters: false, placesAreValidated: false, order: 'sorted by the reader' },
    'reorder',
  ],
  [
    'unknown keys change nothing',
    { unknownKeys: 'change nothing' },
    'absence',
    ['stale answer', 'stale entry until TTL', 'stale row until TTL'],
  ],
  ['existence epoch changed at RELEASE only', { unknownKeys: 'change the epoch at RELEASE' }, 'absence'],
  ['existence epoch without a fence of the register', { existenceIsFenced: false }, 'unknownKeys'],
  ['lookup that a writer does not understand is ignored', { unknownLookups: 'ignores them' }, 'ignorant'],

  ['rows are not validated', { rowsAreValidated: false }, 'leaveReturn'],
  ['places of rows are not validated', { placesAreValidated: false }, 'leaveReturn', answer],
  [
    'incomplete list answered without a row that has left',
    { reloads: 'complete lists' },
    'leaveReturn',
    answer,
  ],
  [
    'complete list answered without a row that has left',
    { reloads: 'incomplete lists' },
    'swap',
    ['rows left out'],
  ],
  [
    'unique key answered without its row that has another',
    { uniqueReloads: false },
    'swap',
    ['rows left out'],
  ],
  ['entry stored without a lease', { leaseIsTaken: 'never' }, 'loads', untilTtl],
  ['lease taken after the load', { leaseIsTaken: 'after the load' }, 'loads', untilTtl],
  ['entries without the existence epoch', { entriesCarryEpoch: false }, 'absence'],
  ['absences without the existence epoch', { absencesCarryEpoch: false }, 'absence'],
  ['existence epoch read after the load', { epochIsRead: 'after the load' }, 'unknownKeys'],

  ['prime without a lease and its mark', { primeNeedsLease: false }, 'primes', ofRows],
  ["mark lost to another's lease", { leaseKeepsMark: false }, 'primes', row],
  [
    'no mark beside other fences, nor when these expire',
    { releaseMarksBesideFences: false, expiredFenceMarks: false },
    'primes',
    answer,
  ],
  ['no mark when a fence expires', { expiredFenceMarks: false }, 'primes', ofRows],
  ['prime under the epoch of a later write', { registerMarks: false }, 'unknownRows', row],
  ['prime of rows that were read longer ago than leaseMs', { primesAreRecent: false }, 'primes', ofRows],

  ['messages drop rows from L1, and no entries', { messagesDropEntries: false }, 'l1Warm'],
  ['entry put into L1 without a check of the clock', { l1ChecksClock: false }, 'l1'],
  ['rows of a load left in L1 as they were', { l1DropsWhatIsNotPut: false }, 'l1Warm', answer],

  ['`available`: rows bypassed, and no entries', { outageBypasses: 'rows' }, 'outage', answer],

  ['lookups described after the cache has stored entries', { describes: 'after it stores' }, 'deploy'],
  ["catalogue's version asked before FENCE, not beside it", { writersAsk: 'before FENCE' }, 'deploy'],
]

/** What the protocol assumes, or does not promise, and what happens there. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['fences evicted between FENCE and COMMIT', { 'eviction of fences': 1 }, 'loads', untilTtl],
  ['guards evicted where rows are primed', { 'eviction of a guard': 1 }, 'primes', row],
  ['rows of one list that are read at different moments', {}, 'exchange', ['list of no moment']],
]
