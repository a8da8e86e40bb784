import { setTimeout as sleep } from 'node:timers/promises'
import { findValkeyServer } from '../../support/valkey-server.ts'
import { say } from '../bench/harness.ts'
import type { TortureRun } from '../define-torture.ts'
import type { Defect } from '../defects.ts'
import { untilNoticed } from '../rehearsal.ts'
import type { Fault } from './fault.ts'
import { CITIES, ROWS } from './judge-reads.ts'
import { measureIdle } from './measure-idle.ts'
import type { OpenedWorld } from './open-world.ts'
import {
  FAULTY,
  HEARTBEAT_MS,
  IDLE,
  type Log,
  MEMORY_MS,
  type Part,
  type Plan,
  SILENCE_MS,
  STEADY,
} from './plan.ts'
import { runPhase, type World } from './phase.ts'

const SLOT = 'model_cache_bench'
const REHEARSED_MS = 500

/** How far a read may be behind in a phase without faults: what is committed after a report becomes part of the next one. */
const steadily = {
  allowedMs: ({ ageMs, lagMs }: { readonly ageMs: number; readonly lagMs: number }): number =>
    lagMs + ageMs + HEARTBEAT_MS,
  memoryMs: MEMORY_MS,
}

/** And in one with them. */
const faulty = {
  ...FAULTY,
  // A follower that is gone was heard a silence ago at most, and said what was true a heartbeat before.
  allowedMs: ({ lagMs }: { readonly lagMs: number }): number => lagMs + HEARTBEAT_MS + SILENCE_MS,
  memoryMs: MEMORY_MS,
}

export interface Effort {
  readonly warmUpMs: number
  readonly steadyMs: number
  readonly calmMs: number
  readonly idleMs: number
}

export async function measure(run: TortureRun<Effort, Part>, plan: Plan) {
  const { chosen, only, quick, rehearse } = run
  const { calmMs, idleMs, steadyMs, warmUpMs } = run.effort
  const { name: server, version } = await findValkeyServer()
  const opened = await (await import('./open-world.ts')).openWorld(run, plan.database)
  const { title } = opened.database
  const suffer = async (world: World, of: string): Promise<Phase[]> => {
    const isChosen = (fault: Fault): boolean =>
      chosen.includes(fault) &&
      (world.slot !== undefined || !fault.isOfSlots) &&
      (!quick || only.length > 0 || (fault.isQuick === true && world.slot !== undefined))
    const phases: Phase[] = []
    for (const { inflict, name, what } of plan.faults.filter(isChosen)) {
      say(`${of}: ${what} …`)
      const happen = async (): Promise<number | undefined> => {
        await sleep(calmMs)
        const ms = await inflict(world)
        await sleep(calmMs)
        return ms
      }
      phases.push(printMessages(await runPhase(world, { name, ...faulty, happen })))
    }
    return phases
  }
  const writeSteadily = async (world: World, pace: (typeof STEADY)[number]): Promise<Phase> => {
    say(`${pace.rowsPerSecond} rows a second …`)
    const writeFor = (ms: number) =>
      runPhase(world, { ...steadily, ...pace, happen: async () => void (await sleep(ms)) })
    if (warmUpMs > 0) await writeFor(warmUpMs)
    return printMessages(await writeFor(steadyMs))
  }
  say(`${title}, ${server} ${version}`)
  const steady: Phase[] = []
  const faults: Record<Log, Phase[]> = { temporary: [], durable: [] }
  for (const [log, of] of Object.entries(plan.logs) as [Log, string][]) {
    await rehearse(of, ['change left out', 'stale entry'], (defect) => rehearseDefect(opened, defect))
    const slot = log === 'durable' ? SLOT : undefined
    const paces = steady.length === 0 ? STEADY.filter((one) => chosen.includes(one)) : []
    if (paces.length > 0) {
      const world = await begin(await opened.follow({ slot }))
      for (const pace of paces) steady.push(await writeSteadily(world, pace))
    }
    faults[log] = await suffer(await begin(await opened.follow({ slot, isWired: true })), of)
  }
  const isIdle = plan.hasSlots && chosen.includes(IDLE)
  if (isIdle) say('Writing other tables and databases …')
  const idle = isIdle ? await measureIdle(opened.database, SLOT, idleMs) : undefined
  return {
    database: title,
    server: `${server} ${version}`,
    isQuick: quick,
    rows: ROWS,
    lists: CITIES,
    steady,
    ...faults,
    ...(idle && { idle }),
  }
}

export type Measured = Awaited<ReturnType<typeof measure>>
export type Phase = Omit<Awaited<ReturnType<typeof runPhase>>, 'messages'>

/** Prints the messages of the followers, and returns the rest of the result. */
function printMessages({ messages, ...phase }: Awaited<ReturnType<typeof runPhase>>): Phase {
  for (const message of messages) say(`  ${message}`)
  return phase
}

/** Has followers leave changes out, or readers return stale entries, until reads or rows at rest are found stale. */
async function rehearseDefect(opened: OpenedWorld, defect: Defect): Promise<number | undefined> {
  const isOfReaders = defect === 'stale entry'
  // The next follower empties the caches after a temporary slot, or with a new one: nothing of the defect is left.
  const world = await begin(
    await opened.follow({ slot: undefined, defect: isOfReaders ? undefined : defect }),
  )
  if (isOfReaders) for (const reader of world.readers) await reader.call('inflict', defect)
  const noticedAfter = await untilNoticed(async () => {
    const happen = async (): Promise<undefined> => void (await sleep(REHEARSED_MS))
    const { lostEvents, stale } = await runPhase(world, { name: defect, ...faulty, happen })
    return lostEvents + stale > 0
  })
  if (isOfReaders) for (const reader of world.readers) await reader.call('mend')
  return noticedAfter
}

/** Resolves when readers store rows. */
async function begin(world: World): Promise<World> {
  for (const reader of world.readers) while ((await reader.call('lacks')).length > 0) await sleep(50)
  return world
}
