import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { table } from '../../harness/section.ts'

type Case = Readonly<Record<'cpuMs' | 'wallMs', number>> & { readonly name: string }
const of =
  (served: 'observed' | 'bare', figure: 'cpuMs' | 'wallMs') =>
  ({ cases }: { readonly cases: readonly Case[] }): number =>
    cases.find(({ name }) => name === served)![figure]

export const observe = defineComparison({
  name: 'observe',
  question: 'What do the interceptor and the metrics cost a GraphQL request?',
  packages: ['@nestjs/core', '@nestjs/graphql', 'mercurius', 'prom-client'],
  // V8 optimises for thousands of requests. Long rounds, since each observed one wakes the sleeping watch; many
  // processes, since what V8 makes of an application is partly luck.
  full: { processes: 10, rounds: 40, requests: 25, warmUps: 40, idleMs: 5_000 },
  quick: { processes: 1, rounds: 3, requests: 3, warmUps: 1, idleMs: 200 },
  goals: { overheadPercent: { most: 3 } },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ server, lots, processes, rounds, requestsPerRound, requests, standingMsPerSecond }) => [
    table(
      'One GraphQL request, observed and bare',
      requests,
      {
        request: 'name',
        'CPU ms, bare': of('bare', 'cpuMs'),
        'CPU ms, observed': of('observed', 'cpuMs'),
        'wall ms, bare': of('bare', 'wallMs'),
        'wall ms, observed': of('observed', 'wallMs'),
        'overhead µs': 'overheadMicroseconds',
        'overhead %': 'overheadPercent',
        '± %': 'spreadPercent',
      },
      {
        text: [
          `${server}. A page of ${lots} lots, each with another lot as a field, over HTTP, one request after the other: with interceptor and metrics, and with neither.`,
          `Two applications in one process, in turn; sampler, watch and metrics rest while the bare one is measured. Medians of ${processes} processes of ${rounds} rounds of ${requestsPerRound} requests.`,
          `Without requests, observing takes ${standingMsPerSecond} ms of processor time per second (sampler and watch).`,
        ],
        chart: {
          y: 'ms per request',
          columns: ['CPU ms, bare', 'CPU ms, observed', 'wall ms, bare', 'wall ms, observed'],
        },
      },
    ),
  ],
  conclusion: ({ requests }) =>
    `Interceptor and metrics take ${requests.map(({ name, overheadPercent }) => `${overheadPercent} % of a request for ${name}`).join(', ')}.`,
  headlines: ({ lots, summary: { overheadPercent, overheadMicroseconds } }) => ({
    [`Interceptor and metrics, per GraphQL request for ${lots} rows`]: `${overheadPercent} % of its CPU (${overheadMicroseconds} µs)`,
  }),
  // The overhead as a ratio: a difference near zero has no change in percent.
  figures: ({ requests }) => ({
    ...figuresOf(requests, ({ name }) => name, {
      ': overhead': [({ overheadPercent }) => 1 + overheadPercent / 100, 'times as much CPU'],
    }),
    ...figuresOf(
      requests.flatMap(({ name: request, cases }) => cases.map((one) => ({ request, ...one }))),
      ({ request, name }) => `${request}, ${name}`,
      { ': CPU': ['cpuMs', 'ms'], ': wall': ['wallMs', 'ms'] },
    ),
  }),
})
