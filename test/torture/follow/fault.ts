import { setTimeout as sleep } from 'node:timers/promises'
import { SingleServer } from '../servers/single-server.ts'
import { machineTime } from '../clock.ts'
import type { FollowedDatabase } from './databases/followed-database.ts'
import { Fleet, type FollowerProcess } from './fleet.ts'

export interface FaultyWorld {
  readonly fleet: Fleet
  readonly valkey: SingleServer
  readonly database: FollowedDatabase
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

/** Has something happen, and rows written for a while after it. */
export async function andGoOn(ms: number, happen: () => Promise<unknown>): Promise<undefined> {
  await happen()
  await sleep(ms)
}

/** @returns how long nobody followed after it */
export async function untilReplaced(
  { fleet }: FaultyWorld,
  happen: (follower: FollowerProcess) => Promise<void>,
): Promise<number> {
  const { follower } = await fleet.leader()
  const at = machineTime()
  await happen(follower)
  return (await fleet.leader(at)).at - at
}

/** @param begin holds the follower up, and returns what lets it go on */
export async function suspend(
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

/** @throws when another number of rivals than `leaders` took over, or one of the followers had to do so again */
export async function besideRivals(
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
