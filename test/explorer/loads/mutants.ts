import type { Variation } from './variation.ts'

/** The protocol with one rule broken. */
export const mutants: readonly Variation[] = [
  {
    name: 'nested loads take permits',
    rules: { nestedNeedNoPermit: false },
    scenario: 'ring',
    breaches: ['stuck'],
  },
  {
    name: 'nested reads wait for a load that waits for a permit',
    rules: { queuedAreTakenAlong: false },
    scenario: 'chain',
    breaches: ['stuck'],
  },
  {
    name: 'calls wait for each other',
    rules: { avoidsCircles: 'never' },
    scenario: 'crosswise',
    breaches: ['stuck'],
  },
  {
    name: 'circles are seen between two calls only',
    rules: { avoidsCircles: 'of two calls' },
    scenario: 'through',
    breaches: ['stuck'],
  },
  {
    name: 'only the first caller of a row is known to wait for it',
    rules: { waitsAreNoted: 'of the first caller' },
    scenario: 'together',
    breaches: ['stuck'],
  },
  {
    name: 'calls that join a load are not known to wait for it',
    rules: { joinedWaitsAreNoted: false },
    scenario: 'crosswise',
    breaches: ['stuck'],
  },
  {
    name: 'a row that a call around loads fails, whatever else the call loads',
    rules: { sharedRowsAreLoadedAgain: false },
    scenario: 'shared',
    breaches: ['refused although it does not need itself'],
  },
  {
    name: 'as many rows are loaded again as the call around has',
    rules: { againLoadsFewerRows: false },
    scenario: 'circle',
    breaches: ['endless calls'],
  },
  {
    name: 'a row that needs itself is loaded again and again',
    rules: { rowsThatNeedThemselvesFail: false },
    scenario: 'itself',
    breaches: ['endless calls'],
  },
  {
    name: 'one cache takes all permits',
    rules: { cachesSharePermits: false },
    scenario: 'hanging',
    breaches: ['stuck beside a source that hangs'],
  },
  {
    name: 'loads without a deadline',
    rules: { loadsHaveDeadline: false },
    scenario: 'hanging',
    breaches: ['stuck for ever'],
  },
]
