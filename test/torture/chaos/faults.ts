import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../clock.ts'
import type { ServerFault } from '../servers/access.ts'
import type { Direction } from '../servers/faulty-wire.ts'
import { wireFaults } from './database-faults.ts'
import { type Fault, onWires, type World } from './fault.ts'
import type { Death } from './pod/settings.ts'

/** A fault that has been inflicted. */
export interface Inflicted {
  readonly kind: string
  readonly losesKeys: boolean
  readonly from: number
  readonly to: number
}

// Of several servers, one is out of reach, or all are.
const link = onWires(({ valkey }, { random }) => (random.chance(0.5) ? [random.pick(valkey)] : valkey))

const kill = (kind: string, at: Death): Fault => ({
  kind,
  inflict: ({ fleet }) => fleet.withVictim((pod) => fleet.kill(pod, at)),
})

/** Those of Valkey are in `servers/`, those of databases in `databases/`. */
const allFaults = {
  pod: [
    {
      // Longer than its leases and waits, but shorter than its fences, whose duration the application chooses.
      kind: 'podStop',
      inflict: ({ fleet, leaseMs, fenceMs, random }) =>
        fleet.withVictim(async (pod) => {
          pod.process.signal('SIGSTOP')
          await sleep(random.integer(leaseMs * 1.2, Math.min(leaseMs * 2, fenceMs - 1_000)))
          pod.process.signal('SIGCONT')
        }),
    },
    kill('killFenced', 'fenced'),
    kill('killCommitted', 'committed'),
    kill('killAnywhere', 'anywhere'),
    {
      kind: 'deploy',
      async inflict({ fleet, fenceMs, random, visitor }) {
        const pod = await fleet.start(visitor)
        fleet.work(pod)
        // It fills once all writes from before its start are over.
        await sleep(fenceMs + random.integer(1_000, 3_000))
        await fleet.leave(pod)
      },
    },
  ],
  link: [
    link('delay', async (wire, { random }) => {
      const most = random.pick([20, 100, 600])
      wire.faults.delayMs = () => random.integer(0, most)
      await sleep(random.integer(500, 2_500))
    }),
    link('drop', async (wire, { random }) => {
      wire.faults.loses = new Set<Direction>(random.pick([['up'], ['down'], ['up', 'down']] as const))
      await sleep(random.integer(50, 1_000))
      wire.cut()
    }),
    link('cut', async (wire, { random }) => {
      wire.faults.refuses = random.chance(0.7)
      wire.cut()
      await sleep(random.integer(0, 1_500))
    }),
    // Connections stay open; data arrives late, also when its sender has long given up.
    link('hang', async (wire, { random }) => {
      const over = wire.hold()
      await sleep(random.integer(100, 2_500))
      over()
    }),
    link('duplicate', async (wire, { random }) => {
      wire.faults.repeatsAfterMs = () => (random.chance(0.5) ? random.integer(0, 1_500) : null)
      await sleep(random.integer(500, 2_500))
    }),
  ],
} as const satisfies Record<string, readonly Fault[]>

/** Milliseconds between two faults of a lane: at least and at most. Faults of different lanes overlap. */
const LANES: readonly (readonly [
  faults: 'server' | 'database' | keyof typeof allFaults,
  pauseMs: readonly [number, number],
])[] = [
  ['server', [2_000, 8_000]],
  ['database', [500, 2_000]],
  ['pod', [500, 2_500]],
  ['link', [1_000, 3_000]],
  ['link', [1_000, 3_000]],
]

/** Inflicts random faults until the signal aborts, and records them; resolves when all are over. */
export async function inflictFaults(
  world: World,
  ofServer: readonly ServerFault[],
  log: Inflicted[],
  signal: AbortSignal,
): Promise<void> {
  const { database, random } = world
  const atServer = (fault: ServerFault): Fault => ({ ...fault, inflict: () => fault.inflict(random) })
  const faults: Record<string, readonly Fault[]> = {
    ...allFaults,
    server: ofServer.map(atServer),
    database: [...(database.hasWires ? wireFaults : []), ...database.faults.map(atServer)],
  }
  const lanes = LANES.filter(([lane]) => !(world.isCompared && (lane === 'server' || lane === 'link')))
  await Promise.all(
    lanes.map(async ([lane, pauseMs]) => {
      let left: Fault[] = []
      while (!signal.aborted) {
        // Each kind once before any comes again.
        if (left.length === 0) left = [...faults[lane]!]
        const [fault] = left.splice(random.integer(0, left.length - 1), 1)
        const { kind, losesKeys = false, inflict } = fault!
        const from = machineTime()
        await inflict(world).finally(() => log.push({ kind, losesKeys, from, to: machineTime() }))
        await sleep(random.integer(...pauseMs), undefined, { signal }).catch(() => {})
      }
    }),
  )
}
