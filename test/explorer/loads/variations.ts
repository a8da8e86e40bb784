import type { Limit, Mutant } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

/** The protocol with one rule broken. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['nested loads take permits', { nestedNeedNoPermit: 'never' }, 'ring'],
  [
    'loads that are nested in one for which nobody waits take permits',
    { nestedNeedNoPermit: 'while somebody waits for them' },
    'outlived',
  ],
  ['nested reads wait for a load that waits for a permit', { queuedAreTakenAlong: false }, 'chain'],
  ['calls wait for each other', { avoidsCircles: 'never' }, 'crosswise'],
  ['circles are seen between two calls only', { avoidsCircles: 'of two calls' }, 'through'],
  [
    'only the first caller of a row is known to wait for it',
    { waitsAreNoted: 'of the first caller' },
    'together',
  ],
  ['calls that join a load are not known to wait for it', { joinedWaitsAreNoted: false }, 'crosswise'],
  [
    'a row that a call around loads fails, whatever else the call loads',
    { sharedRowsAreLoadedAgain: false },
    'shared',
    ['refused although it does not need itself'],
  ],
  [
    'as many rows are loaded again as the call around has',
    { againLoadsFewerRows: false },
    'circle',
    ['endless calls'],
  ],
  [
    'a row that needs itself is loaded again and again',
    { rowsThatNeedThemselvesFail: false },
    'itself',
    ['endless calls'],
  ],
  [
    'one cache takes all permits',
    { cachesSharePermits: false },
    'hanging',
    ['stuck beside a source that hangs'],
  ],
  [
    'reads of a nested load end with the call around it, whoever else waits for it',
    { readsEnd: 'with the call around' },
    'outlived',
    ['refused with another load'],
  ],
  ['loads without a deadline', { loadsHaveDeadline: false }, 'hanging', ['stuck for ever']],
]

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  [
    'a library that loses the asynchronous context of nested reads',
    {},
    'ring',
    { rules: { contextIsKept: false } },
  ],
]
