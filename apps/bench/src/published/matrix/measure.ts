import { join } from 'node:path'
import { createPrefixes } from '../../harness/codecs/prefixes.ts'
import { notesOf, type Run } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { openValkey } from '../../harness/servers.ts'
import { mean, median, quantile, spread } from '../../harness/statistics.ts'
import { buildSimdjson } from '../simdjson.ts'
import { buildScenario, SCENARIOS, type Scenario } from './scenarios.ts'
import { allStrategies } from './strategies.ts'
import type { Cell, Effort, Measuring } from './strategy-process.ts'

const HIT_RATES = [0, 0.25, 0.5, 0.75, 1]
const QUICK_HIT_RATES = [0, 0.5, 1]
const QUICK_SCENARIOS = 2
const PROCESS = join(import.meta.dirname, 'strategy-process.ts')

export async function measure({ use, quick, only, chosen, effort }: Run<Effort>) {
  /** Those of one kind that are named; where none of it is, all of them, or those of a quick run. */
  const named = <T extends { readonly name: string }>(all: readonly T[], others = all): readonly T[] => {
    const found = all.filter((one) => only.length > 0 && chosen.includes(one))
    return found.length > 0 ? found : others
  }
  const scenarios = named(SCENARIOS, quick ? SCENARIOS.slice(0, QUICK_SCENARIOS) : SCENARIOS)
  const strategies = named(allStrategies)
  const reason = strategies.some(({ needsSimdjson }) => needsSimdjson) ? buildSimdjson() : undefined
  const missing = strategies.filter(({ needsSimdjson }) => needsSimdjson && reason !== undefined)
  const possible = strategies.filter((strategy) => !missing.includes(strategy))
  const server = await use(openValkey())
  say(`${server.name}: ${possible.length} strategies, ${effort.rounds} rounds`)
  const env = { VALKEY_URL: server.url }
  const rounds = await inRounds(possible, effort.rounds, ({ name: strategy }) => {
    const hitRates = quick ? QUICK_HIT_RATES : HIT_RATES
    const task = { strategy, scenarios: scenarios.map(({ name }) => name), hitRates, effort }
    return callProcess<Measuring, 'measure'>(PROCESS, 'measure', task, { env })
  })
  const about = scenarios.map((scenario) => {
    const bytesPerRow = Math.round(mean(textsOf(scenario).map((text) => Buffer.byteLength(text))))
    return { ...scenario, reads: scenario.users * scenario.items, bytesPerRow }
  })
  const reads = Object.fromEntries(about.map((scenario) => [scenario.name, scenario.reads]))
  const [first] = [...rounds.values()]
  return {
    server: server.name,
    rounds: effort.rounds,
    /** Bursts per cell over all rounds, by scenario. */
    storms: Object.fromEntries(
      (first?.[0] ?? []).map(({ scenario, bursts }) => [scenario, effort.rounds * bursts.length]),
    ),
    scenarios: about,
    cells: possible.flatMap((one) => cellsOf(one.name, reads, rounds.get(one)!)),
    /** Why strategies were not measured. */
    missing: Object.fromEntries(missing.map(({ name }) => [name, reason!])),
    notes: notesOf(strategies),
    reviverCalls: countReviverCalls(),
  }
}

/** The texts that a burst reads, as the baseline stores them. */
function textsOf(scenario: Scenario): string[] {
  const { wanted, rows } = buildScenario(scenario)
  const { encode } = createPrefixes()
  return wanted.map((id) => encode(rows.get(id)).toString())
}

/** How often JSON.parse calls a reviver in one heavy burst. */
function countReviverCalls(): number {
  let calls = 0
  const count = (_key: string, value: unknown): unknown => {
    calls++
    return value
  }
  for (const text of textsOf(SCENARIOS.at(-1)!)) JSON.parse(text, count)
  return calls
}

/** The cells of one strategy, over all of its processes. */
export function cellsOf(
  strategy: string,
  reads: Readonly<Record<string, number>>,
  rounds: readonly (readonly Cell[])[],
) {
  return (rounds[0] ?? []).map(({ scenario, hitRate }) => {
    const same = rounds.flat().filter((cell) => cell.scenario === scenario && cell.hitRate === hitRate)
    const bursts = same.flatMap((cell) => cell.bursts)
    const { loopP99Ms, loopMaxMs, cpuMs, allocatedMb } = medians(bursts)
    return {
      strategy,
      scenario,
      /** Part of the reads that were answered from memory. */
      ...(hitRate !== undefined && {
        hitRate: rounded(mean(bursts.map(({ memoryHits }) => memoryHits)) / reads[scenario]!, 4),
      }),
      loopP99Ms,
      loopMaxMs,
      wallP99Ms: p99(bursts.flatMap(({ wallMs }) => wallMs)),
      parseP99Ms: p99(bursts.map(({ parseMs }) => parseMs)),
      cpuMs,
      cpuSpread: spread(bursts.map((burst) => burst.cpuMs)),
      allocatedMb,
      /** Held after a collection, beyond what the process held before. */
      heapMb: rounded(median(same.map((cell) => cell.heapMb))),
    }
  })
}

const p99 = (values: readonly number[]): number => rounded(quantile(values, 0.99))
