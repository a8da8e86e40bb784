import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Random } from '#prisma/demo/random.js'
import { machineTime } from '../clock.ts'
import type { ServerFault } from '../servers/access.ts'
import type { Direction, FaultyWire } from '../servers/faulty-wire.ts'
import type { Fleet, Pod } from './fleet.ts'
import type { Death } from './pod/settings.ts'
import { flagId, fundraiserIdOf, hotFundraisersOf, hotRowsOf } from './rows.ts'

/** What faults act on. */
export interface World {
  readonly fleet: Fleet
  /** Not through any wire. */
  readonly database: pg.Pool
  readonly rows: number
  readonly fundraisers: number
  readonly random: Random
  readonly leaseMs: number
  readonly fenceMs: number
}

interface Fault extends Pick<ServerFault, 'kind' | 'losesKeys'> {
  /** Resolves when the fault is over. */
  inflict(world: World): Promise<unknown>
}

/** A fault that has been inflicted. */
export interface Inflicted {
  readonly kind: string
  readonly losesKeys: boolean
  readonly from: number
  readonly to: number
}

/** Maximum delay of what PostgreSQL receives. With its `statement_timeout` it must stay below `fenceMs`. */
export const LATE_MS = 300

const onWires =
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
// Of several servers, one is out of reach, or all are.
const link = onWires(({ valkey }, { random }) => (random.chance(0.5) ? [random.pick(valkey)] : valkey))
const databaseLink = onWires(({ database }) => [database])

const kill = (kind: string, at: Death): Fault => ({
  kind,
  inflict: ({ fleet }) => fleet.withVictim((pod) => fleet.kill(pod, at)),
})

/** Those of servers are in `servers/`. */
const allFaults = {
  // After all but the first, statements run whose client has given up.
  database: [
    databaseLink('databaseCut', async (wire, { random }) => {
      wire.faults.refuses = random.chance(0.5)
      wire.cut()
      await sleep(random.integer(0, 500))
    }),
    databaseLink('databaseLate', async (wire, { random }) => {
      wire.faults.delayMs = () => random.integer(20, LATE_MS)
      wire.faults.cutsAfter = (piece) =>
        /COMMIT|UPDATE|INSERT|DELETE/.test(piece.toString('latin1')) && random.chance(0.3)
      await sleep(random.integer(500, 2_000))
      wire.cut('client')
      await sleep(LATE_MS)
    }),
    databaseLink('databaseStall', async (wire, { random }) => {
      const over = wire.hold()
      await sleep(random.integer(50, 1_000))
      wire.cut(random.pick(['both', 'client']))
      await sleep(random.integer(0, LATE_MS))
      over()
    }),
    // While statements wait for locks, PostgreSQL does not notice that their clients are gone.
    databaseLink('databaseLock', async (wire, { database, fundraisers, random, rows }) => {
      const client = await database.connect()
      try {
        await client.query('BEGIN')
        const sql = 'SELECT FROM "FeatureFlags" WHERE id = ANY($1) ORDER BY id FOR UPDATE'
        await client.query(sql, [Array.from({ length: hotRowsOf(rows) }, (_, row) => flagId(row))])
        // Writes lock lots in any order, so the fault must not wait for one while it holds others.
        const lots = 'SELECT FROM "AuctionItem" WHERE "fundraiserId" = ANY($1) FOR UPDATE SKIP LOCKED'
        const hot = Array.from({ length: hotFundraisersOf(fundraisers) }, (_, number) =>
          fundraiserIdOf(number),
        )
        await client.query(lots, [hot])
        await sleep(random.integer(100, 400))
        wire.cut(random.pick(['both', 'client']))
        await sleep(random.integer(20, 400))
      } finally {
        await client.query('ROLLBACK')
        client.release()
      }
    }),
  ],
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
      async inflict({ fleet, fenceMs, random }) {
        const pod = await fleet.start('next')
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
  faults: 'server' | keyof typeof allFaults,
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
  const { random } = world
  const server = ofServer.map((fault): Fault => ({ ...fault, inflict: () => fault.inflict(random) }))
  const faults: Record<string, readonly Fault[]> = { ...allFaults, server }
  await Promise.all(
    LANES.map(async ([lane, pauseMs]) => {
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
