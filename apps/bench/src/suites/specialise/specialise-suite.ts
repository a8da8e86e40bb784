import { join } from 'node:path'
import { choose } from '../../harness/choose.ts'
import { percent } from '../../harness/format.ts'
import { openCannon, type Cannon } from '../../harness/http/cannon.ts'
import type { Shot } from '../../harness/http/fire.ts'
import { startServed, type Served } from '../../harness/http/served.ts'
import { interleave, type Effort as AloneEffort } from '../../harness/interleave.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, rounded } from '../../harness/rounds.ts'
import { table } from '../../harness/section.ts'
import { mean, median } from '../../harness/statistics.ts'
import { defineSuite, lower, type RunOptions } from '../../harness/suite.ts'
import { allDecisions, control, type Decision } from './decisions.ts'
import { answerOf, BIDS, bids } from './reads.ts'

interface Effort {
  readonly rounds: number
  /** A number and not a duration: the optimising compilers count calls. */
  readonly warmUpRequests: number
  readonly legSeconds: number
  readonly alone: AloneEffort
}

const FULL: Effort = {
  rounds: 4,
  warmUpRequests: 5_000,
  legSeconds: 0.7,
  alone: { warmUpMs: 80, rounds: 21, batchMs: 4 },
}
const QUICK: Effort = {
  rounds: 1,
  warmUpRequests: 200,
  legSeconds: 0.1,
  alone: { warmUpMs: 20, rounds: 5, batchMs: 1 },
}
const CONNECTIONS = 10

async function measure({ quick, only }: RunOptions) {
  const effort = quick ? QUICK : FULL
  const chosen = [control, ...choose('decision', allDecisions, only)]
  say(`${chosen.length - 1} decisions and the control, ${effort.rounds} rounds`)
  const cannon = await openCannon()
  const take = (decision: Decision) => runRound(decision, cannon, effort)
  const rounds = await inRounds(chosen, effort.rounds, take).finally(() => cannon.stop())
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

export interface Leg {
  readonly requestsPerSecond: number
  readonly cpuUsPerRequest: number
}
/** The legs of both variants in one round. */
export type Round = readonly [first: readonly Leg[], second: readonly Leg[]]

/** Runs both servers of a decision in new processes, and loads them in turn: A B B A. */
async function runRound(
  { name, variants }: Decision,
  cannon: Cannon,
  { warmUpRequests, legSeconds }: Effort,
): Promise<Round> {
  const file = join(import.meta.dirname, 'serve.ts')
  const starting = variants.map((variant) => startServed(file, { args: [name, variant.name] }))
  try {
    const servers = await Promise.all(starting)
    const shotAt = ({ url }: Served, until: Shot['until']): Shot => ({
      url,
      paths: ['/'],
      connections: CONNECTIONS,
      until,
    })
    for (const served of servers) {
      // Twice: a cache is empty the first time.
      for (const answer of [await served.get('/'), await served.get('/')]) {
        if (answer !== answerOf(bids)) throw new Error(`${name}: a server returns ${answer.slice(0, 300)}`)
      }
      await cannon.fire(shotAt(served, { requests: warmUpRequests }))
    }
    const legs: [Leg[], Leg[]] = [[], []]
    for (const variant of [0, 1, 1, 0] as const) {
      const served = servers[variant]!
      const { result, watched } = await served.watch(() =>
        cannon.fire(shotAt(served, { seconds: legSeconds })),
      )
      const cpuUsPerRequest = (watched.cpuMs * 1_000) / result.requests
      legs[variant].push({ requestsPerSecond: result.requestsPerSecond, cpuUsPerRequest })
    }
    return legs
  } finally {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
  }
}

type DecisionResult = ReturnType<typeof resultOf>

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

const ofRound = (round: Round, variant: 0 | 1, figure: keyof Leg): number =>
  mean(round[variant].map((leg) => leg[figure]))

/** Parts of the second variant's figure, over the rounds: 0.02 is 2 %. */
export interface Gain {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** How many more requests the first variant serves, and how much processor time it saves, within each round. */
export function gainsOf(rounds: readonly Round[]): { gain: Gain; cpuGain: Gain } {
  const ratios = (figure: keyof Leg): number[] =>
    rounds.map((round) => ofRound(round, 0, figure) / ofRound(round, 1, figure))
  const gainOf = (parts: readonly number[]): Gain => {
    const [middle, min, max] = [median(parts), Math.min(...parts), Math.max(...parts)].map((part) =>
      Number(part.toFixed(4)),
    ) as [number, number, number]
    return { median: middle, min, max }
  }
  return {
    gain: gainOf(ratios('requestsPerSecond').map((ratio) => ratio - 1)),
    cpuGain: gainOf(ratios('cpuUsPerRequest').map((ratio) => 1 - ratio)),
  }
}

/** The better variant, if the gain exceeds any of the control and all rounds agree about its sign. */
export function winnerOf(
  [first, second]: readonly [{ readonly name: string }, { readonly name: string }],
  gain: Gain,
  noise: Gain,
): string | undefined {
  // One round agrees with itself.
  if (gain.min === gain.max) return undefined
  if (Math.abs(gain.median) <= largestOf(noise) || gain.min * gain.max <= 0) return undefined
  return gain.median > 0 ? first.name : second.name
}

const largestOf = ({ min, max }: Gain): number => Math.max(Math.abs(min), Math.abs(max))
const signed = (part: number): string => `${part > 0 ? '+' : ''}${percent(part, 1)}`
const range = ({ min, max }: Gain): string => `${signed(min)} … ${signed(max)}`

export const specialiseSuite = defineSuite({
  packages: ['arktype', 'autocannon', 'prom-client'],
  measure,
  sections({ rows, connections, rounds, secondsPerLeg, control, decisions }) {
    const all = [control, ...decisions]
    const winner = (one: DecisionResult, gain: 'gain' | 'cpuGain') =>
      one === control ? '' : (winnerOf(one.variants, one[gain], control[gain]) ?? '–')
    const nameOf = ({ name, variants: [a, b] }: DecisionResult) => `${name}: ${a.name} | ${b.name}`
    return [
      { title: 'Decisions, A against B', text: all.map(({ name, about }) => `${name}: ${about}.`) },
      table(
        'A against B as whole servers, requests per second',
        all,
        {
          'A | B': nameOf,
          A: ({ variants }) => variants[0].requestsPerSecond,
          B: ({ variants }) => variants[1].requestsPerSecond,
          'A gains': ({ gain }) => signed(gain.median),
          'of rounds': ({ gain }) => range(gain),
          winner: (one) => winner(one, 'gain'),
        },
        {
          text: [
            `Each request reads ${rows} rows of 330 bytes from memory; autocannon in a process of its own has ${connections} connections.`,
            `${rounds} rounds, each of two new processes that are loaded in the order A B B A, ${secondsPerLeg} s each. Medians; the range is of the rounds.`,
            `The same server twice differs by up to ${percent(largestOf(control.gain), 1)}. A difference counts if it is larger and all rounds agree about its sign.`,
          ],
          chart: { y: 'requests/s', columns: ['A', 'B'] },
        },
      ),
      table(
        'Processor time of the same servers, and of the decision alone',
        all,
        {
          'A | B': nameOf,
          'A, µs/request': ({ variants }) => variants[0].cpuUsPerRequest,
          'B, µs/request': ({ variants }) => variants[1].cpuUsPerRequest,
          'A saves': ({ cpuGain }) => signed(cpuGain.median),
          'of rounds': ({ cpuGain }) => range(cpuGain),
          winner: (one) => winner(one, 'cpuGain'),
          'A alone, ns': ({ variants }) => variants[0].aloneNs,
          'B alone, ns': ({ variants }) => variants[1].aloneNs,
        },
        {
          text: [
            'Of the process of the server alone, so it shows smaller differences.',
            'Alone is one call without a server, both variants interleaved in one process; a request has one call per row.',
            `The same server twice differs by up to ${percent(largestOf(control.cpuGain), 1)}.`,
          ],
        },
      ),
    ]
  },
  conclusion({ decisions, control }) {
    const cheaper = decisions.flatMap(({ name, variants, cpuGain }) => {
      const winner = winnerOf(variants, cpuGain, control.cpuGain)
      return winner ? [`${name} (${winner}, ${percent(Math.abs(cpuGain.median))})`] : []
    })
    return `Decisions whose variants differ in processor time beyond the noise: ${cheaper.join(', ') || 'none'}, of ${decisions.length}.`
  },
  figures: ({ decisions }) =>
    Object.fromEntries(
      decisions.flatMap(({ name, variants }) =>
        variants.map((variant) => [`${name}: ${variant.name}`, lower(variant.cpuUsPerRequest, 'µs/request')]),
      ),
    ),
})
