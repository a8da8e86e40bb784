import type { Variation } from './variation.ts'

/** The protocol with one rule broken: of checks, of the server check, of new epochs, of clusters. */
export const mutants: readonly Variation[] = [
  {
    name: 'no check when a process connects again',
    rules: { checks: 'only the first one' },
    scenario: 'single',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'check after the first read of a connection',
    rules: { checks: 'after the first read' },
    scenario: 'single',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'server check renewed on a connection that was not checked',
    rules: { renews: 'any connection' },
    scenario: 'heartbeats',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'server check by the clock of the client',
    rules: { clock: 'of the client' },
    scenario: 'heartbeats',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'replication id alone',
    rules: { needsRunOrTime: false },
    scenario: 'single',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'run_id alone: a failover costs all rows',
    rules: { laterTimeCounts: false },
    scenario: 'healthy',
    breaches: ['cold after a failover'],
  },
  {
    name: 'run_id or time, without the replication id',
    rules: { runNeedsHistory: false, timeNeedsHistory: false },
    scenario: 'pair',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'time without the replication id',
    rules: { timeNeedsHistory: false },
    scenario: 'pair',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'run_id without the replication id',
    rules: { runNeedsHistory: false },
    scenario: 'twoFailovers',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'time without a margin for clocks',
    rules: { timeHasMargin: false },
    scenario: 'pair',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'rows stored at once under a new epoch',
    rules: { newEpochWaits: false },
    scenario: 'single',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'node of a cluster checked only once',
    rules: { checksNodes: 'only the first one' },
    scenario: 'cluster',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'epoch read before the check of a node',
    rules: { epochIsReadAfterCheck: false },
    scenario: 'cluster',
    breaches: ['stale after COMMIT'],
  },
  {
    name: 'new epoch that the replica of the catalogue does not have',
    rules: { newEpochIsAcknowledged: false },
    scenario: 'clusterCatalogue',
    breaches: ['stale after COMMIT'],
  },
  {
    name: "server check of a node by the clock of the catalogue's node",
    rules: { clock: 'of the server that has the catalogue' },
    scenario: 'clusterHeartbeats',
    breaches: ['stale after COMMIT'],
  },
]
