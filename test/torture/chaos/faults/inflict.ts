import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../pod/protocol.ts'
import type { Fault, Inflicted, World } from './fault.ts'
import { allFaults } from './faults.ts'

/** Milliseconds between two faults of a lane: at least and at most. Faults of different lanes overlap. */
const LANES: readonly (readonly [
  faults: 'server' | keyof typeof allFaults,
  pauseMs: readonly [number, number],
])[] = [
  ['server', [2_000, 8_000]],
  ['database', [500, 2_000]],
  ['pod', [500, 2_500]],
  ['link', [1_000, 3_000]],
  ['link', [1_000, 3_000]],
]

/**
 * Inflicts random faults until the signal aborts, and records them; resolves when all are over.
 *
 * @param ofServer the faults of the server
 */
export async function inflictFaults(
  world: World,
  ofServer: readonly Fault[],
  log: Inflicted[],
  signal: AbortSignal,
): Promise<void> {
  const faults = { ...allFaults, server: ofServer }
  await Promise.all(
    LANES.map(async ([lane, pauseMs]) => {
      let left: Fault[] = []
      while (!signal.aborted) {
        // Each kind once before any comes again.
        if (left.length === 0) left = [...faults[lane]]
        const [fault] = left.splice(world.random.integer(0, left.length - 1), 1)
        const { kind, losesKeys = false, inflict } = fault!
        const from = machineTime()
        await inflict(world).finally(() => log.push({ kind, losesKeys, from, to: machineTime() }))
        await sleep(world.random.integer(...pauseMs), undefined, { signal }).catch(() => {})
      }
    }),
  )
}
