import { join } from 'node:path'
import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { besidePublished, parsingStorm } from '../../harness/published.ts'
import { inRounds, rounded } from '../../harness/rounds.ts'
import { grid, notes, table } from '../../harness/section.ts'
import { median, spread } from '../../harness/statistics.ts'
import { lower } from '../../harness/figure.ts'
import { buildSimdjson } from '../simdjson.ts'
import { CONCURRENCY } from './load.ts'
import type { CandidateName, OperationName, Roundtrips } from './roundtrip-process.ts'

const PROCESS = join(import.meta.dirname, 'roundtrip-process.ts')
const OPERATIONS: readonly OperationName[] = ['serialize', 'deserialize', 'round trip']

const NOTES: Readonly<Record<CandidateName, string>> = {
  'model-cache': 'the default codec: record format, rows checked before writing and after reading',
  v2: 'the published design: the exported createStringifier and createReviver',
  v1: 'the first design: JSON.stringify with a replacer, JSON.parse with a reviver that looks for prefixes',
}
const CANDIDATES = Object.keys(NOTES) as CandidateName[]

type Answer<Method extends keyof Roundtrips> = Awaited<ReturnType<Roundtrips[Method]>>

const run = <Method extends keyof Roundtrips & string>(
  method: Method,
  argument: Parameters<Roundtrips[Method]>[0],
): Promise<Answer<Method>> => callProcess<Roundtrips, Method>(PROCESS, method, argument)

type Operations = Awaited<ReturnType<typeof measureOperations>>
const noOperations: Operations = { throughput: [], idlePerSecond: 0, intervalsUs: {}, latency: [] }

/** Latencies last: their load follows from the throughput of v1. */
async function measureOperations(rounds: number, operations: number, quick: boolean) {
  const cases = CANDIDATES.map((name) => ({ name }))
  const throughputs = await inRounds(cases, rounds, ({ name }) =>
    run('throughput', { candidate: name, operations, quick }),
  )
  const throughput = cases.flatMap((one) => throughputCells(one.name, throughputs.get(one)!))
  const intervalsUs = intervalsOf(throughput)
  const latencies = await inRounds(cases, rounds, ({ name }) =>
    run('latency', { candidate: name, operations, quick, intervalsUs }),
  )
  const idle = [...throughputs.values()].flat().map((answer) => answer.idle)
  return {
    throughput,
    /** Operations that do nothing: the most that can be measured. */
    idlePerSecond: Math.round(median(idle)),
    intervalsUs,
    latency: cases.flatMap((one) => latencyCells(one.name, latencies.get(one)!)),
  }
}

export function throughputCells(candidate: CandidateName, rounds: readonly Answer<'throughput'>[]) {
  return Object.keys(rounds[0]!.fixtures).flatMap((fixture) =>
    OPERATIONS.map((operation) => {
      const values = rounds.map(({ fixtures }) => fixtures[fixture]![operation])
      return { candidate, fixture, operation, perSecond: Math.round(median(values)), spread: spread(values) }
    }),
  )
}

/** Twice what v1 takes for 64 round trips: a load that every candidate can bear. */
export function intervalsOf(cells: ReturnType<typeof throughputCells>): Record<string, number> {
  return Object.fromEntries(
    cells
      .filter(({ candidate, operation }) => candidate === 'v1' && operation === 'round trip')
      .map(({ fixture, perSecond }) => [fixture, Math.round((2 * CONCURRENCY * 1e6) / perSecond)]),
  )
}

function latencyCells(candidate: CandidateName, rounds: readonly Answer<'latency'>[]) {
  return Object.keys(rounds[0]!).map((fixture) => {
    const latencies = rounds.map((round) => round[fixture]!)
    const maxima = latencies.map(({ maxUs }) => maxUs)
    return {
      candidate,
      fixture,
      p99Us: Math.round(median(latencies.map(({ p99Us }) => p99Us))),
      maxUs: Math.round(median(maxima)),
      worstUs: Math.round(Math.max(...maxima)),
    }
  })
}

/** How many times as many operations a second this library does as another candidate, by fixture. */
function ratiosOf(
  throughput: Operations['throughput'],
  operation: OperationName,
  other: CandidateName,
): Record<string, number> {
  const here = throughput.filter((cell) => cell.operation === operation)
  const of = (name: CandidateName, fixture: string): number =>
    here.find((cell) => cell.candidate === name && cell.fixture === fixture)!.perSecond
  const fixtures = [...new Set(here.map(({ fixture }) => fixture))]
  return Object.fromEntries(
    fixtures.map((fixture) => [fixture, of('model-cache', fixture) / of(other, fixture)]),
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
  full: { rounds: 3, operations: 20_000, parsing: { warmUpMs: 100, rounds: 15, batchMs: 12 } },
  quick: { rounds: 1, operations: 500, parsing: { warmUpMs: 10, rounds: 3, batchMs: 2 } },
  variants: ['part', ['operations', 'sizes', 'coalescing'].map((name) => ({ name }))],
  async workload({ quick, chosen, effort: { rounds, operations, parsing } }) {
    const has = (part: string): boolean => chosen.some(({ name }) => name === part)
    const reason = has('sizes') ? buildSimdjson() : undefined
    const measured = has('operations') ? await measureOperations(rounds, operations, quick) : noOperations
    const options = { effort: parsing, hasSimdjson: reason === undefined }
    say('Parsers …')
    return {
      concurrency: CONCURRENCY,
      rounds,
      operations,
      ...measured,
      sizes: has('sizes') ? await run('sizes', options) : [],
      coalescing: has('coalescing') ? await run('coalescing', options) : [],
      /** Why simdjson is not among the parsers. */
      ...(reason !== undefined && { simdjsonMissing: reason }),
    }
  },
  columns({ throughput, latency, sizes, coalescing, intervalsUs, simdjsonMissing, ...measured }) {
    const { concurrency, operations, rounds, idlePerSecond } = measured
    const fixtures = Object.keys(intervalsUs)
    const about = [
      `${concurrency} callers at a time, ${operations} operations a cell, medians of ${rounds} rounds in new processes.`,
      `Operations that do nothing come to ${idlePerSecond} a second, the most that can be measured here.`,
      'Serialize is to bytes for the socket, deserialize from received text; a round trip is to bytes and from these bytes.',
      `Latency: ${concurrency} round trips are due at a time, at half of the pace of v1, the same for all, and count from when they were due. Worst is the longest of all rounds.`,
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
            const other = /^times (v\d)$/.exec(column)?.[1] as CandidateName | undefined
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
