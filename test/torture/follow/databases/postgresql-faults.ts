import { setTimeout as sleep } from 'node:timers/promises'
import { andGoOn, besideRivals, type Fault, type FaultyWorld, untilReplaced } from '../fault.ts'

const RIVAL_MS = 6_000
const NEIGHBOUR_MS = 3_000

/** What happens to a slot, to a publication and to a followed table. */
export const postgresqlFaults: readonly Fault[] = [
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
    inflict: ({ database }) => andGoOn(2_000, () => database.run(swap)),
  },
  {
    name: 'unpublished',
    what: 'the table leaves the publication for 2 s',
    inflict: ({ database }) =>
      andGoOn(2_000, async () => {
        await database.run('ALTER PUBLICATION model_cache_mc DROP TABLE "User"')
        await sleep(2_000)
        // The follower may have added it again.
        await database.run(addIfMissing)
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
    async inflict(world) {
      await world.database.run('CREATE DATABASE neighbour')
      const { href: url } = Object.assign(new URL(world.database.url), { pathname: '/neighbour' })
      await besideRivals(world, { url, size: 1, ms: NEIGHBOUR_MS, leaders: 0 })
      await world.database.run('DROP DATABASE neighbour WITH (FORCE)')
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

async function dropSlot({ database, slot }: FaultyWorld): Promise<void> {
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
