import { join } from 'node:path'
import type { Run } from '../../harness/comparison.ts'
import { saturate, warmUp } from '../../harness/http/load.ts'
import { startServed } from '../../harness/http/served.ts'
import { interleave, type Effort as AloneEffort } from '../../harness/interleave.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, rounded } from '../../harness/rounds.ts'
import { median } from '../../harness/statistics.ts'
import { control, type Decision } from './decisions.ts'
import { gainsOf, ofRound, type Leg, type Round } from './gains.ts'
import { answerOf, BIDS, bids } from './reads.ts'

export interface Effort {
  readonly rounds: number
  /** A number and not a duration: the optimising compilers count calls. */
  readonly warmUpRequests: number
  readonly legSeconds: number
  readonly alone: AloneEffort
}

const CONNECTIONS = 10

export async function measure({ chosen: named, effort }: Run<Effort, Decision>) {
  const chosen = [control, ...named]
  say(`${named.length} decisions and the control, ${effort.rounds} rounds`)
  const rounds = await inRounds(chosen, effort.rounds, (decision) => runRound(decision, effort))
  const [same, ...decisions] = chosen.map((one) => resultOf(one, rounds.get(one)!, effort.alone))
  return {
    /** Rows per request. */
    rows: BIDS,
    connections: CONNECTIONS,
    rounds: effort.rounds,
    secondsPerLeg: effort.legSeconds,
    control: same!,
    decisions,
  }
}

/** Runs both servers of a decision in new processes, and loads them in turn: A B B A. */
async function runRound(
  { name, variants }: Decision,
  { warmUpRequests, legSeconds }: Effort,
): Promise<Round> {
  const file = join(import.meta.dirname, 'serve.ts')
  const starting = variants.map((variant) => startServed(file, { args: [name, variant.name] }))
  try {
    const servers = await Promise.all(starting)
    const load = { paths: ['/'], connections: CONNECTIONS, warmUpRequests }
    for (const served of servers) {
      // Twice: a cache is empty the first time.
      for (const answer of [await served.get('/'), await served.get('/')]) {
        if (answer !== answerOf(bids)) throw new Error(`${name}: a server returns ${answer.slice(0, 300)}`)
      }
      await warmUp(served, load)
    }
    const legs: [Leg[], Leg[]] = [[], []]
    for (const variant of [0, 1, 1, 0] as const) {
      const { requestsPerSecond, cpuMsPerRequest } = await saturate(servers[variant]!, load, legSeconds)
      legs[variant].push({ requestsPerSecond, cpuUsPerRequest: 1_000 * cpuMsPerRequest })
    }
    return legs
  } finally {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
  }
}

export type DecisionResult = ReturnType<typeof resultOf>

function resultOf(decision: Decision, rounds: readonly Round[], effort: AloneEffort) {
  const { name, about, variants, alone } = decision
  const tasks = alone?.().map((task, index) => ({ ...task, name: variants[index]!.name }))
  const timings = tasks && interleave(tasks, effort)
  const variant = (index: 0 | 1) => ({
    name: variants[index].name,
    requestsPerSecond: rounded(median(rounds.map((round) => ofRound(round, index, 'requestsPerSecond')))),
    cpuUsPerRequest: rounded(median(rounds.map((round) => ofRound(round, index, 'cpuUsPerRequest')))),
    /** Nanoseconds of one call without a server. */
    ...(timings && { aloneNs: rounded(timings[variants[index].name]!.ns, 3) }),
  })
  return {
    name,
    about,
    variants: [variant(0), variant(1)] as const,
    ...gainsOf(rounds),
  }
}
