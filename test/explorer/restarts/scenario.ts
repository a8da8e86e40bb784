import type { WorldSetting } from '../explorations.ts'
import { type Fault, noFaults } from './fault.ts'
import { NOTHING, type Breach, type Connection, type Data, type Server, type State } from './model.ts'
import type { Rules } from './rules.ts'

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  /** By shard and server, how far its clock is ahead. Differences are at most {@link margin}. */
  readonly clocks: readonly (readonly number[])[]
  /** How many reads each process may begin. */
  readonly reads: readonly number[]
  /** For each writer, the process that it runs in. */
  readonly writers: readonly number[]
  readonly faults: Partial<Record<Fault, number>>
  /** How far time goes. @default 0 */
  readonly until?: number
  /** How many reads may be in flight at a time. @default 1 */
  readonly readsAtOnce?: number
  /** The breaches that must not be found. @default `'stale after COMMIT'` */
  readonly promises?: readonly Breach[]
}

export const isExcluded = ({ promises = ['stale after COMMIT'] }: Scenario, breach: Breach): boolean =>
  promises.includes(breach)

export type Setting = WorldSetting<Scenario, Rules>

/** By how much clocks of servers may differ. */
export const margin = 1

/** How far the clocks of processes are ahead: nothing is assumed of them. */
export const clientsAhead = 2 * margin

/** Servers have been running for longer than any margin when a scenario begins. */
const longAgo = -9

export function initialState({ scenario }: Setting): State {
  const { clocks, reads, writers, faults } = scenario
  const runOf = (shard: number, server: number): number => shard * 2 + server
  const serverChecks = clocks.map(([ahead], shard) => ({
    run: runOf(shard, 0),
    history: shard,
    time: ahead!,
  }))
  const data: Data = {
    epoch: 0,
    serverChecks,
    value: 0,
    valueEpoch: 0,
    lease: NOTHING,
    fences: 0,
  }
  const checked: readonly Connection[] = clocks.map(() => ({ server: 0, phase: 'checked' }))
  return {
    time: 0,
    database: 0,
    shards: clocks.map((servers, shard) => ({
      primary: 0,
      servers: servers.map((ahead, server): Server => ({
        run: runOf(shard, server),
        start: longAgo + ahead,
        history: shard,
        past: NOTHING,
        data,
      })),
    })),
    snapshots: [],
    processes: reads.map((readsLeft) => ({ readsLeft, connections: checked, asked: null })),
    writers: writers.map(() => 'idle'),
    reads: [],
    awaits: [0],
    faults: { ...noFaults, ...faults },
    ids: 8,
    readsBegun: 0,
    broken: null,
  }
}
