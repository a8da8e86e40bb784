import type { Breach } from './model.ts'
import type { Part, Scenario } from './scenario.ts'

/** Of answers of several nodes, each of a moment of its own. */
const inCluster: readonly Breach[] = ['stale result', 'stale until TTL']

const item: Part = { name: 'items', register: 0 }
const order: Part = { name: 'orders', register: 1 }
/** Orders of one user. */
const own: Part = { name: 'orders of user 1', register: 0, isScoped: true }
const user: Part = { name: 'users', register: 1 }

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
export const scenarios = {
  two: {
    name: 'two models, two writers, a crash',
    parts: [item, order],
    writers: [{ changes: [0, 1] }, { changes: [1] }],
    reads: 2,
    faults: { crash: 1 },
  },
  unknown: {
    name: 'writes whose end is unknown',
    parts: [item, order],
    writers: [{ changes: [0] }, { changes: [0, 1] }],
    reads: 2,
    faults: { 'unknown end': 2 },
  },
  late: {
    name: 'commands that run late or twice',
    parts: [item, order],
    writers: [{ changes: [0] }, { changes: [0] }],
    reads: 2,
    faults: { crash: 1, 'late command': 1 },
  },
  cluster: {
    name: 'a cluster: the result and both registers on nodes of their own',
    parts: [item, order],
    writers: [{ changes: [0, 1] }],
    reads: 3,
    isCluster: true,
    promises: inCluster,
  },
  loss: {
    name: 'the store restarts empty',
    parts: [item, order],
    writers: [{ changes: [0] }, { changes: [1] }],
    reads: 2,
    faults: { 'loss of the store': 1, crash: 1 },
  },
  outside: {
    name: 'writes outside, beside a writer',
    parts: [item, order],
    writers: [{ changes: [0], isOutside: true }, { changes: [0, 1] }],
    reads: 3,
  },
  stale: {
    name: 'soft expiry, and loads that fail',
    parts: [item, order],
    writers: [{ changes: [0, 1] }],
    reads: 3,
    hasNewcomers: true,
    faults: { 'soft expiry': 1, 'failed load': 1, crash: 1 },
  },
  evicted: {
    name: 'a register evicted with its fences',
    parts: [item, order],
    writers: [{ changes: [0] }, { changes: [1] }],
    reads: 2,
    faults: { 'eviction of a register': 1 },
    promises: ['stale until TTL'],
  },
  scoped: {
    name: 'a scope: rows that leave and join its value',
    parts: [own, user],
    writers: [
      { changes: [0], how: 'leaves' },
      { changes: [0], how: 'joins' },
    ],
    reads: 2,
    faults: { crash: 1 },
  },
  scopedUpdate: {
    name: 'a scope: a row of its value is updated, and a writer knows nothing of its rows',
    parts: [own],
    writers: [{ changes: [0] }, { changes: [0], isBlind: true }],
    reads: 2,
    faults: { crash: 1, 'eviction of a marker': 1 },
  },
  scopedUnknown: {
    name: 'a scope: late commands, and an end that is unknown',
    parts: [own],
    writers: [{ changes: [0] }, { changes: [0] }],
    reads: 2,
    faults: { 'unknown end': 1, 'late command': 1 },
  },
  scopedCluster: {
    name: 'a scope in a cluster: result, marker and register on nodes of their own',
    parts: [own],
    writers: [{ changes: [0], isBlind: true }, { changes: [0] }],
    reads: 2,
    isCluster: true,
    promises: inCluster,
  },
  scopedLoss: {
    name: 'a scope: the store restarts empty',
    parts: [own],
    writers: [{ changes: [0] }, { changes: [0] }],
    reads: 2,
    faults: { 'loss of the store': 1, 'eviction of a marker': 1 },
  },
} satisfies Record<string, Scenario>

export type ScenarioKey = keyof typeof scenarios

/** With one more read, and three in flight at a time. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  reads: scenario.reads + 1,
  readsAtOnce: 3,
})
