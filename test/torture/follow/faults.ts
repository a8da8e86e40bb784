import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../clock.ts'
import { SingleServer } from '../servers/single-server.ts'
import { Fleet, type FollowerProcess } from './fleet.ts'
import type { World } from './world.ts'

export interface Fault<W extends World = World> {
  readonly name: string
  readonly what: string
  /** Whether it needs a slot with a name. */
  readonly isOfSlots?: boolean
  /** Whether a quick run has it. */
  readonly isQuick?: boolean
  /** Whether a follower reports all the time. */
  readonly isFollowed?: boolean
  /** Whether a standby shows for a moment what it had shown before. */
  readonly showsEarlierState?: boolean
  /** @returns how long nobody followed, in milliseconds; undefined where the follower goes on */
  inflict(world: W): Promise<number | undefined>
}

/** Longer than the silence after which a follower is deposed. */
const STOP_MS = 8_000
/** Longer than the time after which the database counts as lost. */
const STALL_MS = 12_000
const HANG_MS = 4_000
const DOWN_MS = 1_000
const RIVAL_MS = 6_000
const NEIGHBOUR_MS = 3_000

/** Has something happen, and rows written for a while after it. */
export async function andGoOn(ms: number, happen: () => Promise<unknown>): Promise<undefined> {
  await happen()
  await sleep(ms)
}

/** @returns how long nobody followed after it */
export async function untilReplaced(
  { fleet }: World,
  happen: (follower: FollowerProcess) => Promise<void>,
): Promise<number> {
  const { follower } = await fleet.leader()
  const at = machineTime()
  await happen(follower)
  return (await fleet.leader(at)).at - at
}

/** @param begin holds the follower up, and returns what lets it go on */
async function suspend(
  world: World,
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

/** @throws when another number of rivals than `leaders` took over, or one of the followers had to do so again */
async function besideRivals(
  { fleet, slot }: World,
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

/** Faults of whoever follows, and of its servers, while rows are written. */
export const commonFaults: readonly Fault[] = [
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
    what: 'its connections to the database are cut',
    isQuick: true,
    inflict: (world) => untilReplaced(world, async ({ wire }) => wire!.cut()),
  },
  {
    name: 'stalled',
    what: 'its connections to the database stand, but carry nothing',
    inflict: (world) => suspend(world, STALL_MS, ({ wire }) => wire!.hold()),
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
    what: 'the database crashes and recovers',
    inflict: (world) => untilReplaced(world, () => world.database.crash()),
  },
]

/** As an online migration ends. */
const swapped = (swap: string): Fault => ({
  name: 'swapped',
  what: 'a migration renames another table to the name of the followed one',
  inflict: ({ database }) => andGoOn(2_000, () => database.run(swap)),
})

/** What happens to a slot, to a publication and to a followed table. */
export const postgresqlFaults: readonly Fault[] = [
  {
    name: 'dropped',
    what: 'the slot is dropped',
    isOfSlots: true,
    isQuick: true,
    inflict: (world) => untilReplaced(world, () => dropSlot(world)),
  },
  swapped(`
    BEGIN;
    LOCK TABLE "User" IN ACCESS EXCLUSIVE MODE;
    CREATE TABLE "UserNext" (LIKE "User" INCLUDING ALL);
    INSERT INTO "UserNext" SELECT * FROM "User";
    ALTER TABLE "User" RENAME TO "UserBefore";
    ALTER TABLE "UserNext" RENAME TO "User";
    DROP TABLE "UserBefore" CASCADE;
    COMMIT`),
  {
    name: 'unpublished',
    what: 'the table leaves the publication for 2 s',
    inflict: ({ database }) =>
      andGoOn(2_000, async () => {
        await database.run('ALTER PUBLICATION model_cache_mc DROP TABLE "User"')
        await sleep(2_000)
        // The follower may have added it again.
        await database.run(`DO $$ BEGIN
            ALTER PUBLICATION model_cache_mc ADD TABLE "User";
          EXCEPTION WHEN duplicate_object THEN NULL;
          END $$`)
      }),
  },
  {
    name: 'inserts-alone',
    what: 'the publication is changed to have inserts alone',
    inflict: ({ database }) =>
      andGoOn(2_000, () => database.run(`ALTER PUBLICATION model_cache_mc SET (publish = 'insert')`)),
  },
  {
    name: 'rival',
    what: 'an application with another Valkey follows the same database, with the same namespace and slot, for 6 s',
    inflict: (world) =>
      besideRivals(world, { url: world.database.url, size: 2, ms: RIVAL_MS, leaders: world.slot ? 0 : 1 }),
  },
  {
    name: 'neighbour',
    what: 'a follower of another database of the server, with a Valkey of its own, names the same slot, for 3 s',
    isOfSlots: true,
    inflict: (world) => besideNeighbours(world, 0, 'WITH (FORCE)'),
  },
]

async function dropSlot({ database, slot }: World): Promise<void> {
  for (let isDropped = false; !isDropped;) {
    await database.run(
      `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '${slot}' AND active_pid IS NOT NULL`,
    )
    // Whoever follows may take it again in between.
    isDropped = await database.run(`SELECT pg_drop_replication_slot('${slot}')`).then(
      () => true,
      () => false,
    )
  }
}

/** What happens to the binlog, and to a followed table. */
export const mariadbFaults: readonly Fault[] = [
  {
    name: 'purged',
    what: 'all followers end, and the binlog that they have not read is purged before others start',
    isQuick: true,
    inflict: ({ database, fleet }) =>
      andGoOn(2_000, () =>
        fleet.replaceAll(async () => {
          await database.run('FLUSH BINARY LOGS')
          const [last] = await database.rows<{ File: string }>('SHOW MASTER STATUS')
          // A connection that has ended may use one for a while.
          while ((await database.rows('SHOW BINARY LOGS')).length > 1)
            await database.run(`PURGE BINARY LOGS TO '${last!.File}'`)
        }),
      ),
  },
  {
    name: 'reset',
    what: 'the binlog is deleted and begins again, while it is read: RESET MASTER',
    inflict: ({ database }) => andGoOn(2_000, () => database.run('RESET MASTER')),
  },
  // Foreign keys stay with the name.
  swapped(`
    SET foreign_key_checks = 0;
    CREATE TABLE UserNext LIKE User;
    LOCK TABLES User WRITE, UserNext WRITE;
    INSERT INTO UserNext SELECT * FROM User;
    ALTER TABLE User RENAME UserBefore;
    ALTER TABLE UserNext RENAME User;
    UNLOCK TABLES;
    DROP TABLE UserBefore;
    SET foreign_key_checks = 1`),
  {
    name: 'rival',
    what: 'an application with another Valkey follows the same database, with the same namespace, for 6 s',
    inflict: (world) => besideRivals(world, { url: world.database.url, size: 2, ms: RIVAL_MS, leaders: 1 }),
  },
  {
    name: 'neighbour',
    what: 'a follower of another database of the server, with a Valkey of its own, uses the same namespace, for 3 s',
    inflict: (world) => besideNeighbours(world, 1, ''),
  },
]

async function besideNeighbours(world: World, leaders: number, force: string): Promise<undefined> {
  const { database } = world
  await database.run('CREATE DATABASE neighbour')
  const { href: url } = Object.assign(new URL(database.url), { pathname: '/neighbour' })
  await besideRivals(world, { url, size: 1, ms: NEIGHBOUR_MS, leaders })
  await database.run(`DROP DATABASE neighbour ${force}`)
}
