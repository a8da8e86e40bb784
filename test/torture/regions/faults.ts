import { setTimeout as sleep } from 'node:timers/promises'
import { andGoOn, commonFaults, type Fault, untilReplaced } from '../follow/faults.ts'
import { BRIDGE_MS, type RegionWorld } from './world.ts'

type RegionFault = Fault<RegionWorld>

const DELAYED_MS = 6_000
const CUT_MS = 3_000
const LATE_MS = 300

/** What happens to the log on its way, and to the servers of a region. */
const ownFaults: readonly RegionFault[] = [
  {
    name: 'delayed',
    what: 'the log reaches the standby 0.1 to 2 s late',
    isFollowed: true,
    isQuick: true,
    inflict: (world) => delay(world, () => 100 + 1_900 * Math.random(), DELAYED_MS),
  },
  {
    name: 'wire-cut',
    what: 'the standby does not get the log for 3 s',
    isFollowed: true,
    isQuick: true,
    inflict: (world) => cut(world, CUT_MS),
  },
  {
    name: 'paused',
    what: 'the standby gets the log, and does not show what it gets, for 1 s again and again',
    isFollowed: true,
    inflict: ({ database }) =>
      andGoOn(1_000, async () => {
        for (let i = 0; i < 3; i++) await pauseReplay(database, 1_000)
      }),
  },
  {
    name: 'late-acknowledgements',
    what: 'replication is synchronous, and the primary hears 0.3 s late that the standby has a commit',
    isFollowed: true,
    inflict: (world) => replicateSynchronously(world, LATE_MS, 5_000),
  },
  {
    name: 'beyond-fences',
    what: 'the standby does not get the log for longer than fences stand',
    isFollowed: true,
    inflict: (world) => cut(world, BRIDGE_MS + 4_000),
  },
  {
    name: 'valkey-cut',
    what: 'all connections to Valkey are cut, three times',
    inflict: ({ valkey }) =>
      andGoOn(1_000, async () => {
        for (let i = 0; i < 3; i++) await andGoOn(500, () => valkey.cut())
      }),
  },
  {
    name: 'conflict',
    what: 'the primary removes rows of its catalogue that the slot needs',
    isQuick: true,
    async inflict(world) {
      const { servers } = world
      await servers.setFeedback('off')
      // The primary has to hear of it.
      await sleep(1_500)
      const ms = await untilReplaced(world, () => removeCatalogueRows(world))
      await servers.setFeedback('on')
      return ms
    },
  },
  {
    name: 'primary-crashed',
    what: 'the primary crashes and recovers',
    inflict: ({ servers }) => andGoOn(3_000, () => servers.crashPrimary()),
  },
]

/** What comes last: after it the servers have other parts. */
const promotions: readonly RegionFault[] = [
  {
    name: 'upstream-promoted',
    what: 'the standby gets the log from another standby, which is promoted',
    isFollowed: true,
    inflict: ({ servers }) =>
      andGoOn(3_000, async () => {
        await servers.cascade()
        await sleep(2_000)
        await servers.promoteUpstream()
      }),
  },
  {
    name: 'promoted',
    what: 'the standby is promoted',
    inflict: (world) => untilReplaced(world, () => world.servers.promote()),
  },
]

export const faults: readonly RegionFault[] = [
  ...ownFaults,
  ...commonFaults.map((fault) => ({
    ...fault,
    isQuick: fault.name === 'killed',
    ...(fault.name === 'crashed' && { what: 'the standby crashes and recovers', showsEarlierState: true }),
  })),
  ...promotions,
]

export async function delay({ servers }: RegionWorld, delayMs: () => number, ms: number): Promise<undefined> {
  servers.wire.faults.delayMs = (direction) => (direction === 'down' ? delayMs() : 0)
  await sleep(ms)
  servers.wire.heal()
}

async function cut({ servers }: RegionWorld, ms: number): Promise<undefined> {
  servers.wire.faults.refuses = true
  servers.wire.cut()
  await sleep(ms)
  servers.wire.heal()
  await sleep(1_000)
}

export async function pauseReplay({ run }: RegionWorld['database'], ms: number): Promise<void> {
  await run('SELECT pg_wal_replay_pause()')
  await sleep(ms)
  await run('SELECT pg_wal_replay_resume()')
  await sleep(300)
}

/** Readers of the primary see a commit later than those of the standby. */
export async function replicateSynchronously(
  { servers }: RegionWorld,
  lateMs: number,
  ms: number,
): Promise<undefined> {
  await servers.primary.run(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await servers.primary.run('SELECT pg_reload_conf()')
  servers.wire.faults.delayMs = (direction) => (direction === 'up' ? lateMs : 0)
  await sleep(ms)
  servers.wire.heal()
  await servers.primary.run('ALTER SYSTEM RESET synchronous_standby_names')
  await servers.primary.run('SELECT pg_reload_conf()')
}

const ATTEMPTS = 10

/** Rows that a running transaction may see are not removed: it takes some attempts. */
async function removeCatalogueRows({ database, servers }: RegionWorld): Promise<void> {
  const conflicts = async (): Promise<string> => {
    const sql = 'SELECT sum(confl_active_logicalslot)::text AS count FROM pg_stat_database_conflicts'
    return (await database.rows<{ count: string }>(sql))[0]!.count
  }
  const before = await conflicts()
  for (let attempt = 0; attempt < ATTEMPTS && (await conflicts()) === before; attempt++) {
    await servers.primary.run('CREATE TABLE removed (id int)')
    await servers.primary.run('DROP TABLE removed')
    await servers.primary.run('VACUUM pg_class')
    await servers.primary.run('VACUUM FULL pg_class')
    await sleep(500)
  }
}
