import { setTimeout as sleep } from 'node:timers/promises'
import type { Death } from '../pod/protocol.ts'
import type { Fault } from './fault.ts'

export const podFaults: readonly Fault[] = [
  {
    // Longer than its leases and waits last, but not its fences: how long those have to stand the application says.
    kind: 'podStop',
    befall: ({ fleet, leaseMs, fenceMs, random }) =>
      fleet.withVictim(async (pod) => {
        pod.signal('SIGSTOP')
        await sleep(random.integer(leaseMs * 1.2, Math.min(leaseMs * 2, fenceMs - 1_000)))
        pod.signal('SIGCONT')
      }),
  },
  kill('killFenced', 'fenced'),
  kill('killCommitted', 'committed'),
  kill('killAnywhere', 'anywhere'),
  {
    kind: 'deploy',
    async befall({ fleet, fenceMs, random }) {
      const pod = await fleet.start('next')
      pod.order({ do: 'work' })
      // It fills from when all writes of before its start are over.
      await sleep(fenceMs + random.integer(1_000, 3_000))
      await fleet.leave(pod)
    },
  },
]

function kill(kind: string, at: Death): Fault {
  return { kind, befall: ({ fleet }) => fleet.withVictim((pod) => fleet.kill(pod, at)) }
}
