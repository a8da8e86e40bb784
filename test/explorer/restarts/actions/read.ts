import {
  changeData,
  changeProcess,
  changeRead,
  hasAll,
  isCluster,
  NOTHING,
  primaryOf,
  rowShard,
  writersWithin,
} from '../model.ts'
import type { Read, State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { processName, type Action, type Step } from './action.ts'
import { isReady } from './check.ts'

/** Without a cluster, one command reads the epoch and the row. */
const begin: Action = (state, setting, add) => {
  const { scenario } = setting
  if (state.reads.length >= (scenario.readsAtOnce ?? 1)) return
  for (const [process, { readsLeft }] of state.processes.entries()) {
    if (readsLeft === 0) continue
    const id = state.readsBegun + 1
    const read: Read = { id, process, phase: 'begun', floor: state.database, epoch: NOTHING, value: NOTHING }
    const left = changeProcess({ ...state, readsBegun: id }, process, { readsLeft: readsLeft - 1 })
    const begun = { ...left, reads: [...left.reads, read] }
    if (isCluster(state)) add(`${name(read)} begins`, begun)
    else if (isConnected(state, process, 0, setting))
      add(...readRow(begun, { ...read, epoch: epochOf(state) }))
  }
}

/** In a cluster, the epoch and the row are read from their nodes, each at its time. */
const readEpoch: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'begun' || !isConnected(state, read.process, 0, setting)) continue
    const named = changeRead(state, read, { phase: 'named', epoch: epochOf(state) })
    add(`${name(read)} reads the epoch`, named)
  }
}

const readNode: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase === 'named' && isConnected(state, read.process, rowShard(state), setting))
      add(...readRow(state, read))
  }
}

function readRow(state: State, read: Read): Step {
  const { value, valueEpoch } = dataOfRow(state)
  const { epoch, floor } = read
  if (value !== NOTHING && valueEpoch === epoch) {
    const done = without(state, read)
    if (hasAll(value, floor)) return [`${name(read)} gets the row`, done]
    return [`${name(read)} gets an old row`, { ...done, broken: 'stale after COMMIT' }]
  }
  if ((state.awaits[epoch]! & writersWithin(state)) !== 0) {
    return [`${name(read)} misses, and may not store yet`, without(state, read)]
  }
  const reads = state.reads.map((other) =>
    other.id === read.id ? { ...read, phase: 'missed' as const } : other,
  )
  return [`${name(read)} misses`, { ...state, reads }]
}

/**
 * A lease whose read is over, and a fence whose write is, expire. What a process writes goes through a connection of its own, which nobody
 * checks: it may lead to a server that has just started.
 */
const lease: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'missed') continue
    const { fences, lease } = dataOfRow(state)
    if ((fences & writersWithin(state)) !== 0 || state.reads.some(({ id }) => id === lease)) {
      add(`${name(read)} gets no lease`, without(state, read))
    } else {
      const leased = changeData(state, rowShard(state), { lease: read.id })
      add(`${name(read)} gets the lease`, changeRead(leased, read, { phase: 'leased' }))
    }
  }
}

const load: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'leased') continue
    add(`${name(read)} loads the row`, changeRead(state, read, { phase: 'loaded', value: state.database }))
  }
}

const fill: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'loaded') continue
    const done = without(state, read)
    if (dataOfRow(state).lease !== read.id) {
      add(`${name(read)} may not fill`, done)
      continue
    }
    const { value, epoch: valueEpoch } = read
    add(`${name(read)} fills`, changeData(done, rowShard(state), { lease: NOTHING, value, valueEpoch }))
  }
}

const without = (state: State, read: Read): State => ({
  ...state,
  reads: state.reads.filter(({ id }) => id !== read.id),
})

const isConnected = (state: State, process: number, shard: number, setting: Setting): boolean =>
  isReady(state.processes[process]!.connections[shard]!, shard, state, setting)

const epochOf = ({ shards }: State): number => primaryOf(shards[0]!).data.epoch

const dataOfRow = (state: State): State['shards'][number]['servers'][number]['data'] =>
  primaryOf(state.shards[rowShard(state)]!).data

const name = ({ id, process }: Read): string => `${processName(process)}: read ${id}`

export const readActions: readonly Action[] = [begin, readEpoch, readNode, lease, load, fill]
