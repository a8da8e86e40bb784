import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { percent } from '../../harness/format.ts'
import { table } from '../../harness/section.ts'
import { largestOf, winnerOf } from './gains.ts'

const signed = (part: number): string => `${part > 0 ? '+' : ''}${percent(part, 1)}`

export const specialise = defineComparison({
  name: 'specialise',
  question: 'What does it save to decide once, at registration, instead of at each call?',
  packages: ['arktype', 'prom-client'],
  full: {
    rounds: 8,
    warmUpRequests: 5_000,
    requests: 3_000,
    alone: { warmUpMs: 80, rounds: 21, batchMs: 4 },
  },
  quick: { rounds: 1, warmUpRequests: 200, requests: 100, alone: { warmUpMs: 20, rounds: 5, batchMs: 1 } },
  variants: ['decision', async () => (await import('./decisions.ts')).allDecisions],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ rows, rounds, control, decisions }) {
    const all = [control, ...decisions]
    return [
      { title: 'Decisions, A against B', text: all.map(({ name, about }) => `${name}: ${about}.`) },
      table(
        'Processor time of requests, and of the decision alone',
        all,
        {
          'A | B': ({ name, variants: [a, b] }) => `${name}: ${a.name} | ${b.name}`,
          'A, µs/request': ({ variants }) => variants[0].cpuUsPerRequest,
          'B, µs/request': ({ variants }) => variants[1].cpuUsPerRequest,
          'A saves': ({ cpuGain }) => signed(cpuGain.median),
          'of rounds': ({ cpuGain: { min, max } }) => `${signed(min)} … ${signed(max)}`,
          winner: (one) =>
            one === control ? '' : (winnerOf(one.variants, one.cpuGain, control.cpuGain) ?? '–'),
          'A alone, ns': ({ variants }) => variants[0].aloneNs,
          'B alone, ns': ({ variants }) => variants[1].aloneNs,
        },
        {
          text: [
            `Each request reads ${rows} rows of 330 bytes from memory.`,
            `${rounds} rounds, each in new processes, which take turns. Medians; the range is of the rounds.`,
            `The same variant twice differs by up to ${percent(largestOf(control.cpuGain), 1)}. A difference counts if it is larger and all rounds agree about its sign.`,
            'Alone is one call outside of a request, both variants interleaved in one process; a request has one call per row.',
          ],
          chart: { y: 'µs/request', columns: ['A, µs/request', 'B, µs/request'] },
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
