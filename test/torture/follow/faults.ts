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
  {
    name: 'swapped',
    what: 'a migration renames another table to the name of the followed one',
    inflict: ({ database }) => andGoOn(database, swap),
  },
  {
    name: 'unpublished',
    what: 'the table leaves the publication for 2 s',
    inflict: ({ database }) =>
      andGoOn(
        database,
        'ALTER PUBLICATION model_cache_mc DROP TABLE "User"',
        'SELECT pg_sleep(2)',
        // The follower may have added it again.
        addIfMissing,
      ),
  },
  {
    name: 'inserts-alone',
    what: 'the publication is changed to have inserts alone',
    inflict: ({ database }) => andGoOn(database, `ALTER PUBLICATION model_cache_mc SET (publish = 'insert')`),
  },
  {
    name: 'rival',
    what: 'an application with another Valkey follows the same database, with the same namespace and slot, for 6 s',
    async inflict({ databaseUrl, fleet, slot }) {
      const before = (await fleet.takeovers()).length
      const valkey = await SingleServer.start()
      const options = { databaseUrl, valkeyUrl: valkey.url, slot }
      const rivals = await Fleet.start(options, 2)
      try {
        if (slot === undefined) await rivals.leader()
        await sleep(RIVAL_MS)
        const own = (await fleet.takeovers()).length - before
        const theirs = (await rivals.takeovers()).length
        if (own > 0 || theirs !== (slot === undefined ? 1 : 0))
          throw new Error(`Of rivals, ${theirs} took over, and ${own} of the followers had to do so again.`)
      } finally {
        await rivals.stop()
        await valkey.stop()
      }
      return undefined
    },
  },
  {
    name: 'neighbour',
    what: 'a follower of another database of the server, with a Valkey of its own, names the same slot, for 3 s',
    isOfSlots: true,
    async inflict({ database, databaseUrl, fleet, slot }) {
      const before = (await fleet.takeovers()).length
      const valkey = await SingleServer.start()
      await database.query('CREATE DATABASE neighbour')
      const url = new URL(databaseUrl)
      url.pathname = '/neighbour'
      const rivals = await Fleet.start({ databaseUrl: url.href, valkeyUrl: valkey.url, slot }, 1)
      try {
        await sleep(NEIGHBOUR_MS)
        const theirs = (await rivals.takeovers()).length
        const own = (await fleet.takeovers()).length - before
        if (own + theirs > 0)
          throw new Error(`The neighbour took over ${theirs} times, and the followers ${own}.`)
      } finally {
        await rivals.stop()
        await valkey.stop()
      }
      await database.query('DROP DATABASE neighbour WITH (FORCE)')
      return undefined
    },
  },
]

const RIVAL_MS = 6_000
const NEIGHBOUR_MS = 3_000

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

/** Runs statements, and has rows written for a while after them. */
async function andGoOn(database: pg.Pool, ...statements: string[]): Promise<undefined> {
  for (const statement of statements) await database.query(statement)
  await sleep(2_000)
}

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
