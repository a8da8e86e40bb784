import { setTimeout as sleep } from 'node:timers/promises'
import { findValkeyServer } from '../../support/valkey-server.ts'
import { say, type Variant } from '../bench/harness.ts'
import { type TortureRun, untilNoticed } from '../define-torture.ts'
import type { Defect } from '../defects.ts'
import type { Fault } from './faults.ts'
import { type Phase, runPhase } from './phase.ts'
import type { Pace } from './recorded-writes.ts'
import { type OpenWorld, SLOT, type World } from './world.ts'

/** How a follower reads the log. */
export type Log = 'temporary' | 'durable'

/** What is measured of a database. */
export interface Plan<W extends World = World> {
  /** In which the faults happen, and how they are called. */
  readonly logs: Readonly<Partial<Record<Log, string>>>
  /** Without faults. */
  readonly steady: readonly (Variant & Pace)[]
  readonly faults: readonly Fault<W>[]
  /** Under faults. */
  readonly pace: Pace
  /** What makes a defect show, while rows are written and read. That of the follower comes first: the next follower empties the caches. */
  readonly occasions: Readonly<Partial<Record<Defect, (world: W) => Promise<unknown>>>>
  /** Those of a quick run, where it has not all. */
  readonly quickDefects?: readonly Defect[]
}

export interface Effort {
  readonly warmUpMs: number
  readonly steadyMs: number
  /** Before and after a fault. */
  readonly calmMs: number
}

/** Rehearses the defects, writes without faults, and then with each of the faults. */
export async function measure<W extends World>(
  run: TortureRun<Effort>,
  plan: Plan<W>,
  openWorld: OpenWorld<W>,
) {
  const { chosen, effort, only, quick, rehearse } = run
  const { name: server, version } = await findValkeyServer()
  const steady: Phase[] = []
  const faults: Record<Log, Phase[]> = { temporary: [], durable: [] }
  const occasions = Object.keys(plan.occasions) as Defect[]
  const defects = quick ? (plan.quickDefects ?? occasions) : occasions
  for (const [log, of] of Object.entries(plan.logs) as [Log, string][]) {
    await rehearse(of, defects, (defect) => rehearseDefect(openWorld, plan, defect))
    const slot = log === 'durable' ? SLOT : undefined
    const paces = steady.length === 0 ? plan.steady.filter((one) => chosen.includes(one)) : []
    if (paces.length > 0) {
      const world = await openWorld({ slot })
      for (const pace of paces) {
        say(`${pace.rowsPerSecond} rows a second …`)
        const options = { name: pace.name, pace, isFollowed: true }
        const writeFor = (ms: number) =>
          runPhase(world, { ...options, happen: async () => void (await sleep(ms)) })
        if (effort.warmUpMs > 0) await writeFor(effort.warmUpMs)
        steady.push(await writeFor(effort.steadyMs))
      }
    }
    const world = await openWorld({ slot, isWired: true })
    const isChosen = (fault: Fault<W>): boolean =>
      chosen.includes(fault) &&
      (slot !== undefined || !fault.isOfSlots) &&
      (!quick || only.length > 0 || (fault.isQuick === true && slot !== undefined))
    for (const fault of plan.faults.filter(isChosen)) {
      say(`${of}: ${fault.what} …`)
      const happen = async (): Promise<number | undefined> => {
        await sleep(effort.calmMs)
        const ms = await fault.inflict(world)
        await sleep(effort.calmMs)
        return ms
      }
      faults[log].push(await runPhase(world, { ...fault, pace: plan.pace, happen }))
    }
  }
  return { server: `${server} ${version}`, steady, ...faults }
}

/** Has the follower or the readers work with a defect, until the judges notice it. */
async function rehearseDefect<W extends World>(
  openWorld: OpenWorld<W>,
  { occasions, pace }: Plan<W>,
  defect: Defect,
): Promise<number | undefined> {
  const isOfFollower = defect === 'change left out'
  // The next follower empties the caches after a temporary slot, or with a new one: nothing of the defect is left.
  const options = { slot: undefined, isWired: true, defect: isOfFollower ? defect : undefined }
  const world = await openWorld(options)
  const readers = isOfFollower ? [] : world.readers
  for (const reader of readers) await reader.call('inflict', defect)
  const noticedAfter = await untilNoticed(async () => {
    const happen = async (): Promise<undefined> => void (await occasions[defect]!(world))
    const { broken, lostEvents, stale } = await runPhase(world, { name: defect, pace, happen })
    return broken + lostEvents + stale > 0
  })
  for (const reader of readers) await reader.call('mend')
  return noticedAfter
}
