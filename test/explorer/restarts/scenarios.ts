import { type ScenarioRow, scenariosOf } from '../explorations.ts'
import { margin, type Scenario } from './scenario.ts'

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
const rows = {
  single: [
    'a server restarts twice, from either of two snapshots',
    { clocks: [[0]], reads: [2, 1], writers: [1] },
    { snapshot: 2, restart: 2 },
  ],
  heartbeats: [
    'a server restarts, beside heartbeats',
    { clocks: [[0]], reads: [2, 0], writers: [1], until: 3 },
    { snapshot: 1, restart: 1 },
  ],
  healthy: [
    'a replica that kept running is promoted',
    {
      clocks: [[0, margin]],
      reads: [2, 0],
      writers: [1],
      until: 2,
      promises: ['stale after COMMIT', 'cold after a failover'],
    },
    { failover: 1 },
  ],
  pair: [
    'primary or replica restarts, and the replica is promoted',
    { clocks: [[margin, 0]], reads: [2], writers: [0], until: 1 },
    { snapshot: 1, restart: 1, failover: 1 },
  ],
  twoFailovers: [
    'primary or replica restarts, and two failovers',
    { clocks: [[0, margin]], reads: [2], writers: [0] },
    { snapshot: 1, restart: 1, failover: 2 },
  ],
  cluster: [
    'a cluster: either of two nodes restarts',
    { clocks: [[0], [0]], reads: [1, 1], writers: [1] },
    { snapshot: 1, restart: 1 },
  ],
  clusterTwice: [
    'a cluster: two restarts of either of two nodes',
    { clocks: [[0], [0]], reads: [2], writers: [0] },
    { snapshot: 2, restart: 2 },
  ],
  clusterHeartbeats: [
    'a cluster: a node restarts, beside heartbeats that are late',
    { clocks: [[0], [0]], reads: [1], writers: [0], until: 2 },
    { snapshot: 1, restart: 1 },
  ],
  clusterCatalogue: [
    'a cluster: the node of the catalogue has a replica',
    { clocks: [[0, margin], [0]], reads: [2], writers: [0] },
    { snapshot: 1, restart: 1, failover: 1 },
  ],
  clusterRow: [
    'a cluster: the node of the row has a replica',
    { clocks: [[margin], [margin, 0]], reads: [1], writers: [0] },
    { snapshot: 1, restart: 1, failover: 1 },
  ],
} satisfies Record<string, ScenarioRow<Scenario>>

export type ScenarioKey = keyof typeof rows
export const scenarios = scenariosOf<ScenarioKey, Scenario>(rows)

/** With one more fault of each kind, and two reads in flight at a time. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  readsAtOnce: 2,
  faults: Object.fromEntries(Object.entries(scenario.faults).map(([fault, times]) => [fault, times + 1])),
})
