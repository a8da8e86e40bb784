import { Redis } from 'ioredis'
import { commandCalls } from './command-calls.ts'
import type { ValkeyServer } from './start-valkey.ts'
import type { ValkeyCluster } from './valkey-cluster.ts'

/** Looks at the nodes of a cluster, and moves slots between them, as an operator does. */
export class ClusterControl {
  /** By port, since a node that starts again keeps it. */
  readonly #clients: Map<number, Redis>

  constructor({ nodes, replicas }: Pick<ValkeyCluster, 'nodes' | 'replicas'>) {
    this.#clients = new Map(
      [...nodes, ...replicas].map((node) => {
        const client = new Redis(node.port, node.host, { disconnectTimeout: 100, maxRetriesPerRequest: 1 })
        client.on('error', () => {})
        return [node.port, client]
      }),
    )
  }

  of(node: ValkeyServer): Redis {
    return this.#clients.get(node.port)!
  }

  /** How often a node has run a command. */
  calls(node: ValkeyServer, command: string): Promise<number> {
    return commandCalls(this.of(node), command)
  }

  async isPrimary(node: ValkeyServer): Promise<boolean> {
    const info = await this.of(node).info('replication')
    return info.includes('role:master')
  }

  idOf(node: ValkeyServer): Promise<string> {
    return this.of(node).call('CLUSTER', 'MYID') as Promise<string>
  }

  /** The slots of the keys that a node has. */
  async usedSlots(node: ValkeyServer): Promise<number[]> {
    const keys = await this.of(node).keys('*')
    const slots = await Promise.all(keys.map((key) => this.of(node).call('CLUSTER', 'KEYSLOT', key)))
    return [...new Set(slots as number[])].toSorted((a, b) => a - b)
  }

  /** How many rows a node has. */
  async rows(node: ValkeyServer): Promise<number> {
    return (await this.of(node).keys('*:row-*')).filter((key) => !key.endsWith(':l')).length
  }

  disconnect(): void {
    for (const client of this.#clients.values()) client.disconnect()
  }
}

/** Has a slot on its way: clients are sent to and fro by ASK and TRYAGAIN. */
export async function beginMove(
  control: ClusterControl,
  slot: number,
  from: ValkeyServer,
  to: ValkeyServer,
): Promise<void> {
  const [sourceId, targetId] = await Promise.all([control.idOf(from), control.idOf(to)])
  await control.of(to).call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId)
  await control.of(from).call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId)
}

/** Moves up to ten keys of a slot that is on its way; false when there are none left. */
export async function moveKeys(
  control: ClusterControl,
  slot: number,
  from: ValkeyServer,
  to: ValkeyServer,
): Promise<boolean> {
  const source = control.of(from)
  const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 10)) as string[]
  if (keys.length > 0)
    await source.call('MIGRATE', to.host, to.port, '', 0, 5_000, 'REPLACE', 'KEYS', ...keys)
  return keys.length > 0
}

export async function endMove(
  control: ClusterControl,
  slot: number,
  from: ValkeyServer,
  to: ValkeyServer,
): Promise<void> {
  const targetId = await control.idOf(to)
  for (const node of [to, from]) await control.of(node).call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId)
}

/** Moves a slot by key, as every server can. */
export async function moveByKey(
  control: ClusterControl,
  slot: number,
  from: ValkeyServer,
  to: ValkeyServer,
  betweenSteps: () => Promise<void>,
): Promise<void> {
  await beginMove(control, slot, from, to)
  while (await moveKeys(control, slot, from, to)) await betweenSteps()
  await endMove(control, slot, from, to)
}

/** Moves a slot in one step where the server can, as Valkey 9 does, else by key. */
export async function moveAtOnce(
  control: ClusterControl,
  slot: number,
  from: ValkeyServer,
  to: ValkeyServer,
  betweenSteps: () => Promise<void>,
): Promise<void> {
  const source = control.of(from)
  const [known] = (await source.call('COMMAND', 'INFO', 'CLUSTER|MIGRATESLOTS')) as unknown[]
  if (!known) return moveByKey(control, slot, from, to, betweenSteps)
  await source.call('CLUSTER', 'MIGRATESLOTS', 'SLOTSRANGE', slot, slot, 'NODE', await control.idOf(to))
  while (Number(await source.call('CLUSTER', 'COUNTKEYSINSLOT', slot)) > 0) await betweenSteps()
}
