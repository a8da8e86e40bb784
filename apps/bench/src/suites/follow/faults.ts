import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { SingleServer } from '../chaos/servers/single-server.ts'
import { machineTime } from '../chaos/pod/protocol.ts'
import type { Fleet, FollowerProcess } from './fleet.ts'

export interface FaultyWorld {
  readonly fleet: Fleet
  readonly valkey: SingleServer
  readonly database: pg.Pool
  /** Undefined for temporary slots. */
  readonly slot: string | undefined
}

export interface Fault {
  readonly name: string
  readonly what: string
  /** Whether it needs a slot with a name. */
  readonly isOfSlots?: boolean
  /** Whether a quick run has it. */
  readonly isQuick?: boolean
  /** @returns how long nobody followed, in milliseconds; undefined where the follower goes on */
  inflict(world: FaultyWorld): Promise<number | undefined>
}

/** Longer than the silence after which a follower is deposed. */
const STOP_MS = 8_000
/** Longer than the time after which the database counts as lost. */
const STALL_MS = 12_000
const HANG_MS = 4_000
const DOWN_MS = 1_000

/** Faults of whoever follows, and of its servers, while rows are written. */
export const allFaults: readonly Fault[] = [
  {
    name: 'killed',
    what: 'the follower is killed',
    isQuick: true,
    async inflict({ fleet }) {
      const { follower } = await fleet.leader()
      const at = machineTime()
      await fleet.kill(follower)
      const ms = await takeoverAfter(fleet, at)
      await fleet.add()
      return ms
    },
  },
  {
    name: 'stopped',
    what: 'the follower is stopped for 8 s, and goes on as if nothing had happened',
    inflict: ({ fleet }) =>
      suspend(fleet, STOP_MS, (follower) => {
        follower.isUp = false
        process.kill(follower.process.pid, 'SIGSTOP')
        return () => {
          process.kill(follower.process.pid, 'SIGCONT')
          follower.isUp = true
        }
      }),
  },
  {
    name: 'cut',
    what: 'its connections to PostgreSQL are cut',
    isQuick: true,
    async inflict({ fleet }) {
      const { follower } = await fleet.leader()
      const at = machineTime()
      follower.wire.cut()
      return takeoverAfter(fleet, at)
    },
  },
  {
    name: 'stalled',
    what: 'its connections to PostgreSQL stand, but carry nothing',
    inflict: ({ fleet }) => suspend(fleet, STALL_MS, ({ wire }) => wire.hold()),
  },
  {
    name: 'hung',
    what: 'Valkey does not answer for 4 s',
    async inflict({ valkey }) {
      await valkey.pause(HANG_MS)
      await sleep(1_000)
      return undefined
    },
  },
  {
    name: 'emptied',
    what: 'Valkey ends, and comes back empty after 1 s',
    async inflict({ valkey }) {
      await valkey.restart(DOWN_MS)
      await sleep(2_000)
      return undefined
    },
  },
  {
    name: 'crashed',
    what: 'PostgreSQL crashes and recovers: one of its processes is killed, so it ends all sessions',
    async inflict({ database, fleet }) {
      // Otherwise it takes long to recover.
      await database.query('CHECKPOINT')
      const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const at = machineTime()
      process.kill(rows[0]!.pid, 'SIGKILL')
      return takeoverAfter(fleet, at)
    },
  },
  {
    name: 'dropped',
    what: 'the slot is dropped',
    isOfSlots: true,
    isQuick: true,
    async inflict({ database, fleet, slot }) {
      const at = machineTime()
      for (;;) {
        await database.query(
          'SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1 AND active_pid IS NOT NULL',
          [slot],
        )
        // Whoever follows may take it again in between.
        const isDropped = await database.query('SELECT pg_drop_replication_slot($1)', [slot]).then(
          () => true,
          () => false,
        )
        if (isDropped) break
      }
      return takeoverAfter(fleet, at)
    },
  },
]

/** @param begin holds the follower up, and returns what lets it go on */
async function suspend(
  fleet: Fleet,
  ms: number,
  begin: (follower: FollowerProcess) => () => void,
): Promise<number> {
  const { follower } = await fleet.leader()
  const at = machineTime()
  const end = begin(follower)
  const [takeoverMs] = await Promise.all([takeoverAfter(fleet, at), sleep(ms)])
  end()
  await sleep(1_000)
  return takeoverMs
}

async function takeoverAfter(fleet: Fleet, at: number): Promise<number> {
  return (await fleet.leader(at)).at - at
}
