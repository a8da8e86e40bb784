import type { Promised, Scenario } from './scenario.ts'

const L1_PROMISES: readonly Promised[] = ['read your writes', 'monotonic reads', 'fresh after delivery']

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
export const scenarios = {
  faults: {
    name: 'two writers, readers, a crash',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [0, 1],
    faults: { crash: 1, 'lease expiry': 1, 'eviction of the value': 1 },
    promises: ['fresh after COMMIT'],
  },
  lateCommands: {
    name: 'commands that run late or twice',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    writers: [0],
    faults: { crash: 1, 'lease expiry': 1, 'late command': 2 },
    promises: ['fresh after COMMIT'],
  },
  unknownEnds: {
    name: 'writes whose end is unknown',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [0, 1],
    faults: { 'unknown end': 2 },
    promises: ['fresh after COMMIT'],
  },
  sharedConnections: {
    name: 'loads on the connection of an open transaction',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    writers: [0, 1],
    sharedConnection: true,
    faults: { 'lease expiry': 1 },
    promises: ['fresh after COMMIT'],
  },
  primes: {
    name: 'rows that are primed, beside writes',
    pods: [{ fingerprint: 0, reads: 1 }],
    writers: [0, 0],
    primes: 1,
    faults: { crash: 1, 'lease expiry': 1 },
    promises: ['fresh after COMMIT'],
  },
  modelWrites: {
    name: 'writes to the whole model, which run late or twice',
    pods: [{ fingerprint: 0, reads: 2 }],
    writers: [0, 0],
    writesModel: true,
    faults: { 'late command': 1 },
    promises: ['fresh after COMMIT'],
  },
  modelPrimes: {
    name: 'rows that are primed, beside a write to the whole model',
    pods: [{ fingerprint: 0, reads: 2 }],
    readsAtOnce: 1,
    writers: [0],
    writesModel: true,
    primes: 1,
    faults: { crash: 1 },
    promises: ['fresh after COMMIT'],
  },
  staleRows: {
    name: 'soft expiry, and stale rows while another process loads',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    writers: [0],
    warm: true,
    faults: { crash: 1, 'lease expiry': 1, 'soft expiry': 1 },
    promises: ['fresh after COMMIT'],
  },
  lostFences: {
    name: 'fences evicted, and FLUSHALL',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [0, 1],
    faults: { 'eviction of fences': 1, FLUSHALL: 1 },
    promises: [],
  },
  promotion: {
    name: 'a promoted replica without the last commands',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [0],
    warm: true,
    faults: { promotion: 1, crash: 1, 'lease expiry': 1 },
    promises: ['fresh after COMMIT'],
  },
  modelPromotion: {
    name: 'a promoted replica, writes to the whole model',
    pods: [{ fingerprint: 0, reads: 2 }],
    writers: [0],
    writesModel: true,
    warm: true,
    faults: { promotion: 1, crash: 1 },
    promises: ['fresh after COMMIT'],
  },
  coalescedLoads: {
    name: 'coalesced loads, a write elsewhere',
    pods: [
      { fingerprint: 0, reads: 3 },
      { fingerprint: 0, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [1],
    faults: { 'lease expiry': 1, 'eviction of the value': 1 },
    promises: ['read your writes', 'monotonic reads'],
  },
  l1: {
    name: 'L1 on two pods, messages lost or reordered',
    pods: [
      { fingerprint: 0, reads: 1 },
      { fingerprint: 0, reads: 2 },
    ],
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    warm: true,
    faults: { crash: 1, 'lost message': 1, 'reordered message': 1 },
    promises: L1_PROMISES,
  },
  l1Own: {
    name: 'L1 in the process that writes',
    pods: [{ fingerprint: 0, reads: 3 }],
    writers: [0],
    l1: true,
    faults: { 'lease expiry': 1, 'eviction of the value': 1 },
    promises: L1_PROMISES,
  },
  l1Subscription: {
    name: 'L1, a subscription lost',
    pods: [
      { fingerprint: 0, reads: 0 },
      { fingerprint: 0, reads: 3 },
    ],
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    warm: true,
    faults: { 'lost subscription': 1 },
    promises: L1_PROMISES,
  },
  l1LostFences: {
    name: 'L1, fences evicted',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    faults: { 'eviction of fences': 1 },
    promises: [],
  },
  l1SlowMessages: {
    name: 'L1, two writers elsewhere, messages slow',
    pods: [
      { fingerprint: 0, reads: 0 },
      { fingerprint: 0, reads: 3 },
    ],
    readsAtOnce: 2,
    writers: [0, 0],
    l1: true,
    slowMessages: true,
    faults: {},
    promises: ['monotonic reads'],
  },
  hotRows: {
    name: 'L1 of hot rows, messages lost',
    pods: [
      { fingerprint: 0, reads: 0 },
      { fingerprint: 0, reads: 3 },
    ],
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    hot: true,
    warm: true,
    faults: { crash: 1, heating: 1, 'lost message': 1 },
    promises: L1_PROMISES,
  },
  deploy: {
    name: 'rolling deploy: a new fingerprint',
    pods: [
      { fingerprint: 0, reads: 1 },
      { fingerprint: 1, reads: 2, live: false },
    ],
    readsAtOnce: 2,
    writers: [0],
    faults: { crash: 1, 'lease expiry': 1 },
    promises: ['fresh after COMMIT'],
  },
  deployTwoWriters: {
    name: 'rolling deploy: writers on both sides',
    pods: [
      { fingerprint: 0, reads: 1 },
      { fingerprint: 1, reads: 1, live: false },
    ],
    readsAtOnce: 2,
    writers: [0, 1],
    faults: {},
    promises: ['fresh after COMMIT'],
  },
  rollback: {
    name: 'rolled back: the old fingerprint stops and returns',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 1, reads: 1 },
    ],
    readsAtOnce: 2,
    writers: [1],
    warm: true,
    faults: { stop: 1, 'eviction of the value': 1 },
    promises: ['fresh after COMMIT'],
  },
  outage: {
    name: 'available: FENCE fails, the writer goes on',
    pods: [
      { fingerprint: 0, reads: 2 },
      { fingerprint: 0, reads: 2 },
    ],
    writers: [0],
    warm: true,
    faults: { outage: 1 },
    promises: ['read your writes'],
  },
} satisfies Record<string, Scenario>

export type ScenarioKey = keyof typeof scenarios

/** With one more read on the last pod, and three of all in flight at a time. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  readsAtOnce: 3,
  pods: scenario.pods.map((pod, i) =>
    i === scenario.pods.length - 1 ? { ...pod, reads: pod.reads + 1 } : pod,
  ),
})
