import type { Random } from '#prisma/demo/random.js'
import type { ServerFault } from '../servers/access.ts'
import type { FaultyWire } from '../servers/faulty-wire.ts'
import type { ChaosDatabase } from './databases/chaos-database.ts'
import type { Fleet, Pod } from './fleet.ts'
import type { PodKind } from './rows.ts'

/** What faults act on. */
export interface World {
  readonly fleet: Fleet
  readonly database: ChaosDatabase
  readonly rows: number
  readonly fundraisers: number
  readonly random: Random
  readonly leaseMs: number
  readonly fenceMs: number
  /** Whether nothing happens to Valkey and to the way there. */
  readonly isCompared: boolean
  /** The kind of a pod that comes and goes. */
  readonly visitor: PodKind
}

export interface Fault extends Pick<ServerFault, 'kind' | 'losesKeys'> {
  /** Resolves when the fault is over. */
  inflict(world: World): Promise<unknown>
}

/** Maximum delay of what a database receives. With the time that a statement may take it must stay below `fenceMs`. */
export const LATE_MS = 300

/** Makes faults of the wires of a pod. */
export const onWires =
  (pick: (wires: Pod['wires'], world: World) => readonly FaultyWire[]) =>
  (kind: string, inflict: (wire: FaultyWire, world: World) => Promise<void>): Fault => ({
    kind,
    inflict: (world) =>
      world.fleet.withVictim(async ({ wires }) => {
        const inflictOn = async (wire: FaultyWire): Promise<void> => {
          await inflict(wire, world)
          wire.heal()
        }
        await Promise.all(pick(wires, world).map(inflictOn))
      }),
  })
