import { type ScenarioRow, scenariosOf } from '../explorations.ts'
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
const rows = {
  two: [
    'two models, two writers, a crash',
    { parts: [item, order], writers: [{ changes: [0, 1] }, { changes: [1] }], reads: 2 },
    { crash: 1 },
  ],
  unknown: [
    'writes whose end is unknown',
    { parts: [item, order], writers: [{ changes: [0] }, { changes: [0, 1] }], reads: 2 },
    { 'unknown end': 2 },
  ],
  late: [
    'commands that run late or twice',
    { parts: [item, order], writers: [{ changes: [0] }, { changes: [0] }], reads: 2 },
    { crash: 1, 'late command': 1 },
  ],
  cluster: [
    'a cluster: the result and both registers on nodes of their own',
    { parts: [item, order], writers: [{ changes: [0, 1] }], reads: 3, isCluster: true, promises: inCluster },
  ],
  loss: [
    'the store restarts empty',
    { parts: [item, order], writers: [{ changes: [0] }, { changes: [1] }], reads: 2 },
    { 'loss of the store': 1, crash: 1 },
  ],
  outside: [
    'writes outside, beside a writer',
    { parts: [item, order], writers: [{ changes: [0], isOutside: true }, { changes: [0, 1] }], reads: 3 },
  ],
  stale: [
    'soft expiry, and loads that fail',
    { parts: [item, order], writers: [{ changes: [0, 1] }], reads: 3, hasNewcomers: true },
    { 'soft expiry': 1, 'failed load': 1, crash: 1 },
  ],
  evicted: [
    'a register evicted with its fences',
    {
      parts: [item, order],
      writers: [{ changes: [0] }, { changes: [1] }],
      reads: 2,
      promises: ['stale until TTL'],
    },
    { 'eviction of a register': 1 },
  ],
  scoped: [
    'a scope: rows that leave and join its value',
    {
      parts: [own, user],
      writers: [
        { changes: [0], how: 'leaves' },
        { changes: [0], how: 'joins' },
      ],
      reads: 2,
    },
    { crash: 1 },
  ],
  scopedUpdate: [
    'a scope: a row of its value is updated, and a writer knows nothing of its rows',
    { parts: [own], writers: [{ changes: [0] }, { changes: [0], isBlind: true }], reads: 2 },
    { crash: 1, 'eviction of a marker': 1 },
  ],
  scopedUnknown: [
    'a scope: late commands, and an end that is unknown',
    { parts: [own], writers: [{ changes: [0] }, { changes: [0] }], reads: 2 },
    { 'unknown end': 1, 'late command': 1 },
  ],
  scopedCluster: [
    'a scope in a cluster: result, marker and register on nodes of their own',
    {
      parts: [own],
      writers: [{ changes: [0], isBlind: true }, { changes: [0] }],
      reads: 2,
      isCluster: true,
      promises: inCluster,
    },
  ],
  scopedLoss: [
    'a scope: the store restarts empty',
    { parts: [own], writers: [{ changes: [0] }, { changes: [0] }], reads: 2 },
    { 'loss of the store': 1, 'eviction of a marker': 1 },
  ],
} satisfies Record<string, ScenarioRow<Scenario>>

export type ScenarioKey = keyof typeof rows
export const scenarios = scenariosOf<ScenarioKey, Scenario>(rows)

/** With one more read, and three in flight at a time. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  reads: scenario.reads + 1,
  readsAtOnce: 3,
})
