import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { SingleServer } from '../servers/single-server.ts'
import { machineTime } from '../clock.ts'
import { Fleet, type FollowerProcess } from './fleet.ts'

export interface FaultyWorld {
  readonly fleet: Fleet
  readonly valkey: SingleServer
  readonly database: pg.Pool
  readonly databaseUrl: string
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
const RIVAL_MS = 6_000
const NEIGHBOUR_MS = 3_000

/** Faults of whoever follows, and of its servers, while rows are written. */
export const allFaults: readonly Fault[] = [
  {
    name: 'killed',
    what: 'the follower is killed',
    isQuick: true,
    async inflict(world) {
      const ms = await untilReplaced(world, (follower) => world.fleet.kill(follower))
      await world.fleet.add()
      return ms
    },
  },
  {
    name: 'stopped',
    what: 'the follower is stopped for 8 s, and goes on as if nothing had happened',
    inflict: (world) =>
      suspend(world, STOP_MS, (follower) => {
        follower.isUp = false
        follower.process.signal('SIGSTOP')
        return () => {
          follower.process.signal('SIGCONT')
          follower.isUp = true
        }
      }),
  },
  {
    name: 'cut',
    what: 'its connections to PostgreSQL are cut',
    isQuick: true,
    inflict: (world) => untilReplaced(world, async ({ wire }) => wire.cut()),
  },
  {
    name: 'stalled',
    what: 'its connections to PostgreSQL stand, but carry nothing',
    inflict: (world) => suspend(world, STALL_MS, ({ wire }) => wire.hold()),
  },
  {
    name: 'hung',
    what: 'Valkey does not answer for 4 s',
    inflict: ({ valkey }) => andGoOn(1_000, () => valkey.pause(HANG_MS)),
  },
  {
    name: 'emptied',
    what: 'Valkey ends, and comes back empty after 1 s',
    inflict: ({ valkey }) => andGoOn(2_000, () => valkey.restart(DOWN_MS)),
  },
  {
    name: 'crashed',
    what: 'PostgreSQL crashes and recovers: one of its processes is killed, so it ends all sessions',
    async inflict(world) {
      // Otherwise it takes long to recover.
      await world.database.query('CHECKPOINT')
      const { rows } = await world.database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      return untilReplaced(world, async () => void process.kill(rows[0]!.pid, 'SIGKILL'))
    },
  },
  {
    name: 'dropped',
    what: 'the slot is dropped',
    isOfSlots: true,
    isQuick: true,
    inflict: (world) => untilReplaced(world, () => dropSlot(world)),
  },
  {
    name: 'swapped',
    what: 'a migration renames another table to the name of the followed one',
    inflict: ({ database }) => andGoOn(2_000, () => database.query(swap)),
  },
  {
    name: 'unpublished',
    what: 'the table leaves the publication for 2 s',
    inflict: ({ database }) =>
      andGoOn(2_000, async () => {
        await database.query('ALTER PUBLICATION model_cache_mc DROP TABLE "User"')
        await sleep(2_000)
        // The follower may have added it again.
        await database.query(addIfMissing)
      }),
  },
  {
    name: 'inserts-alone',
    what: 'the publication is changed to have inserts alone',
    inflict: ({ database }) =>
      andGoOn(2_000, () => database.query(`ALTER PUBLICATION model_cache_mc SET (publish = 'insert')`)),
  },
  {
    name: 'rival',
    what: 'an application with another Valkey follows the same database, with the same namespace and slot, for 6 s',
    inflict: (world) =>
      besideRivals(world, { url: world.databaseUrl, size: 2, ms: RIVAL_MS, leaders: world.slot ? 0 : 1 }),
  },
  {
    name: 'neighbour',
    what: 'a follower of another database of the server, with a Valkey of its own, names the same slot, for 3 s',
    isOfSlots: true,
    async inflict(world) {
      await world.database.query('CREATE DATABASE neighbour')
      const { href: url } = Object.assign(new URL(world.databaseUrl), { pathname: '/neighbour' })
      await besideRivals(world, { url, size: 1, ms: NEIGHBOUR_MS, leaders: 0 })
      await world.database.query('DROP DATABASE neighbour WITH (FORCE)')
      return undefined
    },
  },
]

/** As an online migration ends. */
const swap = `
  BEGIN;
  LOCK TABLE "User" IN ACCESS EXCLUSIVE MODE;
  CREATE TABLE "UserNext" (LIKE "User" INCLUDING ALL);
  INSERT INTO "UserNext" SELECT * FROM "User";
  ALTER TABLE "User" RENAME TO "UserBefore";
  ALTER TABLE "UserNext" RENAME TO "User";
  DROP TABLE "UserBefore" CASCADE;
  COMMIT`

const addIfMissing = `DO $$ BEGIN
  ALTER PUBLICATION model_cache_mc ADD TABLE "User";
EXCEPTION WHEN duplicate_object THEN NULL;
END $$`

/** Has something happen, and rows written for a while after it. */
async function andGoOn(ms: number, happen: () => Promise<unknown>): Promise<undefined> {
  await happen()
  await sleep(ms)
}

/** @returns how long nobody followed after it */
async function untilReplaced(
  { fleet }: FaultyWorld,
  happen: (follower: FollowerProcess) => Promise<void>,
): Promise<number> {
  const { follower } = await fleet.leader()
  const at = machineTime()
  await happen(follower)
  return (await fleet.leader(at)).at - at
}

/** @param begin holds the follower up, and returns what lets it go on */
async function suspend(
  world: FaultyWorld,
  ms: number,
  begin: (follower: FollowerProcess) => () => void,
): Promise<number> {
  let end = (): void => {}
  const [takeoverMs] = await Promise.all([
    untilReplaced(world, async (follower) => void (end = begin(follower))),
    sleep(ms),
  ])
  end()
  await sleep(1_000)
  return takeoverMs
}

async function dropSlot({ database, slot }: FaultyWorld): Promise<void> {
  for (let isDropped = false; !isDropped;) {
    await database.query(
      'SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1 AND active_pid IS NOT NULL',
      [slot],
    )
    // Whoever follows may take it again in between.
    isDropped = await database.query('SELECT pg_drop_replication_slot($1)', [slot]).then(
      () => true,
      () => false,
    )
  }
}

/** @throws when another number of rivals than `leaders` took over, or one of the followers had to do so again */
async function besideRivals(
  { fleet, slot }: FaultyWorld,
  { url, size, ms, leaders }: { url: string; size: number; ms: number; leaders: number },
): Promise<undefined> {
  const before = (await fleet.takeovers()).length
  const valkey = await SingleServer.start()
  const rivals = await Fleet.start({ databaseUrl: url, valkeyUrl: valkey.url, slot }, size)
  try {
    if (leaders > 0) await rivals.leader()
    await sleep(ms)
    const own = (await fleet.takeovers()).length - before
    const theirs = (await rivals.takeovers()).length
    if (own > 0 || theirs !== leaders)
      throw new Error(`Of rivals, ${theirs} took over, and ${own} of the followers had to do so again.`)
  } finally {
    await rivals.stop()
    await valkey.stop()
  }
}
