import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'
import { machineTime } from '../clock.ts'
import { quoted } from '../databases/database-server.ts'
import type { Loss } from '../history/promises.ts'
import type { ServerFault } from '../servers/access.ts'
import type { Direction, FaultyWire } from '../servers/faulty-wire.ts'
import { numbers } from '../users.ts'
import type { ChaosDatabase } from './databases/chaos-database.ts'
import type { Fleet, Pod } from './fleet.ts'
import type { Death } from './pod/writer.ts'
import { flagId, fundraiserIdOf, hotFundraisersOf, hotRowsOf, type PodKind } from './rows.ts'

/** What faults act on. */
export interface World {
  readonly fleet: Fleet
  readonly database: ChaosDatabase
  readonly rows: number
  readonly fundraisers: number
  readonly random: Random
  readonly leaseMs: number
  /** Whether nothing happens to Valkey and to the way there. */
  readonly isCompared: boolean
  /** The kind of a pod that comes and goes. */
  readonly visitor: PodKind
}

interface Fault extends Pick<ServerFault, 'kind' | 'losesKeys'> {
  /** Resolves when the fault is over. */
  inflict(world: World): Promise<unknown>
}

/** A fault that has been inflicted. */
export interface Inflicted extends Loss {
  readonly kind: string
  readonly losesKeys: boolean
}

/** Maximum delay of what a database receives. With the time that a statement may take it must stay below `fenceMs`. */
export const LATE_MS = 300

/** Makes faults of the wires of a pod. */
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
const toValkey = onWires(({ valkey }, { random }) => (random.chance(0.5) ? [random.pick(valkey)] : valkey))
const toDatabase = onWires(({ database }) => database)

const kill = (kind: string, at: Death): Fault => ({
  kind,
  inflict: ({ fleet }) => fleet.withVictim((pod) => fleet.kill(pod, at)),
})

const ofPods: readonly Fault[] = [
  {
    // Longer than its leases and waits, but shorter than its fences, whose duration the application chooses.
    kind: 'podStop',
    inflict: ({ fleet, leaseMs, database: { fenceMs }, random }) =>
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
    async inflict({ fleet, database: { fenceMs }, random, visitor }) {
      const pod = await fleet.start(visitor)
      fleet.work(pod)
      // It fills once all writes from before its start are over.
      await sleep(fenceMs + random.integer(1_000, 3_000))
      await fleet.leave(pod)
    },
  },
]

const ofLinks: readonly Fault[] = [
  toValkey('delay', async (wire, { random }) => {
    const most = random.pick([20, 100, 600])
    wire.faults.delayMs = () => random.integer(0, most)
    await sleep(random.integer(500, 2_500))
  }),
  toValkey('drop', async (wire, { random }) => {
    wire.faults.loses = new Set<Direction>(random.pick([['up'], ['down'], ['up', 'down']] as const))
    await sleep(random.integer(50, 1_000))
    wire.cut()
  }),
  toValkey('cut', async (wire, { random }) => {
    wire.faults.refuses = random.chance(0.7)
    wire.cut()
    await sleep(random.integer(0, 1_500))
  }),
  // Connections stay open; data arrives late, also when its sender has long given up.
  toValkey('hang', async (wire, { random }) => {
    const over = wire.hold()
    await sleep(random.integer(100, 2_500))
    over()
  }),
  toValkey('duplicate', async (wire, { random }) => {
    wire.faults.repeatsAfterMs = () => (random.chance(0.5) ? random.integer(0, 1_500) : null)
    await sleep(random.integer(500, 2_500))
  }),
]

/** What happens between pods and a database that is a server. After all but the first, statements run whose client has given up. */
const ofDatabaseLinks: readonly Fault[] = [
  toDatabase('databaseCut', async (wire, { random }) => {
    wire.faults.refuses = random.chance(0.5)
    wire.cut()
    await sleep(random.integer(0, 500))
  }),
  toDatabase('databaseLate', async (wire, { random }) => {
    wire.faults.delayMs = () => random.integer(20, LATE_MS)
    wire.faults.cutsAfter = (piece) =>
      /COMMIT|UPDATE|INSERT|DELETE/.test(piece.toString('latin1')) && random.chance(0.3)
    await sleep(random.integer(500, 2_000))
    wire.cut('client')
    await sleep(LATE_MS)
  }),
  toDatabase('databaseStall', async (wire, { random }) => {
    const over = wire.hold()
    await sleep(random.integer(50, 1_000))
    wire.cut(random.pick(['both', 'client']))
    await sleep(random.integer(0, LATE_MS))
    over()
  }),
  // While statements wait for locks, the server does not notice that their clients are gone.
  toDatabase('databaseLock', async (wire, { database: { database }, fundraisers, random, rows }) =>
    database.withSession(async (session) => {
      const lock = (table: string, field: string, ids: readonly string[], how: string): Promise<unknown> => {
        const list = ids.map((id) => `'${id}'`).join(', ')
        return session.rows(quoted(database, `SELECT 1 FROM "${table}" WHERE "${field}" IN (${list}) ${how}`))
      }
      try {
        await session.run('BEGIN')
        await lock('FeatureFlags', 'id', numbers(hotRowsOf(rows)).map(flagId), 'ORDER BY id FOR UPDATE')
        // Writes lock lots in any order, so the fault must not wait for one while it holds others.
        const hot = numbers(hotFundraisersOf(fundraisers)).map(fundraiserIdOf)
        await lock('AuctionItem', 'fundraiserId', hot, 'FOR UPDATE SKIP LOCKED')
        await sleep(random.integer(100, 400))
        wire.cut(random.pick(['both', 'client']))
        await sleep(random.integer(20, 400))
      } catch (error) {
        // It may wait for locks as long as any statement.
        if (!/max_statement_time|Lock wait timeout/.test(String(error))) throw error
      } finally {
        await session.run('ROLLBACK')
      }
    }),
  ),
]

/** Inflicts random faults until the signal aborts, and records them; resolves when all are over. Faults of different lanes overlap. */
export async function inflictFaults(
  world: World,
  ofServer: readonly ServerFault[],
  log: Inflicted[],
  signal: AbortSignal,
): Promise<void> {
  const { database, isCompared, random } = world
  const atServer = (fault: ServerFault): Fault => ({ ...fault, inflict: () => fault.inflict(random) })
  const ofDatabase = [...(database.hasWires ? ofDatabaseLinks : []), ...database.faults.map(atServer)]

  /** @param pauseMs between two faults, at least and at most */
  async function inflictInTurn(
    faults: readonly Fault[],
    ...pauseMs: readonly [number, number]
  ): Promise<void> {
    let left: Fault[] = []
    while (!signal.aborted) {
      // Each kind once before any comes again.
      if (left.length === 0) left = [...faults]
      const [fault] = left.splice(random.integer(0, left.length - 1), 1)
      const { kind, losesKeys = false, inflict } = fault!
      const from = machineTime()
      await inflict(world).finally(() => log.push({ kind, losesKeys, from, to: machineTime() }))
      await sleep(random.integer(...pauseMs), undefined, { signal }).catch(() => {})
    }
  }

  await Promise.all([
    inflictInTurn(ofDatabase, 500, 2_000),
    inflictInTurn(ofPods, 500, 2_500),
    ...(isCompared
      ? []
      : [
          inflictInTurn(ofServer.map(atServer), 2_000, 8_000),
          inflictInTurn(ofLinks, 1_000, 3_000),
          inflictInTurn(ofLinks, 1_000, 3_000),
        ]),
  ])
}
