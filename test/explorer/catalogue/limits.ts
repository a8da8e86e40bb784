import type { Variation } from './variation.ts'

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Variation[] = [
  {
    name: 'FLUSHALL between FENCE and COMMIT',
    faults: { FLUSHALL: 1, crash: 0 },
    scenario: 'worker',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'FLUSHALL while a cache joins',
    faults: { FLUSHALL: 1, 'eviction of the hash': 0 },
    scenario: 'newerLost',
    breaches: ['stale until TTL'],
    takesLong: true,
  },
  {
    name: 'hash and epoch key both lost while a cache joins',
    faults: { 'eviction of the hash': 1, 'eviction of the epoch key': 1 },
    scenario: 'newerLost',
    breaches: ['stale until TTL'],
    takesLong: true,
  },
  {
    name: 'register evicted while a fence in it closes the cache',
    faults: { 'eviction of the register': 1, crash: 0 },
    scenario: 'unknown',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'the clock of the server leaps between FENCE and COMMIT',
    faults: { 'leap of the clock during a write': 1 },
    scenario: 'leap',
    breaches: ['stale after COMMIT'],
  },
  {
    name: '`available`: reads elsewhere until the store answers again',
    scenario: 'outage',
    breaches: ['stale after COMMIT'],
  },
  {
    name: '`available`: a crash before the store answers again',
    faults: { crash: 1 },
    scenario: 'outage',
    breaches: ['stale until TTL'],
  },
]
