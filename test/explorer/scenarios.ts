import type { Promised, Scenario, ScenarioPod } from './scenario.ts'

const L1_PROMISES: readonly Promised[] = ['read your writes', 'monotonic reads', 'fresh after delivery']

/** Pods of one fingerprint that may begin so many reads each. */
const reading = (...reads: number[]): ScenarioPod[] => reads.map((most) => ({ fingerprint: 0, reads: most }))

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
export const scenarios = {
  faults: {
    name: 'two writers, readers, a crash',
    pods: reading(2, 1),
    readsAtOnce: 2,
    writers: [0, 1],
    faults: { crash: 1, 'lease expiry': 1, 'eviction of the value': 1 },
  },
  lateCommands: {
    name: 'commands that run late or twice',
    pods: reading(2, 1),
    writers: [0],
    faults: { crash: 1, 'lease expiry': 1, 'late command': 2 },
  },
  unknownEnds: {
    name: 'writes whose end is unknown',
    pods: reading(2, 1),
    readsAtOnce: 2,
    writers: [0, 1],
    faults: { 'unknown end': 2 },
  },
  sharedConnections: {
    name: 'loads on the connection of an open transaction',
    pods: reading(2, 1),
    writers: [0, 1],
    sharedConnection: true,
    faults: { 'lease expiry': 1 },
  },
  primes: {
    name: 'rows that are primed, beside writes',
    pods: reading(1),
    writers: [0, 0],
    primes: 1,
    faults: { crash: 1, 'lease expiry': 1 },
  },
  modelWrites: {
    name: 'writes to the whole model, which run late or twice',
    pods: reading(2),
    writers: [0, 0],
    writesModel: true,
    faults: { 'late command': 1 },
  },
  modelPrimes: {
    name: 'rows that are primed, beside a write to the whole model',
    pods: reading(2),
    readsAtOnce: 1,
    writers: [0],
    writesModel: true,
    primes: 1,
    faults: { crash: 1 },
  },
  staleRows: {
    name: 'soft expiry, and stale rows while another process loads',
    pods: reading(2, 1),
    writers: [0],
    warm: true,
    faults: { crash: 1, 'lease expiry': 1, 'soft expiry': 1 },
  },
  lostFences: {
    name: 'fences evicted, and FLUSHALL',
    pods: reading(2, 1),
    readsAtOnce: 2,
    writers: [0, 1],
    faults: { 'eviction of fences': 1, FLUSHALL: 1 },
    promises: [],
  },
  promotion: {
    name: 'a promoted replica without the last commands',
    pods: reading(2, 1),
    readsAtOnce: 2,
    writers: [0],
    warm: true,
    faults: { promotion: 1, crash: 1, 'lease expiry': 1 },
  },
  modelPromotion: {
    name: 'a promoted replica, writes to the whole model',
    pods: reading(2),
    writers: [0],
    writesModel: true,
    warm: true,
    faults: { promotion: 1, crash: 1 },
  },
  coalescedLoads: {
    name: 'coalesced loads, a write elsewhere',
    pods: reading(3, 1),
    readsAtOnce: 2,
    writers: [1],
    faults: { 'lease expiry': 1, 'eviction of the value': 1 },
    promises: ['read your writes', 'monotonic reads'],
  },
  l1: {
    name: 'L1 on two pods, messages lost or reordered',
    pods: reading(1, 2),
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    warm: true,
    faults: { crash: 1, 'lost message': 1, 'reordered message': 1 },
    promises: L1_PROMISES,
  },
  l1Own: {
    name: 'L1 in the process that writes',
    pods: reading(3),
    writers: [0],
    l1: true,
    faults: { 'lease expiry': 1, 'eviction of the value': 1 },
    promises: L1_PROMISES,
  },
  l1Subscription: {
    name: 'L1, a subscription lost',
    pods: reading(0, 3),
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    warm: true,
    faults: { 'lost subscription': 1 },
    promises: L1_PROMISES,
  },
  l1LostFences: {
    name: 'L1, fences evicted',
    pods: reading(2, 1),
    readsAtOnce: 2,
    writers: [0],
    l1: true,
    faults: { 'eviction of fences': 1 },
    promises: [],
  },
  l1SlowMessages: {
    name: 'L1, two writers elsewhere, messages slow',
    pods: reading(0, 3),
    readsAtOnce: 2,
    writers: [0, 0],
    l1: true,
    slowMessages: true,
    faults: {},
    promises: ['monotonic reads'],
  },
  hotRows: {
    name: 'L1 of hot rows, messages lost',
    pods: reading(0, 3),
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
  },
  outage: {
    name: 'available: FENCE fails, the writer goes on',
    pods: reading(2, 2),
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
