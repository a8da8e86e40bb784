import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { notesOf, type Run } from '../../harness/comparison.ts'
import { buildLots, LOTS_PER_USER, USERS, type Workload } from '../../harness/fixtures/lots.ts'
import { probeLiveness } from '../../harness/probe-liveness.ts'
import { startProcess } from '../../harness/process.ts'
import { intervalsOf } from '../../harness/interval.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { commandsOf, emptyStore, openValkey, quiet, type BenchValkey } from '../../harness/servers.ts'
import { mean, median, quantile, spread } from '../../harness/statistics.ts'
import { STATES, WORKLOADS, type State } from './kinds.ts'
import type { Serving } from './serve.ts'

type Effort = Record<'rounds' | 'bursts' | 'warmUpMs', number>

export async function measure({ use, chosen, effort, semiSpaceMb }: Run<Effort>) {
  const nodeOptions = semiSpaceMb === undefined ? [] : [`--max-semi-space-size=${semiSpaceMb}`]
  const server = await use(openValkey())
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
    intervals: intervalsOf(
      Object.fromEntries(
        Object.entries(RATIOS).map(([name, [over, under, workload, figure]]) => {
          const [one, other] = [over, under].map((sought) => hitsOf(rounds, sought, workload, figure))
          return [name, one && other && ([one, other] as const)]
        }),
      ),
    ),
    notes: notesOf(chosen),
  }
}

export type CaseResult = ReturnType<typeof resultsOf>[number]

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

/** A figure of one case, by round. */
function hitsOf(
  rounds: Awaited<ReturnType<typeof inRounds<{ readonly name: string }, RoundResult>>>,
  name: string,
  workload: Workload,
  figure: 'cpuMs' | 'loopMaxMs',
): readonly number[] | undefined {
  const found = [...rounds].find(([one]) => one.name === name)?.[1]
  return found?.map(({ bursts }) => {
    const hits = bursts.filter((burst) => burst.workload === workload && burst.state === 'hit')
    return median(hits.map((burst) => burst[figure]))
  })
}

type Measured = Pick<CaseResult, 'name' | 'workload' | 'state' | 'cpuMs' | 'loopMaxMs' | 'sharesRows'>

const US = 'model-cache'
/** Of hits: one case as a multiple of another one. */
const RATIOS = {
  distinctCpuVsV1: ['v1', US, 'distinct', 'cpuMs'],
  distinctCpuVsV2: ['v2', US, 'distinct', 'cpuMs'],
  sameCpuVsV1: ['v1', US, 'same', 'cpuMs'],
  distinctCpuVsRaw: [US, 'raw', 'distinct', 'cpuMs'],
  distinctCpuVsFloor: [US, 'rows-floor', 'distinct', 'cpuMs'],
  distinctLoopMaxVsV1: ['v1', US, 'distinct', 'loopMaxMs'],
} as const

/** Ratios of hits; those of cases that were not measured are left out. */
export function summarise(cases: readonly Measured[], peers: readonly string[]) {
  const hit = (name: string, workload: Workload) =>
    cases.find((one) => one.name === name && one.workload === workload && one.state === 'hit')
  const ratio = (over: string, under: string, workload: Workload, figure: 'cpuMs' | 'loopMaxMs') => {
    const [one, other] = [hit(over, workload), hit(under, workload)]
    return one && other && rounded(one[figure] / other[figure], 4)
  }
  const ratios = Object.entries(RATIOS).flatMap(([name, [over, under, workload, figure]]) => {
    const value = ratio(over, under, workload, figure)
    return value === undefined ? [] : [[name, value] as const]
  })
  const best = WORKLOADS.flatMap((workload) => {
    const rivals = peers.flatMap((name) => {
      const cpuVsUs = ratio(name, US, workload, 'cpuMs')
      return cpuVsUs === undefined ? [] : [{ name, cpuVsUs, sharesRows: hit(name, workload)!.sharesRows }]
    })
    const [first] = rivals.toSorted((a, b) => a.cpuVsUs - b.cpuVsUs)
    return first ? [[workload, first] as const] : []
  })
  const bestPeers: Partial<Record<Workload, (typeof best)[number][1]>> = Object.fromEntries(best)
  return {
    ...(Object.fromEntries(ratios) as Partial<Record<keyof typeof RATIOS, number>>),
    // In the workload that suits the peers better.
    ...(best.length > 0 && {
      bestPeerCpuVsUs: Math.min(...best.map(([, { cpuVsUs }]) => cpuVsUs)),
      bestPeers,
    }),
  }
}

const PROBE_EVERY_MS = 10
/** Duration of probing from the start of a burst; the same for all, so that percentiles are of as many probes. */
const PROBED_MS = 250

export type RoundResult = Awaited<ReturnType<typeof runRound>>

/** Starts one case in a process of its own, and runs bursts of each kind over it. */
async function runRound(
  name: string,
  { url, client: server }: BenchValkey,
  { bursts: count, warmUpMs }: Effort,
  nodeOptions: readonly string[],
) {
  const flags = ['--expose-gc', ...nodeOptions]
  const options = { args: [name], env: { VALKEY_URL: url }, flags }
  const serving = await startProcess<Serving, string>(join(import.meta.dirname, 'serve.ts'), options)
  const prober = probeLiveness(serving.hello, PROBE_EVERY_MS)
  const latenciesSince = async (startedAt: number) => {
    const latencies = await prober.latencies(startedAt, performance.now())
    return { p99: latencies.length > 0 ? quantile(latencies, 0.99) : 0, max: Math.max(0, ...latencies) }
  }
  const empty = async (): Promise<void> => {
    await emptyStore(server)
    await serving.call('forget')
  }
  const runBurst = async (workload: Workload, state: State, verify: boolean, probedMs: number) => {
    const commandsBefore = await commandsOf(server)
    const startedAt = performance.now()
    const answered = await serving.call('burst', { workload, part: 'all', verify })
    // Some cases store a lot once for each user.
    if (state !== 'hit') await quiet(server, LOTS_PER_USER * (workload === 'same' ? 1 : USERS))
    const finished = await serving.call('finish')
    if (state === 'hit' && finished.sourceQueries > 0)
      throw new Error(`${name} loads ${finished.sourceQueries} times (${workload}) what it has stored.`)
    await sleep(Math.max(0, startedAt + probedMs - performance.now()))
    const latencies = await latenciesSince(startedAt)
    await serving.call('collectGarbage')
    return {
      workload,
      state,
      ...finished,
      wallMs: answered.wallMs,
      // After hits nothing is left to do: the time until `finish` arrives does not count.
      cpuMs: state === 'hit' ? answered.cpuMs : finished.cpuMs,
      livenessP99Ms: latencies.p99,
      livenessMaxMs: latencies.max,
      storeCommands: (await commandsOf(server)) - commandsBefore,
    }
  }
  /** One burst of each kind. The burst of misses fills the store for the burst of hits. */
  const runKinds = async (verify: boolean, probedMs: number) => {
    const results: Awaited<ReturnType<typeof runBurst>>[] = []
    for (const workload of WORKLOADS) {
      await empty()
      results.push(await runBurst(workload, 'miss', verify, probedMs))
      results.push(await runBurst(workload, 'hit', verify, probedMs))
      await empty()
      await serving.call('burst', { workload, part: 'half', verify: false })
      await quiet(server, Math.ceil(LOTS_PER_USER / 2) * (workload === 'same' ? 1 : USERS))
      await serving.call('finish')
      await serving.call('collectGarbage')
      results.push(await runBurst(workload, 'half', verify, probedMs))
    }
    return results
  }
  try {
    let warmMs = 0
    do {
      for (const { cpuMs } of await runKinds(warmMs === 0, 0)) warmMs += cpuMs
    } while (warmMs < warmUpMs)
    const bursts: Awaited<ReturnType<typeof runKinds>> = []
    for (let i = 0; i < count; i++) bursts.push(...(await runKinds(false, PROBED_MS)))
    // After the bursts: V8 collects everything in an idle process, which would fall into the next burst.
    const heapMb = await serving.call('heapMb')
    const idleSince = performance.now()
    await sleep(PROBED_MS)
    const { p99, max } = await latenciesSince(idleSince)
    return { bursts, idle: { idleLivenessP99Ms: p99, idleLivenessMaxMs: max, heapMb } }
  } finally {
    prober.stop()
    await serving.stop()
  }
}
