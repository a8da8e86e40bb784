import type * as search from '../../search.ts'
import { isCluster, type State } from '../model.ts'
import type { Scenario, Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

const letters = 'ABCD'

export const processName = (process: number): string => letters[process]!

export const writerName = (writer: number, { writers }: Scenario): string =>
  `${processName(writers[writer]!)}: write ${writer + 1}`

export const shardName = (state: State, shard: number): string =>
  isCluster(state) ? (shard === 0 ? 'the node of the catalogue' : 'the node of the row') : 'the server'

export const serverName = (state: State, shard: number, server: number): string =>
  state.shards[shard]!.servers.length === 1
    ? shardName(state, shard)
    : `${server === state.shards[shard]!.primary ? 'the primary' : 'the replica'} ${'XY'[server]}${
        isCluster(state) ? ` of ${shard === 0 ? 'the catalogue' : 'the row'}` : ''
      }`
