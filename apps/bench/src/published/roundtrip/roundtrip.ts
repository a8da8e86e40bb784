import { defineComparison, figuresOf, type Run } from '../../harness/comparison.ts'
import { lower } from '../../harness/figure.ts'
import type { Effort as TimingEffort } from '../../harness/interleave.ts'
import { say } from '../../harness/progress.ts'
import { besidePublished, parsingStorm } from '../../harness/published.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { grid, notes, table } from '../../harness/section.ts'
import { median } from '../../harness/statistics.ts'
import { buildSimdjson } from '../simdjson.ts'
import { CONCURRENCY, measureLatency } from './load.ts'

const OPERATIONS = ['serialize', 'deserialize', 'round trip'] as const
type Operation = (typeof OPERATIONS)[number]

const NOTES = {
  'model-cache': 'the default codec: record format, rows checked before writing and after reading',
  v2: 'the published design: the exported createStringifier and createReviver',
  v1: 'the first design: JSON.stringify with a replacer, JSON.parse with a reviver that looks for prefixes',
}
type Candidate = keyof typeof NOTES
const CANDIDATES = Object.keys(NOTES) as Candidate[]

interface Throughput {
  readonly candidate: string
  readonly fixture: string
  readonly operation: Operation
  /** Of processor time. */
  readonly perSecond: number
}

interface Effort {
  /** Of latencies, with as many operations each. */
  readonly rounds: number
  readonly operations: number
  readonly timing: TimingEffort
}

/** Fewer in a quick run. */
const QUICK_FIXTURES = 3

async function measureOperations({ quick, effort: { operations, rounds, timing } }: Run<Effort>) {
  const { FIXTURES, operationsOf } = await import('./candidates.ts')
  const { interleave } = await import('../../harness/interleave.ts')
  // All models before one is timed, as in an application: shared code has then met the shapes of all of them.
  const measured = FIXTURES.slice(0, quick ? QUICK_FIXTURES : undefined).map((fixture) => ({
    fixture: fixture.name,
    tasks: operationsOf(fixture),
  }))
  const throughput = measured.flatMap(({ fixture, tasks }) =>
    OPERATIONS.flatMap((operation) => {
      say(`${fixture}: ${operation} …`)
      return Object.entries(interleave(tasks[operation], timing)).map(([candidate, { ns, spread }]) => ({
        candidate,
        fixture,
        operation,
        perSecond: Math.round(1e9 / ns),
        spread,
      }))
    }),
  )
  const intervalsUs = intervalsOf(throughput)
  const latency = []
  for (const { fixture, tasks } of measured) {
    say(`${fixture}: latencies …`)
    const samples = await inRounds(
      tasks['round trip'],
      rounds,
      (task) => measureLatency(task, operations, intervalsUs[fixture]!),
      { isQuiet: true },
    )
    for (const [{ name: candidate }, taken] of samples) {
      const { p99Us, maxUs } = medians(taken)
      const worstUs = Math.max(...taken.map((one) => one.maxUs))
      latency.push({ candidate, fixture, p99Us, maxUs, worstUs })
    }
  }
  return { throughput, intervalsUs, latency }
}
const noOperations: Awaited<ReturnType<typeof measureOperations>> = {
  throughput: [],
  intervalsUs: {},
  latency: [],
}

/** Twice what v1 takes for 64 round trips: a load that every candidate can bear. */
export const intervalsOf = (throughput: readonly Throughput[]): Record<string, number> =>
  Object.fromEntries(
    throughput
      .filter(({ candidate, operation }) => candidate === 'v1' && operation === 'round trip')
      .map(({ fixture, perSecond }) => [fixture, Math.round((2 * CONCURRENCY * 1e6) / perSecond)]),
  )

/** How many times as many operations a second this library does as another candidate, by fixture. */
function ratiosOf(
  throughput: readonly Throughput[],
  operation: Operation,
  other: Candidate,
): Record<string, number> {
  const of = (name: Candidate) =>
    throughput.filter((cell) => cell.operation === operation && cell.candidate === name)
  const others = of(other)
  return Object.fromEntries(
    of('model-cache').map(({ fixture, perSecond }, i) => [fixture, perSecond / others[i]!.perSecond]),
  )
}

/** For example "0.1 kB" or "1 MB". */
export function sizeOf(bytes: number): string {
  const exponent = Math.round(Math.log10(bytes))
  return exponent < 6 ? `${10 ** (exponent - 3)} kB` : `${10 ** (exponent - 6)} MB`
}

export const roundtrip = defineComparison({
  name: 'roundtrip',
  question:
    'How many rows a second go to bytes and back, with which latency, and which parser suits which size?',
  packages: ['@prisma/client', 'arktype', 'fast-json-stringify', 'simdjson'],
  full: { rounds: 3, operations: 20_000, timing: { warmUpMs: 100, rounds: 15, batchMs: 12 } },
  quick: { rounds: 1, operations: 500, timing: { warmUpMs: 10, rounds: 3, batchMs: 2 } },
  variants: ['part', ['operations', 'sizes', 'coalescing'].map((name) => ({ name }))],
  async workload(run) {
    const { timing, rounds, operations } = run.effort
    const has = (part: string): boolean => run.chosen.some(({ name }) => name === part)
    const measured = has('operations') ? await measureOperations(run) : noOperations
    const reason = has('sizes') ? buildSimdjson() : undefined
    say('Parsers …')
    const { timeCoalescing, timeSizes } = await import('./parsers.ts')
    return {
      concurrency: CONCURRENCY,
      rounds,
      operations,
      ...measured,
      sizes: has('sizes') ? timeSizes(timing, reason === undefined) : [],
      coalescing: has('coalescing') ? timeCoalescing(timing) : [],
      /** Why simdjson is not among the parsers. */
      ...(reason !== undefined && { simdjsonMissing: reason }),
    }
  },
  columns({ throughput, latency, sizes, coalescing, intervalsUs, simdjsonMissing, ...measured }) {
    const { concurrency, operations, rounds } = measured
    const fixtures = Object.keys(intervalsUs)
    const about = [
      'Candidates are interleaved in one process; medians of rounds.',
      'Serialize is to bytes for the socket, deserialize from received text; a round trip is to bytes and from these bytes.',
      `Latency: ${concurrency} round trips are due at a time, at half of the pace of v1, the same for all, and count from when they were due: medians of ${rounds} rounds of ${operations} operations. Worst is the longest of all rounds.`,
    ]
    const bySize = Map.groupBy(coalescing, ({ bytes }) => bytes)
    const us = (way: string) => (result: (typeof coalescing)[number]) =>
      result.timings[way]!.ns / 1000 / result.reads
    return [
      { title: 'Rows to stored bytes and back', text: throughput.length > 0 ? about : [] },
      notes('Candidates', throughput.length > 0 ? NOTES : {}),
      ...OPERATIONS.map((operation) =>
        grid(
          `Operations per second of processor time: ${operation}`,
          fixtures,
          [...CANDIDATES, 'times v2', 'times v1'],
          (fixture, column) => {
            const other = /^times (v\d)$/.exec(column)?.[1] as Candidate | undefined
            if (other) return ratiosOf(throughput, operation, other)[fixture]
            return throughput.find(
              (cell) => cell.operation === operation && cell.fixture === fixture && cell.candidate === column,
            )?.perSecond
          },
          { chart: { y: 'operations per second', scale: 'log', columns: CANDIDATES } },
        ),
      ),
      grid(
        'Latency of round trips under load, microseconds',
        fixtures,
        ['due every', ...CANDIDATES.flatMap((name) => ['p99', 'max', 'worst'].map((of) => `${name} ${of}`))],
        (fixture, column) => {
          const [name, of] = column.split(' ')
          const cell = latency.find((one) => one.fixture === fixture && one.candidate === name)
          return cell ? cell[`${of as 'p99' | 'max' | 'worst'}Us`] : intervalsUs[fixture]
        },
        { chart: { y: 'µs, p99', scale: 'log', columns: CANDIDATES.map((name) => `${name} p99`) } },
      ),
      besidePublished(
        parsingStorm,
        'this library beside v1',
        (throughput.length > 0 ? OPERATIONS : []).map((operation) => {
          const ratios = Object.values(ratiosOf(throughput, operation, 'v1'))
          const range = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`
          return {
            name: `${operation}, times v1`,
            theirs: undefined,
            ours: `${median(ratios).toFixed(1)} (${range})`,
            difference: 'our fixtures, and the record format in place of compiled JSON',
          }
        }),
      ),
      grid(
        'Microseconds per value, by parser and bytes of JSON',
        sizes.map(({ bytes }) => bytes),
        Object.keys(sizes[0]?.timings ?? {}),
        (size, parser) => sizes.find(({ bytes }) => bytes === size)!.timings[parser]!.ns / 1000,
        {
          text: [
            'Values of one shape, whose number of entries grows. JSON.parse and simdjson leave dates and decimals as strings; both formats of this library check and restore them. Lazily, simdjson makes one string.',
            ...(simdjsonMissing ? [`simdjson is not measured: ${simdjsonMissing}`] : []),
          ],
          chart: { kind: 'line', x: 'bytes of JSON', y: 'µs per value', scale: 'log' },
        },
      ),
      ...Array.from(bySize, ([size, ofSize]) =>
        table(
          `N reads in one parse, values of ${sizeOf(size)}: microseconds per value`,
          ofSize,
          {
            N: 'reads',
            'one by one': us('one by one'),
            joined: us('joined'),
            'record format': us('record format'),
            'block of joined, ms': ({ timings }) => timings['joined']!.ns / 1e6,
          },
          {
            text: [
              'One JSON.parse per value; one of an array of all, which blocks the event loop meanwhile; or the record format, which restores dates and decimals.',
            ],
            chart: {
              kind: 'line',
              x: 'values read at a time',
              y: 'µs per value',
              scale: 'log',
              columns: ['one by one', 'joined', 'record format'],
            },
          },
        ),
      ),
    ]
  },
  conclusion({ throughput }) {
    if (throughput.length === 0) return 'Only parsers were measured.'
    const ratios = Object.values(ratiosOf(throughput, 'round trip', 'v1'))
    return (
      `A round trip of a row through bytes is ${median(ratios).toFixed(1)} times as fast as in the first design of this project, ` +
      `and at least ${Math.min(...ratios).toFixed(1)} times.`
    )
  },
  figures({ throughput, latency, sizes, coalescing }) {
    const ratios = (throughput.length > 0 ? OPERATIONS : []).map((name) => {
      const byFixture = Object.values(ratiosOf(throughput, name, 'v1'))
      return { name, median: rounded(median(byFixture), 4), worst: rounded(Math.min(...byFixture), 4) }
    })
    const ours = latency.filter(({ candidate }) => candidate === 'model-cache')
    return {
      ...figuresOf(ratios, ({ name }) => name, {
        ', times v1': ['median', '×', 'higher'],
        ', worst fixture, times v1': ['worst', '×', 'higher'],
      }),
      ...(ours.length > 0 && { 'p99 under load': lower(median(ours.map(({ p99Us }) => p99Us)), 'µs') }),
      ...figuresOf(sizes, ({ bytes }) => `record format, ${sizeOf(bytes)}`, {
        '': [({ timings }) => Math.round(timings['record format']!.ns), 'ns'],
      }),
      ...figuresOf(
        coalescing.slice(-1),
        ({ reads, bytes }) => `record format, ${reads.toLocaleString('en')} of ${sizeOf(bytes)}`,
        { '': [({ timings }) => Math.round(timings['record format']!.ns / 1000), 'µs'] },
      ),
    }
  },
})
