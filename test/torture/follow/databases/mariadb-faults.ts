import { andGoOn, besideRivals, type Fault } from '../fault.ts'

const RIVAL_MS = 6_000
const NEIGHBOUR_MS = 3_000

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
  {
    name: 'swapped',
    what: 'a migration renames another table to the name of the followed one',
    inflict: ({ database }) => andGoOn(2_000, () => database.run(swap)),
  },
  {
    name: 'rival',
    what: 'an application with another Valkey follows the same database, with the same namespace, for 6 s',
    inflict: (world) => besideRivals(world, { url: world.database.url, size: 2, ms: RIVAL_MS, leaders: 1 }),
  },
  {
    name: 'neighbour',
    what: 'a follower of another database of the server, with a Valkey of its own, uses the same namespace, for 3 s',
    async inflict(world) {
      await world.database.run('CREATE DATABASE neighbour')
      const { href: url } = Object.assign(new URL(world.database.url), { pathname: '/neighbour' })
      await besideRivals(world, { url, size: 1, ms: NEIGHBOUR_MS, leaders: 1 })
      await world.database.run('DROP DATABASE neighbour')
      return undefined
    },
  },
]

/** As an online migration ends. Foreign keys stay with the name. */
const swap = `
  SET foreign_key_checks = 0;
  CREATE TABLE UserNext LIKE User;
  LOCK TABLES User WRITE, UserNext WRITE;
  INSERT INTO UserNext SELECT * FROM User;
  ALTER TABLE User RENAME UserBefore;
  ALTER TABLE UserNext RENAME User;
  UNLOCK TABLES;
  DROP TABLE UserBefore;
  SET foreign_key_checks = 1`
