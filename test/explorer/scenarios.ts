import { type ScenarioRow, scenariosOf } from './explorations.ts'
import type { Promised, Scenario, ScenarioPod } from './scenario.ts'

const L1_PROMISES: readonly Promised[] = ['read your writes', 'monotonic reads', 'fresh after delivery']

/** Pods of one fingerprint that may begin so many reads each. */
const reading = (...reads: number[]): ScenarioPod[] => reads.map((most) => ({ fingerprint: 0, reads: most }))
/** A pod of the next fingerprint. */
const ofNext = (reads: number, live = false): ScenarioPod => ({ fingerprint: 1, reads, live })

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
const rows = {
  faults: [
    'two writers, readers, a crash',
    { pods: reading(2, 1), readsAtOnce: 2, writers: [0, 1] },
    { crash: 1, 'lease expiry': 1, 'eviction of the value': 1 },
  ],
  lateCommands: [
    'commands that run late or twice',
    { pods: reading(2, 1), writers: [0] },
    { crash: 1, 'lease expiry': 1, 'late command': 2 },
  ],
  unknownEnds: [
    'writes whose end is unknown',
    { pods: reading(2, 1), readsAtOnce: 2, writers: [0, 1] },
    { 'unknown end': 2 },
  ],
  sharedConnections: [
    'loads on the connection of an open transaction',
    { pods: reading(2, 1), writers: [0, 1], sharedConnection: true },
    { 'lease expiry': 1 },
  ],
  primes: [
    'rows that are primed, beside writes',
    { pods: reading(1), writers: [0, 0], primes: 1 },
    { crash: 1, 'lease expiry': 1 },
  ],
  modelWrites: [
    'writes to the whole model, which run late or twice',
    { pods: reading(2), writers: [0, 0], writesModel: true },
    { 'late command': 1 },
  ],
  modelPrimes: [
    'rows that are primed, beside a write to the whole model',
    { pods: reading(2), readsAtOnce: 1, writers: [0], writesModel: true, primes: 1 },
    { crash: 1 },
  ],
  staleRows: [
    'soft expiry, and stale rows while another process loads',
    { pods: reading(2, 1), writers: [0], warm: true },
    { crash: 1, 'lease expiry': 1, 'soft expiry': 1 },
  ],
  lostFences: [
    'fences evicted, and FLUSHALL',
    { pods: reading(2, 1), readsAtOnce: 2, writers: [0, 1], promises: [] },
    { 'eviction of fences': 1, FLUSHALL: 1 },
  ],
  promotion: [
    'a promoted replica without the last commands',
    { pods: reading(2, 1), readsAtOnce: 2, writers: [0], warm: true },
    { promotion: 1, crash: 1, 'lease expiry': 1 },
  ],
  modelPromotion: [
    'a promoted replica, writes to the whole model',
    { pods: reading(2), writers: [0], writesModel: true, warm: true },
    { promotion: 1, crash: 1 },
  ],
  coalescedLoads: [
    'coalesced loads, a write elsewhere',
    { pods: reading(3, 1), readsAtOnce: 2, writers: [1], promises: ['read your writes', 'monotonic reads'] },
    { 'lease expiry': 1, 'eviction of the value': 1 },
  ],
  l1: [
    'L1 on two pods, messages lost or reordered',
    { pods: reading(1, 2), readsAtOnce: 2, writers: [0], l1: true, warm: true, promises: L1_PROMISES },
    { crash: 1, 'lost message': 1, 'reordered message': 1 },
  ],
  l1Own: [
    'L1 in the process that writes',
    { pods: reading(3), writers: [0], l1: true, promises: L1_PROMISES },
    { 'lease expiry': 1, 'eviction of the value': 1 },
  ],
  l1Subscription: [
    'L1, a subscription lost',
    { pods: reading(0, 3), readsAtOnce: 2, writers: [0], l1: true, warm: true, promises: L1_PROMISES },
    { 'lost subscription': 1 },
  ],
  l1LostFences: [
    'L1, fences evicted',
    { pods: reading(2, 1), readsAtOnce: 2, writers: [0], l1: true, promises: [] },
    { 'eviction of fences': 1 },
  ],
  l1SlowMessages: [
    'L1, two writers elsewhere, messages slow',
    {
      pods: reading(0, 3),
      readsAtOnce: 2,
      writers: [0, 0],
      l1: true,
      slowMessages: true,
      promises: ['monotonic reads'],
    },
  ],
  hotRows: [
    'L1 of hot rows, messages lost',
    {
      pods: reading(0, 3),
      readsAtOnce: 2,
      writers: [0],
      l1: true,
      hot: true,
      warm: true,
      promises: L1_PROMISES,
    },
    { crash: 1, heating: 1, 'lost message': 1 },
  ],
  deploy: [
    'rolling deploy: a new fingerprint',
    { pods: [...reading(1), ofNext(2)], readsAtOnce: 2, writers: [0] },
    { crash: 1, 'lease expiry': 1 },
  ],
  deployTwoWriters: [
    'rolling deploy: writers on both sides',
    { pods: [...reading(1), ofNext(1)], readsAtOnce: 2, writers: [0, 1] },
  ],
  rollback: [
    'rolled back: the old fingerprint stops and returns',
    { pods: [...reading(2), ofNext(1, true)], readsAtOnce: 2, writers: [1], warm: true },
    { stop: 1, 'eviction of the value': 1 },
  ],
  outage: [
    'available: FENCE fails, the writer goes on',
    { pods: reading(2, 2), writers: [0], warm: true, promises: ['read your writes'] },
    { outage: 1 },
  ],
} satisfies Record<string, ScenarioRow<Scenario>>

export type ScenarioKey = keyof typeof rows
export const scenarios = scenariosOf<ScenarioKey, Scenario>(rows)

/** With one more read on the last pod, and three of all in flight at a time. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  readsAtOnce: 3,
  pods: scenario.pods.map((pod, i) =>
    i === scenario.pods.length - 1 ? { ...pod, reads: pod.reads + 1 } : pod,
  ),
})
