import { setTimeout as sleep } from 'node:timers/promises'
import type { BurstDesign } from './designs/burst-design.js'
import type { BurstResult } from './burst-state.js'
import { watchLoop } from './watch-loop.js'

/** Pause before each wave, in which the probes see the process idle. */
const PAUSE_MS = 200

/** In each wave, all users read all lots one by one, in the same event-loop turn. */
export async function runWaves(
  design: BurstDesign,
  ids: readonly string[],
  { users, waves }: { users: number; waves: number },
): Promise<Pick<BurstResult, 'longestBlockMs' | 'cpuMs'>> {
  let longestBlockMs = 0
  let cpuMicros = 0
  for (let wave = 0; wave < waves; wave++) {
    await sleep(PAUSE_MS)
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
