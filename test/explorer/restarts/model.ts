/**
 * Servers that come back with old data, as a model: what they hold and what is saved of it, replicas that lag and are promoted, the
 * server check by which a process tells whether data is current, and one row that processes read and write.
 *
 * Without a cluster, one shard has the catalogue and the row. In a cluster, the first shard has the catalogue, the last one the row.
 */
import { changing, changingById, NOTHING, patched, type Bits } from '../values.ts'
import type { Fault } from './fault.ts'

export { bit, hasAll, NOTHING, patched, spend } from '../values.ts'
export type { Bits } from '../values.ts'

/** What a server says of itself. */
export interface Identity {
  /** Its `run_id`. */
  readonly run: number
  /** When it started, by its own clock. */
  readonly start: number
  /** Its `master_replid`, and the one before that it continues (`master_replid2`), or NOTHING. */
  readonly history: number
  readonly past: number
}

/** An identity, and when it was told. */
export interface Seen extends Identity {
  readonly time: number
}

/** Proof that a process has checked a server, or has renewed the server check of a server that it had checked. */
export interface ServerCheck {
  readonly run: number
  readonly history: number
  readonly time: number
}

/** What a server holds. What of it its shard is not for never changes. */
export interface Data {
  /** The epoch of the catalogue, with which values count. */
  readonly epoch: number
  /** By shard. */
  readonly serverChecks: readonly ServerCheck[]
  /** What is stored of the row, or NOTHING, and the epoch that it carries. */
  readonly value: Bits
  readonly valueEpoch: number
  /** The read that has the lease, or NOTHING. */
  readonly lease: number
  readonly fences: Bits
}

export interface Server extends Identity {
  readonly data: Data
}

export interface Shard {
  readonly servers: readonly Server[]
  readonly primary: number
}

/** What a disk, a backup or a copied folder has of a server. */
export interface Snapshot {
  readonly shard: number
  readonly history: number
  readonly data: Data
}

/** Of a process to a shard. */
export interface Connection {
  readonly server: number
  readonly phase:
    | 'none'
    | 'unchecked'
    /** The server has said who it is, and the catalogue has not answered yet. */
    | 'asked'
    | 'checked'
}

export interface Process {
  readonly readsLeft: number
  /** By shard. */
  readonly connections: readonly Connection[]
  /** In a cluster, what the node of the row said, as long as the catalogue has not received it. */
  readonly asked: Seen | null
}

export interface Read {
  readonly id: number
  readonly process: number
  readonly phase: 'begun' | 'named' | 'missed' | 'leased' | 'loaded'
  /** The writes that were committed when it began. */
  readonly floor: Bits
  /** The epoch that it has read, or NOTHING. */
  readonly epoch: number
  /** What it has loaded, or NOTHING. */
  readonly value: Bits
}

/** A write never releases its fences: they expire once it is committed, at any time. */
export type WriterPhase = 'idle' | 'fenced' | 'committed'

export interface State {
  readonly time: number
  /** The committed writes. */
  readonly database: Bits
  readonly shards: readonly Shard[]
  readonly snapshots: readonly Snapshot[]
  readonly processes: readonly Process[]
  readonly writers: readonly WriterPhase[]
  readonly reads: readonly Read[]
  /** By epoch, the writes that had fenced when it began, and must end before anything is stored under it. */
  readonly awaits: readonly Bits[]
  readonly faults: Readonly<Record<Fault, number>>
  /** How many ids there have been, of runs and of histories, and how many reads. */
  readonly ids: number
  readonly readsBegun: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach =
  | 'stale after COMMIT'
  /** A cost: a new epoch, although no server has restarted, and the promoted replica lacked nothing. */
  | 'cold after a failover'

export const primaryOf = ({ servers, primary }: Shard): Server => servers[primary]!

export const changeShard = changing<State, Shard>('shards')

export function changeServer(state: State, shard: number, server: number, change: Partial<Server>): State {
  return changeShard(state, shard, { servers: patched(state.shards[shard]!.servers, server, change) })
}

/** Of the primary of a shard. */
export function changeData(state: State, shard: number, change: Partial<Data>): State {
  const { primary } = state.shards[shard]!
  const { data } = primaryOf(state.shards[shard]!)
  return changeServer(state, shard, primary, { data: { ...data, ...change } })
}

export const changeProcess = changing<State, Process>('processes')

export function changeConnection(state: State, process: number, shard: number, change: Connection): State {
  const connections = patched(state.processes[process]!.connections, shard, change)
  return changeProcess(state, process, { connections })
}

/** Ends connections of all processes to a server. */
export function withoutConnections(state: State, shard: number, server: number): State {
  return state.processes.reduce((next, { connections }, process) => {
    const { phase, server: connected } = connections[shard]!
    return phase === 'none' || connected !== server
      ? next
      : changeConnection(next, process, shard, { server, phase: 'none' })
  }, state)
}

export const changeRead = changingById<State, Read>('reads')

/** The writers that have fenced and not committed. */
export const writersWithin = ({ writers }: State): Bits =>
  writers.reduce((bits, phase, writer) => (phase === 'fenced' ? bits | (1 << writer) : bits), 0)

export const isCluster = ({ shards }: State): boolean => shards.length > 1

/** The shard that has the row. */
export const rowShard = ({ shards }: State): number => shards.length - 1

export const nobody: Identity = { run: NOTHING, start: NOTHING, history: NOTHING, past: NOTHING }
