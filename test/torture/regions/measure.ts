import { setTimeout as sleep } from 'node:timers/promises'
import { findValkeyServer } from '../../support/valkey-server.ts'
import { say } from '../bench/harness.ts'
import type { TortureRun } from '../define-torture.ts'
import type { Defect } from '../defects.ts'
import { untilNoticed } from '../rehearsal.ts'
import { delay, faults, pauseReplay, type RegionFault, replicateSynchronously } from './faults.ts'
import type { OpenedWorld, RegionWorld } from './open-world.ts'
import { type Phase, runPhase } from './phase.ts'

const SLOT = 'model_cache_bench'
const DELAY_MS = 300

export interface Effort {
  /** Before and after a fault. */
  readonly calmMs: number
}

/** What makes a defect show, while rows are written and read. */
const occasions = {
  'change left out': (world) => delay(world, () => 0, DELAY_MS),
  'stale entry': (world) => delay(world, () => 0, DELAY_MS),
  'fence left out': (world) => delay(world, () => DELAY_MS, 3 * DELAY_MS),
  'fence ends with COMMIT': (world) => delay(world, () => DELAY_MS, 3 * DELAY_MS),
  'received counts as replayed': ({ database }) => pauseReplay(database, DELAY_MS),
  'rows of the primary': (world) => replicateSynchronously(world, DELAY_MS, 6 * DELAY_MS),
} as const satisfies Partial<Record<Defect, (world: RegionWorld) => Promise<void>>>
type RegionDefect = keyof typeof occasions

/** That of the follower comes first: the next follower empties the caches. */
const DEFECTS = Object.keys(occasions) as readonly RegionDefect[]
/** One of the follower, of fences, and of loads. */
const QUICK_DEFECTS: readonly RegionDefect[] = [
  'change left out',
  'fence ends with COMMIT',
  'rows of the primary',
]

export async function measure(run: TortureRun<Effort, RegionFault>) {
  const { chosen, effort, only, quick, rehearse } = run
  const { name: server, version } = await findValkeyServer()
  const opened = await (await import('./open-world.ts')).openWorld(run)
  const { title } = opened.database
  say(`${title}, ${server} ${version}`)
  await rehearse('a region', quick ? QUICK_DEFECTS : DEFECTS, (defect) => rehearseDefect(opened, defect))
  const world = await begin(await opened.follow(SLOT))
  const phases: Phase[] = []
  for (const fault of faults) {
    const { inflict, what, ...options } = fault
    if (!chosen.includes(fault) || (quick && only.length === 0 && !fault.isQuick)) continue
    say(`${what} …`)
    const happen = async (): Promise<number | undefined> => {
      await sleep(effort.calmMs)
      const ms = await inflict(world)
      await sleep(effort.calmMs)
      return ms
    }
    const { messages, ...phase } = await runPhase(world, { ...options, happen })
    for (const message of messages) say(`  ${message}`)
    phases.push(phase)
  }
  return { database: title, server: `${server} ${version}`, isQuick: quick, phases }
}

/** Has the follower or the processes of the region work with a defect, until the judges notice it. */
async function rehearseDefect(opened: OpenedWorld, defect: Defect): Promise<number | undefined> {
  const isOfFollower = defect === 'change left out'
  const world = await begin(await opened.follow(undefined, isOfFollower ? defect : undefined))
  if (!isOfFollower) for (const each of world.processes) await each.call('inflict', defect)
  const noticedAfter = await untilNoticed(async () => {
    const happen = async (): Promise<undefined> => void (await occasions[defect as RegionDefect](world))
    const { broken, lostEvents, stale } = await runPhase(world, { name: defect, happen })
    return broken + lostEvents + stale > 0
  })
  if (!isOfFollower) for (const each of world.processes) await each.call('mend')
  return noticedAfter
}

/** Resolves when the processes of the region store rows. */
async function begin(world: RegionWorld): Promise<RegionWorld> {
  for (const each of world.processes) while ((await each.call('lacks')).length > 0) await sleep(50)
  return world
}
