import type { Limit, Mutant } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

const result: readonly Breach[] = ['stale result']
const untilTtl: readonly Breach[] = ['stale until TTL']

/** The protocol with one rule broken: of epochs, of stale results, of scopes. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ["one model's epoch left out", { compares: 'what it has of the first part' }, 'two'],
  ['epochs read after the load', { epochsAreRead: 'after the load' }, 'two'],
  ['stored, and served, under a standing fence', { fencesAreRespected: false }, 'two'],
  ['no new epoch at the fence', { newEpochAtFence: false }, 'two'],
  ['no new epoch at the release', { newEpochAtRelease: false }, 'evicted', untilTtl],
  ['RELEASE that brings its first epoch back when it runs twice', { epochsNeverComeBack: false }, 'late'],
  ['RELEASE after an unknown end', { unknownEndHolds: false }, 'unknown'],
  ['stored under a young register', { lossIsAwaited: false }, 'loss'],
  [
    'invalidation that removes what is stored, and keeps the epoch',
    { invalidation: 'removal of what is stored' },
    'outside',
  ],
  ['result past its ttl served after a write has ended it', { expiredMustCount: false }, 'stale', result],
  [
    'result past its ttl served in place of an error, by a process that has no epochs',
    { unknownEpochsDiffer: false },
    'stale',
    result,
  ],
  ['a scope: only the values that rows have after the write', { fencedValues: 'have' }, 'scoped'],
  [
    'a scope: only the entries that rows join, as for lists',
    { fencedValues: 'those of lists that rows join' },
    'scopedUpdate',
  ],
  ['a scope: marker stored under a standing fence', { markersRespectFences: false }, 'scoped'],
  ['a scope: marker stored again with the same nonce', { noncesDiffer: false }, 'scopedUpdate', untilTtl],
  ['a scope: markers without the epoch of the register', { markersHaveEpoch: false }, 'scopedUpdate'],
  ['a scope: nonce read after the load', { epochsAreRead: 'after the load' }, 'scoped', untilTtl],
]

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['a register evicted between FENCE and COMMIT', {}, 'evicted', result],
  [
    'a register evicted between FENCE and COMMIT, and a crash before RELEASE',
    { crash: 1 },
    'evicted',
    untilTtl,
  ],
  ['a scope: the fences of a marker evicted between FENCE and COMMIT', { 'eviction of fences': 1 }, 'scoped'],
  [
    'in a cluster: a result whose statements are of different moments, loaded while it is read',
    {},
    'cluster',
    ['result of no moment'],
  ],
]
