import { median, quantile, spread } from '../measure/statistics.ts'
import type { RoundResult, StormResult } from './run-round.ts'
import { STATES, WORKLOADS } from './storm-measurements.ts'
import type { CaseResult, State, Summary, Workload } from './storm-measurements.ts'

/** One case's results of all kinds of storm, over its rounds. */
export function resultsOf(name: string, rounds: readonly RoundResult[]): CaseResult[] {
  const idle = rounds.map(({ idleLiveness }) => idleLiveness)
  const ofCase = {
    idleLivenessP99Ms: rounded(median(idle.map(p99)), 2),
    idleLivenessMaxMs: rounded(median(idle.map(max)), 2),
    heapMb: rounded(median(rounds.map(({ heapMb }) => heapMb)), 1),
  }
  return WORKLOADS.flatMap((workload) =>
    STATES.map((state) => {
      const storms = rounds.flatMap((round) =>
        round.storms.filter((storm) => storm.workload === workload && storm.state === state),
      )
      return { name, workload, state, ...figuresOf(storms), ...ofCase }
    }),
  )
}

function figuresOf(storms: readonly StormResult[]) {
  const middle = (figure: (storm: StormResult) => number, digits: number) =>
    rounded(median(storms.map(figure)), digits)
  return {
    cpuMs: middle(({ cpuMs }) => cpuMs, 2),
    cpuSpread: rounded(spread(storms.map(({ cpuMs }) => cpuMs)), 3),
    wallMs: middle(({ wallMs }) => wallMs, 2),
    loopMaxMs: middle(({ loopMaxMs }) => loopMaxMs, 2),
    loopP99Ms: middle(({ loopP99Ms }) => loopP99Ms, 2),
    livenessP99Ms: middle(({ liveness }) => p99(liveness), 2),
    livenessMaxMs: middle(({ liveness }) => max(liveness), 2),
    storeCommands: middle(({ storeCommands }) => storeCommands, 0),
    sourceQueries: middle(({ queries }) => queries, 0),
    sourceRows: middle(({ rows }) => rows, 0),
    maxConcurrentQueries: middle(({ maxConcurrentQueries }) => maxConcurrentQueries, 0),
    sharesRows: storms.some(({ sharesRows }) => sharesRows),
  }
}

const p99 = (latencies: readonly number[]): number => quantile(latencies, 0.99)
const max = (latencies: readonly number[]): number => Math.max(...latencies)

/** @param peers the names of the cases to be compared as peers */
export function summarise(cases: readonly CaseResult[], peers: readonly string[]): Summary {
  const hit = (name: string, workload: Workload): CaseResult | undefined => find(cases, name, workload, 'hit')
  const ratio = (
    over: CaseResult | undefined,
    under: CaseResult | undefined,
    figure: 'cpuMs' | 'loopMaxMs',
  ) => over && under && rounded(over[figure] / under[figure], 3)
  const us = { distinct: hit('model-cache', 'distinct'), same: hit('model-cache', 'same') }
  const ratios: [keyof Summary, number | undefined][] = [
    ['distinctCpuVsV1', ratio(hit('v1', 'distinct'), us.distinct, 'cpuMs')],
    ['distinctCpuVsV2', ratio(hit('v2', 'distinct'), us.distinct, 'cpuMs')],
    ['sameCpuVsV1', ratio(hit('v1', 'same'), us.same, 'cpuMs')],
    ['distinctCpuVsRaw', ratio(us.distinct, hit('raw', 'distinct'), 'cpuMs')],
    ['distinctCpuVsFloor', ratio(us.distinct, hit('rows-floor', 'distinct'), 'cpuMs')],
    ['distinctLoopMaxVsV1', ratio(hit('v1', 'distinct'), us.distinct, 'loopMaxMs')],
  ]
  const best = WORKLOADS.flatMap((workload) => {
    const rivals = peers.flatMap((name) => {
      const peer = hit(name, workload)
      const cpuVsUs = ratio(peer, us[workload], 'cpuMs')
      return peer && cpuVsUs !== undefined ? [{ name, cpuVsUs, sharesRows: peer.sharesRows }] : []
    })
    const [first] = rivals.toSorted((a, b) => a.cpuVsUs - b.cpuVsUs)
    return first ? [[workload, first] as const] : []
  })
  return {
    ...Object.fromEntries(ratios.filter(([, value]) => value !== undefined)),
    ...(best.length > 0 && {
      bestPeerCpuVsUs: Math.min(...best.map(([, { cpuVsUs }]) => cpuVsUs)),
      bestPeers: Object.fromEntries(best),
    }),
  }
}

function find(cases: readonly CaseResult[], name: string, workload: Workload, state: State) {
  return cases.find((entry) => entry.name === name && entry.workload === workload && entry.state === state)
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
