import type { Variation } from './variation.ts'

/** What the protocol assumes, or does not promise, and what happens there. */
export const limits: readonly Variation[] = [
  {
    name: 'fences evicted between FENCE and COMMIT',
    faults: { 'eviction of fences': 1 },
    scenario: 'loads',
    breaches: ['stale entry until TTL'],
  },
  {
    name: 'guards evicted where rows are primed',
    faults: { 'eviction of a guard': 1 },
    scenario: 'primes',
    breaches: ['stale row until TTL'],
  },
  {
    name: 'rows of one list that are read at different moments',
    scenario: 'exchange',
    breaches: ['list of no moment'],
  },
]
