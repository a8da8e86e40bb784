import { defineComparison, figuresOf, type Variant } from '../../harness/comparison.ts'
import { besidePublished, parsingStorm } from '../../harness/published.ts'
import { grid, inPercent, notes, table } from '../../harness/section.ts'

type Result = ReturnType<(typeof import('./measure.ts'))['cellsOf']>[number]

/** Percent of the reads that were answered from memory; undefined without a memory layer. */
const percentOf = ({ hitRate }: Result): number | undefined =>
  hitRate === undefined ? undefined : Math.round(hitRate * 100)

/** For example `lru 50 %`. */
function labelOf(cell: Result): string {
  const percent = percentOf(cell)
  return percent === undefined ? cell.strategy : `${cell.strategy} ${percent} %`
}

export const matrix = defineComparison({
  name: 'matrix',
  question: 'What do 50 to 5,350 reads in one tick cost, by parser, memory layer and hit rate?',
  packages: ['@prisma/client', 'ioredis', 'lru-cache', 'simdjson'],
  full: { rounds: 3, warmUpMs: 100, reads: 4_000, minStorms: 2, maxStorms: 40 },
  quick: { rounds: 1, warmUpMs: 0, reads: 0, minStorms: 3, maxStorms: 3 },
  variants: [
    'strategy or scenario',
    async () => {
      const { allStrategies } = await import('./strategies.ts')
      const { SCENARIOS } = await import('./scenarios.ts')
      return [...allStrategies, ...SCENARIOS] as readonly Variant[]
    },
  ],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ server, rounds, storms, scenarios, cells, missing, notes: byStrategy, reviverCalls }) {
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
        byHitRate(name),
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
    const heaviest = scenarios.at(-1)!.name
    const followed = cells.filter(
      (cell) =>
        cell.scenario === heaviest &&
        [undefined, 50].includes(percentOf(cell)) &&
        /^(model-cache.*|baseline|lru)$/.test(cell.strategy),
    )
    return figuresOf(followed, (cell) => `${heaviest} ${labelOf(cell)}`, {
      ', CPU': ['cpuMs', 'ms'],
      ', longest block': ['loopMaxMs', 'ms'],
    })
  },
})
