import type { Variation } from './variation.ts'

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Variation[] = [
  {
    name: 'a register evicted between FENCE and COMMIT',
    scenario: 'evicted',
    breaches: ['stale result'],
  },
  {
    name: 'a register evicted between FENCE and COMMIT, and a crash before RELEASE',
    faults: { crash: 1 },
    scenario: 'evicted',
    breaches: ['stale until TTL'],
  },
  {
    name: 'a scope: the fences of a marker evicted between FENCE and COMMIT',
    faults: { 'eviction of fences': 1 },
    scenario: 'scoped',
    breaches: ['stale result', 'stale until TTL'],
  },
  {
    name: 'in a cluster: a result whose statements are of different moments, loaded while it is read',
    scenario: 'cluster',
    breaches: ['result of no moment'],
  },
]
