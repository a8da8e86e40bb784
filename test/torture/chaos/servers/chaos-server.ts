import type { Fault } from '../faults/fault.ts'
import type { OpenedWires } from './opened-wires.ts'

/** Faults of servers: all, or only those after which one holds what it held some time before. */
export type FaultKinds = 'all' | 'old data'

/** Valkey, as one server or several, with faults of its own. */
export interface ChaosServer {
  /** The faults that it can have, one at a time. Each ends when all servers are in order again. */
  readonly faults: readonly Fault[]
  /** How many replicas each primary has in order. */
  readonly replicas: number
  /** Number of evicted keys. */
  readonly evicted: number
  /** Opens wires for one pod, by which alone it reaches the servers. */
  openWires(): Promise<OpenedWires>
  stop(): Promise<void>
}
