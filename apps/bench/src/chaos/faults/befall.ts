import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, World } from './fault.ts'
import type { FaultLog } from './fault-log.ts'
import { databaseFaults } from './database-faults.ts'
import { linkFaults } from './link-faults.ts'
import { podFaults } from './pod-faults.ts'
import { serverFaults } from './server-faults.ts'

interface Lane {
  readonly faults: readonly Fault[]
  /** Between two of them, in milliseconds: at least and at most. */
  readonly pauseMs: readonly [number, number]
}

/** Faults of different lanes meet; those of one lane do not. */
const lanes: readonly Lane[] = [
  { faults: serverFaults, pauseMs: [2_000, 8_000] },
  { faults: databaseFaults, pauseMs: [500, 2_000] },
  { faults: podFaults, pauseMs: [500, 2_500] },
  { faults: linkFaults, pauseMs: [1_000, 3_000] },
  { faults: linkFaults, pauseMs: [1_000, 3_000] },
]

/** Lets faults befall the world until it is told to stop; resolves when all are over. */
export async function befall(world: World, log: FaultLog, signal: AbortSignal): Promise<void> {
  await Promise.all(lanes.map((lane) => runLane(lane, world, log, signal)))
}

async function runLane(
  { faults, pauseMs }: Lane,
  world: World,
  log: FaultLog,
  signal: AbortSignal,
): Promise<void> {
  const { random } = world
  let left: Fault[] = []
  while (!signal.aborted) {
    // Each kind once before any comes again.
    if (left.length === 0) left = [...faults]
    const [fault] = left.splice(random.integer(0, left.length - 1), 1)
    await log.run(fault!, world)
    await sleep(random.integer(...pauseMs), undefined, { signal }).catch(() => {})
  }
}
