import {
  changeData,
  changeServer,
  changeShard,
  NOTHING,
  primaryOf,
  spend,
  withoutConnections,
} from '../model.ts'
import type { Server, Shard, Snapshot, State } from '../model.ts'
import { margin, type Setting } from '../scenario.ts'
import { serverName, shardName, type Action } from './action.ts'

const pass: Action = (state, { scenario }, add) => {
  if (state.time < (scenario.until ?? 0)) add('time passes', { ...state, time: state.time + 1 })
}

const save: Action = (state, _setting, add) => {
  if (state.faults.snapshot === 0) return
  for (const [shard, { servers }] of state.shards.entries()) {
    for (const [server, { data, history }] of servers.entries()) {
      if (state.snapshots.some((other) => other.data === data && other.history === history)) continue
      const saved = spend(state, 'snapshot')
      const snapshots = [...state.snapshots, { shard, history, data }]
      add(`a snapshot of ${serverName(state, shard, server)} is saved`, { ...saved, snapshots })
    }
  }
}

/** A server of a shard starts from any snapshot of the shard: its own, a restored one, or a copied one. */
const restart: Action = (state, setting, add) => {
  if (state.faults.restart === 0) return
  for (const [shard, { servers }] of state.shards.entries()) {
    for (const server of servers.keys()) {
      for (const [number, snapshot] of state.snapshots.entries()) {
        if (snapshot.shard !== shard) continue
        const sentence = `${serverName(state, shard, server)} restarts from snapshot ${number + 1}`
        add(sentence, started(spend(state, 'restart'), server, snapshot, setting))
      }
    }
  }
}

/** A primary begins a history that continues the one in the snapshot. A replica takes up the one in the snapshot. */
function started(state: State, server: number, snapshot: Snapshot, { rules, scenario }: Setting): State {
  const { shard, history, data } = snapshot
  const behind = rules.startsWithRightClock ? 0 : 3 * margin
  const start = state.time + scenario.clocks[shard]![server]! - behind
  const id = state.ids
  const histories =
    server === state.shards[shard]!.primary ? { history: id, past: history } : { history, past: NOTHING }
  const next = withoutConnections({ ...state, ids: id + 1 }, shard, server)
  return changeServer(next, shard, server, { run: id, start, data, ...histories })
}

const rollBackMemory: Action = (state, _setting, add) => {
  if (state.faults['memory rolled back'] === 0) return
  for (const [number, { shard, data }] of state.snapshots.entries()) {
    const rolledBack = changeData(spend(state, 'memory rolled back'), shard, data)
    const sentence = `${shardName(state, shard)} is rolled back with its memory to snapshot ${number + 1}`
    add(sentence, withoutConnections(rolledBack, shard, state.shards[shard]!.primary))
  }
}

const replicate: Action = (state, _setting, add) => {
  for (const shard of state.shards.keys()) {
    const next = replicated(state, shard)
    if (next !== state) add(`${serverName(state, shard, replicaOf(state.shards[shard]!))} catches up`, next)
  }
}

/** A replica that has another history takes up that of the primary, from the beginning or, if it can, from where it was. */
export function replicated(state: State, shard: number): State {
  const replica = replicaOf(state.shards[shard]!)
  const held = state.shards[shard]!.servers[replica]
  const { data, history, past } = primaryOf(state.shards[shard]!)
  if (held === undefined || (held.data === data && held.history === history)) return state
  const histories: Partial<Server> =
    held.history === history ? {} : { history, past: held.history === past ? held.history : NOTHING }
  return changeServer(state, shard, replica, { data, ...histories })
}

const replicaOf = ({ primary }: Shard): number => 1 - primary

const failOver: Action = (state, _setting, add) => {
  for (const fault of ['failover', 'failover behind connections'] as const) {
    if (state.faults[fault] === 0) continue
    for (const [shard, { primary, servers }] of state.shards.entries()) {
      const replica = servers[1 - primary]
      if (replica === undefined) continue
      const id = state.ids
      const promoted = changeServer({ ...spend(state, fault), ids: id + 1 }, shard, 1 - primary, {
        history: id,
        past: replica.history,
      })
      const next = changeShard(promoted, shard, { primary: 1 - primary })
      const sentence = `${serverName(state, shard, 1 - primary)} is promoted`
      if (fault === 'failover') add(sentence, withoutConnections(next, shard, primary))
      else add(`${sentence}, and clients keep their connections to the other`, next)
    }
  }
}

export const serverActions: readonly Action[] = [pass, save, restart, rollBackMemory, replicate, failOver]
