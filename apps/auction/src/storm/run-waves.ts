import { setTimeout as sleep } from 'node:timers/promises'
import type { StormDesign } from './designs/storm-design.js'
import type { StormResult } from './storm-state.js'
import { watchLoop } from './watch-loop.js'

/** Before each wave, for the probes to see the process at rest. */
const CALM_MS = 200

/** In each wave all users read all lots in the same turn of the event loop, every read by itself. */
export async function runWaves(
  design: StormDesign,
  ids: readonly string[],
  { users, waves }: { users: number; waves: number },
): Promise<Pick<StormResult, 'longestBlockMs' | 'cpuMs'>> {
  let longestBlockMs = 0
  let cpuMicros = 0
  for (let wave = 0; wave < waves; wave++) {
    await sleep(CALM_MS)
    const longestBlock = watchLoop()
    const before = process.cpuUsage()
    await Promise.all(
      Array.from({ length: users }, () => Promise.all(ids.map((id) => design.get(id)))),
    ).finally(() => {
      const { user, system } = process.cpuUsage(before)
      cpuMicros += user + system
      longestBlockMs = Math.max(longestBlockMs, longestBlock())
    })
  }
  return { longestBlockMs, cpuMs: cpuMicros / 1_000 / waves }
}
