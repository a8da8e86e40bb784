import { andGoOn, type Fault, suspend, untilReplaced } from './fault.ts'

/** Longer than the silence after which a follower is deposed. */
const STOP_MS = 8_000
/** Longer than the time after which the database counts as lost. */
const STALL_MS = 12_000
const HANG_MS = 4_000
const DOWN_MS = 1_000

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
