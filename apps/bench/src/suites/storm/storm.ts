import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import type { Workload } from '../../harness/fixtures/lots.ts'
import { inPercent, notes, table } from '../../harness/section.ts'
import { lower } from '../../harness/figure.ts'
import { STATES, WORKLOADS, type State } from './kinds.ts'
import type { CaseResult } from './measure.ts'

const TITLES = { hit: 'all stored', miss: 'none stored', half: 'half of them stored' }
const titleOf = (workload: Workload, state: State): string =>
  `${workload === 'same' ? 'All users the same lots' : 'Each user other lots'}, ${TITLES[state]}`

const hitOf = (cases: readonly CaseResult[], name = 'model-cache'): CaseResult | undefined =>
  cases.find((one) => one.name === name && one.workload === 'distinct' && one.state === 'hit')

export const storm = defineComparison({
  name: 'storm',
  question: 'What do 5,350 reads in one tick cost, and how long do others wait, beside other caches?',
  packages: [
    '@keyv/redis',
    '@prisma/client',
    'async-cache-dedupe',
    'bentocache',
    'cache-manager',
    'ioredis',
    'keyv',
    'layered-loader',
    'prisma-extension-redis',
  ],
  // Measured bursts of each kind per round, and processor time of bursts before, for the compilers and the collector.
  full: { rounds: 5, bursts: 3, warmUpMs: 2_000 },
  quick: { rounds: 1, bursts: 1, warmUpMs: 0 },
  variants: ['case', async () => (await import('./cases.ts')).allCases],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ server, users, lotsPerUser, bytesPerLot, rounds, stormsPerRound, nodeOptions, ...measured }) {
    const { bestPeers = {}, ...ratios } = measured.summary
    const kinds = WORKLOADS.flatMap((workload) => STATES.map((state) => ({ workload, state })))
    return [
      {
        title: 'Reads',
        text: [
          `${server}. ${users} users read ${lotsPerUser} lots each in one tick, of ${bytesPerLot} bytes of JSON.`,
          ...(nodeOptions.length > 0 ? [`Node with ${nodeOptions.join(' ')}.`] : []),
          `Medians of ${rounds} interleaved rounds of ${stormsPerRound} bursts of a kind, each case in a new process.`,
          'Probe: latency of a liveness endpoint of the same process, during a burst and while idle.',
          'A query of the source takes 2 ms, for any number of rows. A database client may merge queries of one tick.',
          '* returns one object to all callers of a lot: a caller that changes it changes it for all.',
        ],
      },
      ...kinds.map(({ workload, state }) =>
        table(
          titleOf(workload, state),
          measured.cases.filter((one) => one.workload === workload && one.state === state),
          {
            '': ({ name, sharesRows }) => name + (sharesRows ? ' *' : ''),
            'CPU ms': 'cpuMs',
            '±': inPercent(({ cpuSpread }) => cpuSpread),
            'wall ms': 'wallMs',
            'longest block ms': 'loopMaxMs',
            'loop p99': 'loopP99Ms',
            'probe p99': 'livenessP99Ms',
            'probe max': 'livenessMaxMs',
            'idle p99': 'idleLivenessP99Ms',
            'idle max': 'idleLivenessMaxMs',
            'heap MB': 'heapMb',
            commands: 'storeCommands',
            queries: 'sourceQueries',
            'at once': 'maxConcurrentQueries',
          },
          { chart: { y: 'ms', scale: 'log', columns: ['CPU ms', 'longest block ms'] } },
        ),
      ),
      table(
        'Bursts of hits in comparison',
        [
          ...Object.entries(ratios).map(([name, ratio]) => ({
            name,
            ratio: ratio as number,
            interval: measured.intervals?.[name],
          })),
          ...Object.entries(bestPeers).map(([workload, { name, cpuVsUs, sharesRows }]) => ({
            name: `best peer, ${workload}: ${name}${sharesRows ? ' *' : ''}`,
            ratio: cpuVsUs,
            interval: undefined,
          })),
        ],
        {
          '': 'name',
          'times as much': 'ratio',
          from: ({ interval }) => interval?.low,
          to: ({ interval }) => interval?.high,
        },
        {
          text: [
            'The other as a multiple of model-cache; VsRaw and VsFloor the other way round. With the bounds of 95 % confidence, where a run has several rounds.',
          ],
        },
      ),
      notes('Notes', measured.notes),
    ]
  },
  conclusion({ users, lotsPerUser, cases, summary: { bestPeers, distinctCpuVsFloor } }) {
    const own = hitOf(cases)
    const best = bestPeers?.distinct
    return (
      `${(users * lotsPerUser).toLocaleString('en')} reads of different stored rows in one tick take ${own?.cpuMs.toFixed(1)} ms of processor time, ` +
      `and block the event loop for at most ${own?.loopMaxMs.toFixed(1)} ms. The best peer, ${best?.name}, takes ` +
      `${best?.cpuVsUs.toFixed(1)} times as much; rows that need no decoding take ${(1 / distinctCpuVsFloor!).toFixed(1)} times as much in one piece.`
    )
  },
  headlines({ users, lotsPerUser, cases, summary: { bestPeers } }) {
    const own = hitOf(cases)
    const best = bestPeers?.distinct
    const { cpuMs, loopMaxMs } = hitOf(cases, best?.name) ?? {}
    return {
      [`${(users * lotsPerUser).toLocaleString('en')} reads of different rows in one tick, all stored`]:
        `${own?.cpuMs.toFixed(1)} ms of CPU, longest block ${own?.loopMaxMs.toFixed(1)} ms ` +
        `(${best?.name}, the best peer: ${cpuMs?.toFixed(1)} ms and ${loopMaxMs?.toFixed(1)} ms)`,
    }
  },
  figures({ cases, summary: { distinctCpuVsFloor } }) {
    const own = cases.filter(({ name }) => name === 'model-cache')
    const kindOf = ({ workload, state }: CaseResult): string => `${workload} ${state}`
    return {
      ...figuresOf(own, kindOf, { ': CPU': ['cpuMs', 'ms'] }),
      ...figuresOf(
        own.filter(({ state }) => state === 'hit'),
        kindOf,
        { ': longest block': ['loopMaxMs', 'ms'], ': commands': ['storeCommands', 'commands'] },
      ),
      ...(distinctCpuVsFloor !== undefined && {
        'distinct hit: CPU beside the floor': lower(distinctCpuVsFloor, 'times as much'),
      }),
    }
  },
})
