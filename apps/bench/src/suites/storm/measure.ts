import type { Redis } from 'ioredis'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { notesOf, type Run } from '../../harness/comparison.ts'
import { buildLots, LOTS_PER_USER, USERS, type Workload } from '../../harness/fixtures/lots.ts'
import { probeLiveness, type LivenessProber } from '../../harness/probe-liveness.ts'
import { startProcess, type Process } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { commandsOf, openValkey, quiet, type BenchValkey } from '../../harness/servers.ts'
import { mean, quantile, spread } from '../../harness/statistics.ts'
import { STATES, WORKLOADS, type State } from './storm-case.ts'
import type { Serving } from './serve.ts'

export interface Effort {
  readonly rounds: number
  /** Measured bursts of each kind per round. */
  readonly bursts: number
  /** Processor time of bursts before, for the compilers and the collector; at least one burst of each kind. */
  readonly warmUpMs: number
}

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

interface BestPeer {
  readonly name: string
  readonly cpuVsUs: number
  readonly sharesRows: boolean
}

interface Summary extends Partial<Readonly<Record<keyof typeof RATIOS, number>>> {
  /** The best peer as a multiple of `model-cache`, in the workload that suits the peers better. */
  readonly bestPeerCpuVsUs?: number
  readonly bestPeers?: Readonly<Partial<Record<Workload, BestPeer>>>
}

/** Ratios of hits; those of cases that were not measured are left out. */
export function summarise(cases: readonly Measured[], peers: readonly string[]): Summary {
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
    const rivals = peers.flatMap((name): BestPeer[] => {
      const cpuVsUs = ratio(name, US, workload, 'cpuMs')
      return cpuVsUs === undefined ? [] : [{ name, cpuVsUs, sharesRows: hit(name, workload)!.sharesRows }]
    })
    const [first] = rivals.toSorted((a, b) => a.cpuVsUs - b.cpuVsUs)
    return first ? [[workload, first] as const] : []
  })
  return {
    ...Object.fromEntries(ratios),
    ...(best.length > 0 && {
      bestPeerCpuVsUs: Math.min(...best.map(([, { cpuVsUs }]) => cpuVsUs)),
      bestPeers: Object.fromEntries(best),
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
  { url, client }: BenchValkey,
  { bursts: count, warmUpMs }: Effort,
  nodeOptions: readonly string[],
) {
  const serving = await startProcess<Serving, { livenessUrl: string }>(
    join(import.meta.dirname, 'serve.ts'),
    {
      args: [name],
      env: { VALKEY_URL: url },
      flags: ['--expose-gc', ...nodeOptions],
    },
  )
  const prober = probeLiveness(serving.hello.livenessUrl, PROBE_EVERY_MS)
  const run: BurstRun = { name, serving, prober, server: client }
  try {
    let warmMs = 0
    do {
      for (const { cpuMs } of await runKinds(run, warmMs === 0, 0)) warmMs += cpuMs
    } while (warmMs < warmUpMs)
    const bursts: BurstResult[] = []
    for (let i = 0; i < count; i++) bursts.push(...(await runKinds(run, false, PROBED_MS)))
    // After the bursts: V8 collects everything in an idle process, which would fall into the next burst.
    const heapMb = await serving.call('heapMb')
    const idleSince = performance.now()
    await sleep(PROBED_MS)
    const idle = latenciesOf(await prober.latencies(idleSince, performance.now()))
    return {
      bursts,
      idle: { idleLivenessP99Ms: idle.livenessP99Ms, idleLivenessMaxMs: idle.livenessMaxMs, heapMb },
    }
  } finally {
    prober.stop()
    await serving.stop()
  }
}

interface BurstRun {
  readonly name: string
  readonly serving: Process<Serving>
  readonly prober: LivenessProber
  readonly server: Redis
}

type BurstResult = Awaited<ReturnType<typeof runBurst>>

/** One burst of each kind. The burst of misses fills the store for the burst of hits. */
async function runKinds(run: BurstRun, verify: boolean, probedMs: number): Promise<BurstResult[]> {
  const results: BurstResult[] = []
  for (const workload of WORKLOADS) {
    await empty(run)
    results.push(await runBurst(run, workload, 'miss', verify, probedMs))
    results.push(await runBurst(run, workload, 'hit', verify, probedMs))
    await empty(run)
    await run.serving.call('burst', { workload, part: 'half', verify: false })
    await quiet(run.server, Math.ceil(LOTS_PER_USER / 2) * (workload === 'same' ? 1 : USERS))
    await run.serving.call('finish')
    await run.serving.call('collectGarbage')
    results.push(await runBurst(run, workload, 'half', verify, probedMs))
  }
  return results
}

async function runBurst(run: BurstRun, workload: Workload, state: State, verify: boolean, probedMs: number) {
  const { name, serving, prober, server } = run
  const commandsBefore = await commandsOf(server)
  const startedAt = performance.now()
  const answered = await serving.call('burst', { workload, part: 'all', verify })
  // Some cases store a lot once for each user.
  if (state !== 'hit') await quiet(server, LOTS_PER_USER * (workload === 'same' ? 1 : USERS))
  const { sharesRows, ...finished } = await serving.call('finish')
  if (state === 'hit' && finished.sourceQueries > 0) {
    throw new Error(`${name} loads ${finished.sourceRows} lots (${workload}) that it has stored.`)
  }
  await sleep(Math.max(0, startedAt + probedMs - performance.now()))
  const latencies = latenciesOf(await prober.latencies(startedAt, performance.now()))
  await serving.call('collectGarbage')
  const storeCommands = (await commandsOf(server)) - commandsBefore
  // After hits nothing is left to do: the time until `finish` arrives does not count.
  const { cpuMs } = state === 'hit' ? answered : finished
  const figures = { ...finished, ...latencies, wallMs: answered.wallMs, cpuMs, storeCommands }
  return { workload, state, sharesRows, ...figures }
}

const latenciesOf = (latencies: readonly number[]) => ({
  livenessP99Ms: latencies.length > 0 ? quantile(latencies, 0.99) : 0,
  livenessMaxMs: Math.max(0, ...latencies),
})

async function empty({ serving, server }: BurstRun): Promise<void> {
  await server.flushdb()
  await serving.call('forget')
}
