import type { Variation } from './variation.ts'

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Variation[] = [
  {
    name: 'fences that the promoted replica does not have',
    rules: { fencesAreAcknowledged: false },
    scenario: 'pair',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'a server whose clock is slow by more than the margin when it starts',
    rules: { startsWithRightClock: false },
    scenario: 'single',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'a server that is rolled back with its memory',
    faults: { restart: 0, 'memory rolled back': 1 },
    scenario: 'single',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'connections that outlive a failover and the next one',
    faults: { failover: 0, 'failover behind connections': 2 },
    scenario: 'twoFailovers',
    breaches: ['stale after COMMIT'],
  },
]
