import { setTimeout as sleep } from 'node:timers/promises'
import type { Direction, FaultyWire } from './faulty-wire.ts'
import type { Fault, World } from './fault.ts'

/** Faults of the wire between one pod and Valkey. */
export const linkFaults: readonly Fault[] = [
  link('delay', async (wire, { random }) => {
    const most = random.pick([20, 100, 600])
    wire.ills.delayMs = () => random.integer(0, most)
    await sleep(random.integer(500, 2_500))
  }),
  link('drop', async (wire, { random }) => {
    wire.ills.loses = new Set<Direction>(random.pick([['up'], ['down'], ['up', 'down']] as const))
    await sleep(random.integer(50, 1_000))
    wire.cut()
  }),
  link('cut', async (wire, { random }) => {
    wire.ills.refuses = random.chance(0.7)
    wire.cut()
    await sleep(random.integer(0, 1_500))
  }),
  // Both sides keep their connection; what they send arrives late, also when its sender has long given up.
  link('hang', async (wire, { random }) => {
    const over = Promise.withResolvers<void>()
    wire.ills.held = over.promise
    await sleep(random.integer(100, 2_500))
    wire.ills.held = undefined
    over.resolve()
  }),
  link('duplicate', async (wire, { random }) => {
    wire.ills.repeatsAfterMs = () => (random.chance(0.5) ? random.integer(0, 1_500) : null)
    await sleep(random.integer(500, 2_500))
  }),
]

function link(kind: string, befall: (wire: FaultyWire, world: World) => Promise<void>): Fault {
  return {
    kind,
    befall: (world) =>
      world.fleet.withVictim(async ({ wires }) => {
        await befall(wires.valkey, world)
        wires.valkey.heal()
      }),
  }
}
