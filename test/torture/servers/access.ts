import { Cluster } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import type { Random } from '#prisma/demo/random.js'
import type { FaultyWire } from './faulty-wire.ts'

/** How a pod reaches Valkey. `natMap` has its wires by the addresses that the servers announce. */
export type ValkeyAccess =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'cluster'; readonly nodes: readonly Address[]; readonly natMap: NatMap }
  | {
      readonly kind: 'sentinel'
      readonly sentinels: readonly Address[]
      readonly name: string
      readonly natMap: NatMap
    }
interface Address {
  readonly host: string
  readonly port: number
}
type NatMap = Record<string, Address>

export interface OpenedWires {
  /** One for each server. */
  readonly wires: readonly FaultyWire[]
  readonly access: ValkeyAccess
}

export interface ServerFault {
  readonly kind: string
  /** Whether Valkey may lose keys early, and fences with them. */
  readonly losesKeys?: boolean
  /** Resolves when all servers are in order again. */
  inflict(random: Random): Promise<unknown>
}

/** Faults of servers: all, or only those after which one holds what it held some time before. */
export type FaultKinds = 'all' | 'old data'

/** Valkey, as one server or several, with faults of its own. */
export interface FaultyServer {
  /** The faults that it can have, one at a time. */
  readonly faults: readonly ServerFault[]
  /** How many replicas each primary has in order. */
  readonly replicas: number
  /** Number of evicted keys. */
  readonly evicted: number
  /** Opens wires for one pod, by which alone it reaches the servers. */
  openWires(): Promise<OpenedWires>
  stop(): Promise<void>
}

/** @param singleMs deadline of a command of a single server */
export function openStore(access: ValkeyAccess, singleMs = 200): ValkeyStore {
  if (access.kind === 'single') return new ValkeyStore({ url: access.url, deadlineMs: singleMs })
  // More processes share the machine.
  const deadlineMs = 1_000
  if (access.kind === 'cluster') {
    const { natMap, nodes } = access
    return new ValkeyStore({ client: new Cluster([...nodes], { lazyConnect: true, natMap }), deadlineMs })
  }
  const { name, natMap, sentinels } = access
  return new ValkeyStore({ sentinels, name, options: { natMap }, deadlineMs })
}
