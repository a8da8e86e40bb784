import type { Variation } from './variation.ts'

/** What the protocol assumes, or does not promise, and what happens there. */
export const limits: readonly Variation[] = [
  {
    name: 'guards evicted where rows are primed',
    faults: { 'eviction of the guard': 1 },
    scenario: 'primes',
    breaches: ['stale until TTL'],
  },
  {
    name: 'a failover of the store that loses an invalidation',
    faults: { 'lost invalidation': 1 },
    scenario: 'plain',
    breaches: ['stale until TTL'],
  },
]
