import type { Limit, Mutant } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

/** The protocol with one rule broken: of checks, of the server check, of new epochs, of clusters. */
export const mutants: readonly Mutant<Rules, Fault, ScenarioKey, Breach>[] = [
  ['no check when a process connects again', { checks: 'only the first one' }, 'single'],
  ['check after the first read of a connection', { checks: 'after the first read' }, 'single'],
  ['server check renewed on a connection that was not checked', { renews: 'any connection' }, 'heartbeats'],
  ['server check by the clock of the client', { clock: 'of the client' }, 'heartbeats'],
  ['replication id alone', { needsRunOrTime: false }, 'single'],
  [
    'run_id alone: a failover costs all rows',
    { laterTimeCounts: false },
    'healthy',
    ['cold after a failover'],
  ],
  ['run_id or time, without the replication id', { runNeedsHistory: false, timeNeedsHistory: false }, 'pair'],
  ['time without the replication id', { timeNeedsHistory: false }, 'pair'],
  ['run_id without the replication id', { runNeedsHistory: false }, 'twoFailovers'],
  ['time without a margin for clocks', { timeHasMargin: false }, 'pair'],
  ['rows stored at once under a new epoch', { newEpochWaits: false }, 'single'],
  ['node of a cluster checked only once', { checksNodes: 'only the first one' }, 'cluster'],
  ['epoch read before the check of a node', { epochIsReadAfterCheck: false }, 'cluster'],
  [
    'new epoch that the replica of the catalogue does not have',
    { newEpochIsAcknowledged: false },
    'clusterCatalogue',
  ],
  [
    "server check of a node by the clock of the catalogue's node",
    { clock: 'of the server that has the catalogue' },
    'clusterHeartbeats',
  ],
]

/** What the protocol assumes, and what happens where that is not so. */
export const limits: readonly Limit<Rules, Fault, ScenarioKey, Breach>[] = [
  ['fences that the promoted replica does not have', {}, 'pair', { rules: { fencesAreAcknowledged: false } }],
  [
    'a server whose clock is slow by more than the margin when it starts',
    {},
    'single',
    { rules: { startsWithRightClock: false } },
  ],
  ['a server that is rolled back with its memory', { restart: 0, 'memory rolled back': 1 }, 'single'],
  [
    'connections that outlive a failover and the next one',
    { failover: 0, 'failover behind connections': 2 },
    'twoFailovers',
  ],
]
