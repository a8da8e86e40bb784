import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { percent } from '../../harness/format.ts'
import { table } from '../../harness/section.ts'
import { largestOf, winnerOf, type Gain } from './gains.ts'
import type { DecisionResult } from './measure.ts'

const signed = (part: number): string => `${part > 0 ? '+' : ''}${percent(part, 1)}`
const range = ({ min, max }: Gain): string => `${signed(min)} … ${signed(max)}`

export const specialise = defineComparison({
  name: 'specialise',
  question: 'What does it save to decide once, at registration, instead of at each call?',
  packages: ['arktype', 'autocannon', 'prom-client'],
  full: {
    rounds: 4,
    warmUpRequests: 5_000,
    legSeconds: 0.7,
    alone: { warmUpMs: 80, rounds: 21, batchMs: 4 },
  },
  quick: { rounds: 1, warmUpRequests: 200, legSeconds: 0.1, alone: { warmUpMs: 20, rounds: 5, batchMs: 1 } },
  variants: ['decision', async () => (await import('./decisions.ts')).allDecisions],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ rows, connections, rounds, secondsPerLeg, control, decisions }) {
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
            `Each request reads ${rows} rows of 330 bytes from memory; autocannon, in another process, has ${connections} connections.`,
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
    figuresOf(
      decisions.flatMap(({ name, variants }) => variants.map((one) => ({ decision: name, ...one }))),
      ({ decision, name }) => `${decision}: ${name}`,
      { '': ['cpuUsPerRequest', 'µs/request'] },
    ),
})
