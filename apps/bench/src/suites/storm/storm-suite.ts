import { choose } from '../../harness/choose.ts'
import { buildLots, LOTS_PER_USER, USERS, type Workload } from '../../harness/fixtures/lots.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { inPercent, notes, table } from '../../harness/section.ts'
import { openValkey } from '../../harness/servers.ts'
import { mean, spread } from '../../harness/statistics.ts'
import { defineSuite, lower, type Figures, type RunOptions } from '../../harness/suite.ts'
import { allCases } from './all-cases.ts'
import { runRound, STATES, WORKLOADS, type Effort, type RoundResult, type State } from './run-round.ts'

const FULL: Effort = { rounds: 5, bursts: 3, warmUpMs: 2_000 }
const QUICK: Effort = { rounds: 1, bursts: 1, warmUpMs: 0 }

async function measure({ quick, only, semiSpaceMb }: RunOptions) {
  const chosen = choose('case', allCases, only)
  const nodeOptions = semiSpaceMb === undefined ? [] : [`--max-semi-space-size=${semiSpaceMb}`]
  const effort = quick ? QUICK : FULL
  const server = await openValkey()
  try {
    say(`${server.name}: ${chosen.length} cases, ${effort.rounds} rounds`)
    const rounds = await inRounds(chosen, effort.rounds, ({ name }) =>
      runRound(name, server, effort, nodeOptions),
    )
    const cases = chosen.flatMap((one) => resultsOf(one.name, rounds.get(one)!))
    const peers = chosen.filter(({ isPeer }) => isPeer).map(({ name }) => name)
    const lengths = [...buildLots().values()].map((lot) => Buffer.byteLength(JSON.stringify(lot)))
    return {
      server: server.name,
      users: USERS,
      lotsPerUser: LOTS_PER_USER,
      /** Mean length of a lot as JSON. */
      bytesPerLot: Math.round(mean(lengths)),
      rounds: effort.rounds,
      stormsPerRound: effort.bursts,
      nodeOptions,
      cases,
      summary: summarise(cases, peers),
      notes: Object.fromEntries(chosen.map(({ name, note }) => [name, note])),
    }
  } finally {
    await server.close()
  }
}

type CaseResult = ReturnType<typeof resultsOf>[number]

/** One case in all kinds of burst: medians over all bursts of its rounds. */
export function resultsOf(name: string, rounds: readonly RoundResult[]) {
  const idle = medians(rounds.map((round) => round.idle))
  return WORKLOADS.flatMap((workload) =>
    STATES.map((state) => {
      const bursts = rounds.flatMap((round) =>
        round.bursts.filter((burst) => burst.workload === workload && burst.state === state),
      )
      return {
        name,
        workload,
        state,
        ...medians(bursts),
        cpuSpread: spread(bursts.map(({ cpuMs }) => cpuMs)),
        sharesRows: bursts.some(({ sharesRows }) => sharesRows),
        ...idle,
      }
    }),
  )
}

export interface Summary {
  /** Processor time of `v1` and `v2` as a multiple of that of `model-cache`, hits of distinct or the same lots. */
  readonly distinctCpuVsV1?: number
  readonly distinctCpuVsV2?: number
  readonly sameCpuVsV1?: number
  /** The other way round: `model-cache` as a multiple of the floors. */
  readonly distinctCpuVsRaw?: number
  readonly distinctCpuVsFloor?: number
  /** Longest block of `v1` as a multiple of that of `model-cache`. */
  readonly distinctLoopMaxVsV1?: number
  /** The best peer as a multiple of `model-cache`, in the workload that suits the peers better. */
  readonly bestPeerCpuVsUs?: number
  readonly bestPeers?: Readonly<
    Partial<
      Record<Workload, { readonly name: string; readonly cpuVsUs: number; readonly sharesRows: boolean }>
    >
  >
}

type Measured = Pick<CaseResult, 'name' | 'workload' | 'state' | 'cpuMs' | 'loopMaxMs' | 'sharesRows'>

/** Ratios of hits; those of cases that were not measured are left out. */
export function summarise(cases: readonly Measured[], peers: readonly string[]): Summary {
  const hit = (name: string, workload: Workload) =>
    cases.find((one) => one.name === name && one.workload === workload && one.state === 'hit')
  const ratio = (
    over: Measured | undefined,
    under: Measured | undefined,
    figure: 'cpuMs' | 'loopMaxMs' = 'cpuMs',
  ) => over && under && rounded(over[figure] / under[figure], 4)
  const us = { distinct: hit('model-cache', 'distinct'), same: hit('model-cache', 'same') }
  const ratios = {
    distinctCpuVsV1: ratio(hit('v1', 'distinct'), us.distinct),
    distinctCpuVsV2: ratio(hit('v2', 'distinct'), us.distinct),
    sameCpuVsV1: ratio(hit('v1', 'same'), us.same),
    distinctCpuVsRaw: ratio(us.distinct, hit('raw', 'distinct')),
    distinctCpuVsFloor: ratio(us.distinct, hit('rows-floor', 'distinct')),
    distinctLoopMaxVsV1: ratio(hit('v1', 'distinct'), us.distinct, 'loopMaxMs'),
  }
  const best = WORKLOADS.flatMap((workload) => {
    const rivals = peers.flatMap((name) => {
      const peer = hit(name, workload)
      const cpuVsUs = ratio(peer, us[workload])
      return peer && cpuVsUs !== undefined ? [{ name, cpuVsUs, sharesRows: peer.sharesRows }] : []
    })
    const [first] = rivals.toSorted((a, b) => a.cpuVsUs - b.cpuVsUs)
    return first ? [[workload, first] as const] : []
  })
  return {
    ...Object.fromEntries(Object.entries(ratios).filter(([, value]) => value !== undefined)),
    ...(best.length > 0 && {
      bestPeerCpuVsUs: Math.min(...best.map(([, { cpuVsUs }]) => cpuVsUs)),
      bestPeers: Object.fromEntries(best),
    }),
  }
}

const TITLES = { hit: 'all stored', miss: 'none stored', half: 'half of them stored' }
const titleOf = (workload: Workload, state: State): string =>
  `${workload === 'same' ? 'All users the same lots' : 'Each user other lots'}, ${TITLES[state]}`

const hitOf = (cases: readonly CaseResult[], name = 'model-cache'): CaseResult | undefined =>
  cases.find((one) => one.name === name && one.workload === 'distinct' && one.state === 'hit')

export const stormSuite = defineSuite({
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
  measure,
  sections({ server, users, lotsPerUser, bytesPerLot, rounds, stormsPerRound, nodeOptions, ...measured }) {
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
          ...Object.entries(ratios).map(([name, ratio]) => ({ name, ratio: ratio as number })),
          ...Object.entries(bestPeers).map(([workload, { name, cpuVsUs, sharesRows }]) => ({
            name: `best peer, ${workload}: ${name}${sharesRows ? ' *' : ''}`,
            ratio: cpuVsUs,
          })),
        ],
        { '': 'name', 'times as much': 'ratio' },
        { text: ['The other as a multiple of model-cache; VsRaw and VsFloor the other way round.'] },
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
  figures({ cases, summary }) {
    const figures: Record<string, Figures[string]> = {}
    for (const { name, workload, state, cpuMs, loopMaxMs, storeCommands } of cases) {
      if (name !== 'model-cache') continue
      figures[`${workload} ${state}: CPU`] = lower(cpuMs, 'ms')
      if (state !== 'hit') continue
      figures[`${workload} hit: longest block`] = lower(loopMaxMs, 'ms')
      figures[`${workload} hit: commands`] = lower(storeCommands, 'commands')
    }
    const { distinctCpuVsFloor } = summary
    if (distinctCpuVsFloor !== undefined) {
      figures['distinct hit: CPU beside the floor'] = lower(distinctCpuVsFloor, 'times as much')
    }
    return figures
  },
})
