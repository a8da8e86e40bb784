import type { Variation } from './variation.ts'

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Variation[] = [
  {
    name: 'a COMMIT that takes longer than `fenceMs`',
    rules: { fenceOutlastsCommit: false },
    scenario: 'faults',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: 'fences evicted between FENCE and COMMIT',
    scenario: 'lostFences',
    breaches: ['transient stale'],
  },
  {
    name: 'fences evicted between FENCE and COMMIT, and a crash before RELEASE',
    faults: { crash: 1 },
    scenario: 'lostFences',
    breaches: ['stale until TTL'],
  },
  {
    name: 'FLUSHALL during a rolling deploy',
    faults: { FLUSHALL: 1 },
    scenario: 'deployTwoWriters',
    breaches: ['stale after deploy'],
  },
  {
    name: 'a replica of Valkey that takes its place without a fence, which `consistency.replicas` prevents',
    rules: { fencesAreAcknowledged: false },
    scenario: 'promotion',
    breaches: ['transient stale', 'stale until TTL'],
  },
  {
    name: '`available`: FENCE fails, reads elsewhere until it is retried',
    scenario: 'outage',
    breaches: ['transient stale'],
  },
  {
    name: '`available`: FENCE fails, and a crash before it is retried',
    faults: { crash: 1 },
    scenario: 'outage',
    breaches: ['stale until TTL'],
  },
  {
    name: 'L1 of another process until the message arrives',
    scenario: 'l1',
    breaches: ['transient stale'],
  },
]
