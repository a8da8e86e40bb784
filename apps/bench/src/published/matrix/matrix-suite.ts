import { join } from 'node:path'
import { createPrefixes } from '../../harness/codecs/prefixes.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { besidePublished, parsingStorm } from '../../harness/published.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { grid, inPercent, notes, table } from '../../harness/section.ts'
import { openValkey } from '../../harness/servers.ts'
import { mean, median, quantile, spread } from '../../harness/statistics.ts'
import { defineSuite, lower, type Figures, type RunOptions } from '../../harness/suite.ts'
import { buildSimdjson } from '../simdjson.ts'
import { buildScenario, SCENARIOS, type Scenario } from './scenarios.ts'
import { allStrategies } from './strategies.ts'
import type { Cell, Effort, Measuring } from './strategy-process.ts'

const FULL: Effort = { rounds: 3, warmUpMs: 100, reads: 4_000, minStorms: 2, maxStorms: 40 }
const QUICK: Effort = { rounds: 1, warmUpMs: 0, reads: 0, minStorms: 3, maxStorms: 3 }
const HIT_RATES = [0, 0.25, 0.5, 0.75, 1]
const QUICK_HIT_RATES = [0, 0.5, 1]
const QUICK_SCENARIOS = ['small', 'medium']
const PROCESS = join(import.meta.dirname, 'strategy-process.ts')

async function measure({ quick, only }: RunOptions) {
  const { scenarios, strategies } = chosenOf(quick, only)
  const effort = quick ? QUICK : FULL
  const reason = strategies.some(({ needsSimdjson }) => needsSimdjson) ? buildSimdjson() : undefined
  const missing = reason === undefined ? [] : strategies.filter(({ needsSimdjson }) => needsSimdjson)
  const possible = strategies.filter((strategy) => !missing.includes(strategy))
  const server = await openValkey()
  try {
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
        (first?.[0] ?? []).map((cell) => [cell.scenario, effort.rounds * cell.bursts.length]),
      ),
      scenarios: about,
      cells: possible.flatMap((one) => cellsOf(one.name, reads, rounds.get(one)!)),
      /** Why strategies were not measured. */
      missing: Object.fromEntries(missing.map(({ name }) => [name, reason!])),
      notes: Object.fromEntries(strategies.map(({ name, note }) => [name, note])),
      reviverCalls: countReviverCalls(),
    }
  } finally {
    await server.close()
  }
}

/** @throws when a name is neither that of a strategy nor that of a scenario */
function chosenOf(quick: boolean, only: readonly string[]) {
  const known = [...allStrategies, ...SCENARIOS].map(({ name }) => name)
  const unknown = only.find((name) => !known.includes(name))
  if (unknown) throw new Error(`There is no strategy or scenario "${unknown}", only ${known.join(', ')}.`)
  const named = <T extends { readonly name: string }>(all: readonly T[], names: readonly string[]) => {
    const found = all.filter(({ name }) => names.includes(name))
    return found.length > 0 ? found : all
  }
  const hasScenario = SCENARIOS.some(({ name }) => only.includes(name))
  return {
    scenarios: named(SCENARIOS, quick && !hasScenario ? QUICK_SCENARIOS : only),
    strategies: named(allStrategies, only),
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
  for (const text of textsOf(SCENARIOS.at(-1)!)) {
    JSON.parse(text, (_key, value: unknown) => {
      calls++
      return value
    })
  }
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
    const answered = mean(bursts.map(({ memoryHits }) => memoryHits))
    const { loopP99Ms, loopMaxMs, cpuMs, allocatedMb } = medians(bursts)
    return {
      strategy,
      scenario,
      /** Part of the reads that were answered from memory. */
      ...(hitRate !== undefined && { hitRate: rounded(answered / reads[scenario]!, 4) }),
      loopP99Ms,
      loopMaxMs,
      wallP99Ms: rounded(
        quantile(
          bursts.flatMap(({ wallMs }) => wallMs),
          0.99,
        ),
      ),
      parseP99Ms: rounded(
        quantile(
          bursts.map(({ parseMs }) => parseMs),
          0.99,
        ),
      ),
      cpuMs,
      cpuSpread: spread(bursts.map((burst) => burst.cpuMs)),
      allocatedMb,
      /** Held after a collection, beyond what the process held before. */
      heapMb: rounded(median(same.map((cell) => cell.heapMb))),
    }
  })
}

type Result = ReturnType<typeof cellsOf>[number]

/** Percent of the reads that were answered from memory; undefined without a memory layer. */
const percentOf = ({ hitRate }: Result): number | undefined =>
  hitRate === undefined ? undefined : Math.round(hitRate * 100)

/** For example `lru 50 %`. */
function labelOf(cell: Result): string {
  const percent = percentOf(cell)
  return percent === undefined ? cell.strategy : `${cell.strategy} ${percent} %`
}

export const matrixSuite = defineSuite({
  packages: ['@prisma/client', 'ioredis', 'lru-cache', 'simdjson'],
  measure,
  sections({ server, rounds, storms, scenarios, cells, missing, notes: byStrategy, reviverCalls }) {
    const heavy = cells.filter(({ scenario }) => scenario === 'heavy')
    const baseline = heavy.find(({ strategy }) => strategy === 'baseline')
    const byHitRate = (scenario: string) => {
      const here = cells.filter((cell) => cell.scenario === scenario)
      const percents = [...new Set(here.flatMap((cell) => percentOf(cell) ?? []))].toSorted((a, b) => a - b)
      const strategies = here
        .filter(({ hitRate, strategy }) => hitRate !== undefined || /^(baseline|model-cache)$/.test(strategy))
        .map(({ strategy }) => strategy)
      return grid(
        `${scenario}: milliseconds of processor time by hit rate`,
        percents,
        [...new Set(strategies)],
        (percent, strategy) =>
          here.find((cell) => cell.strategy === strategy && [undefined, percent].includes(percentOf(cell)))
            ?.cpuMs,
        { chart: { kind: 'line', x: 'reads answered from memory, %', y: 'ms of processor time' } },
      )
    }
    return [
      table(
        'Scenarios',
        scenarios,
        {
          '': 'name',
          users: 'users',
          items: 'items',
          fields: 'fields',
          reads: 'reads',
          'bytes per row': 'bytesPerRow',
          'bursts per cell': ({ name }) => storms[name],
        },
        {
          text: [
            'Users read rows of their own, all in one tick. All rows are stored, and verified before anything is timed.',
            `All strategies fetch from one ${server} with MGETs of 250 keys. Those that parse read JSON in which dates and decimals are strings with a prefix; this library reads its own format.`,
            `Each strategy runs in ${rounds} processes of its own, in turn with the others.`,
            'Loop p99: how long work waits that arrives at any millisecond of a burst; loop max: the longest block; medians of bursts.',
            'Wall p99: from the start of a burst, over all users of all bursts. Parse p99: from texts to rows, over bursts; for this library the decoding that it reports to its observer.',
            'Allocated: in one burst. Heap: held after a full collection, memory layers included, which have room for as many rows as one burst reads.',
          ],
        },
      ),
      ...scenarios.flatMap(({ name }) => [
        table(
          `${name}: milliseconds, by strategy and hit rate`,
          cells.filter(({ scenario }) => scenario === name),
          {
            '': labelOf,
            'loop p99': 'loopP99Ms',
            'loop max': 'loopMaxMs',
            'wall p99': 'wallP99Ms',
            'parse p99': 'parseP99Ms',
            CPU: 'cpuMs',
            '±': inPercent((cell) => cell.cpuSpread),
            'allocated MB': 'allocatedMb',
            'heap MB': 'heapMb',
          },
          {
            text: Object.entries(missing).map(
              ([strategy, reason]) => `${strategy} is not measured: ${reason}`,
            ),
            chart: { y: 'ms', scale: 'log', columns: ['CPU', 'loop max'] },
          },
        ),
        ...(cells.some(({ scenario, hitRate }) => scenario === name && hitRate !== undefined)
          ? [byHitRate(name)]
          : []),
      ]),
      notes('Strategies', byStrategy),
      besidePublished(parsingStorm, 'processor time of one heavy burst', [
        ...heavy
          .filter(({ strategy }) => !strategy.startsWith('model-cache'))
          .map((cell) => ({
            name: labelOf(cell),
            theirs: undefined,
            ours: `${cell.cpuMs.toFixed(1)} ms`,
            difference: 'our machine, and our rows of as many fields',
          })),
        {
          name: 'reviver calls, from an earlier account of the incident',
          theirs: 'about 476,000',
          ours: reviverCalls,
          difference: 'our rows of 40 fields have fewer values',
        },
        {
          name: 'JSON.parse with the reviver, measured by this project before it had its read path',
          theirs: '179 ms',
          ours: baseline && `${baseline.cpuMs.toFixed(1)} ms`,
          difference: 'earlier a GET per read and 43 fields, here MGETs and 40',
        },
      ]),
    ]
  },
  conclusion({ cells, scenarios }) {
    const { name, reads } = scenarios.at(-1)!
    const costs = ['baseline', 'simdjson-paths', 'model-cache'].flatMap((strategy) => {
      const cell = cells.find((one) => one.scenario === name && one.strategy === strategy)
      return cell ? [`${strategy} ${cell.cpuMs.toFixed(1)} ms`] : []
    })
    return `Processor time of ${reads.toLocaleString('en')} reads in one tick (${name}) without a memory layer: ${costs.join(', ')}.`
  },
  // Of the heaviest scenario that was measured.
  figures({ cells, scenarios }) {
    const figures: Record<string, Figures[string]> = {}
    const heaviest = scenarios.at(-1)!.name
    for (const cell of cells) {
      if (cell.scenario !== heaviest || ![undefined, 50].includes(percentOf(cell))) continue
      if (!/^(model-cache.*|baseline|lru)$/.test(cell.strategy)) continue
      figures[`${heaviest} ${labelOf(cell)}, CPU`] = lower(cell.cpuMs, 'ms')
      figures[`${heaviest} ${labelOf(cell)}, longest block`] = lower(cell.loopMaxMs, 'ms')
    }
    return figures
  },
})
