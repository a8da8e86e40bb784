import { median } from '../measure/statistics.ts'
import { besidePublished, type Beside } from '../report/published.ts'
import type { Section } from '../report/section.ts'
import { CANDIDATES, NOTES } from './candidates.ts'
import { ratiosOf } from './figures.ts'
import { OPERATIONS, type OperationName } from './operations.ts'
import { presentCoalescing, presentSizes } from './present-parsers.ts'
import { published } from './published.ts'
import type { RoundtripMeasurements } from './roundtrip-measurements.ts'

export function presentRoundtrip(measurements: RoundtripMeasurements): readonly Section[] {
  const { throughput, latency, sizes, coalescing } = measurements
  return [
    ...(throughput.length > 0 ? [about(measurements)] : []),
    ...(throughput.length > 0 ? OPERATIONS.map((name) => presentOperation(measurements, name)) : []),
    ...(latency.length > 0 ? [presentLatency(measurements)] : []),
    ...(sizes.length > 0 ? [presentSizes(measurements)] : []),
    ...(coalescing.length > 0 ? presentCoalescing(measurements) : []),
    besidePublished(published, 'this library beside v1', besideRows(measurements)),
  ]
}

function about({ idlePerSecond, concurrency, operations, rounds }: RoundtripMeasurements): Section {
  return {
    title: 'Rows to stored bytes and back',
    text: [
      `${concurrency} callers at a time, ${operations.toLocaleString('en')} operations a cell, medians of ${rounds} ` +
        `${rounds === 1 ? 'round' : 'rounds'} in new processes; ± is half the distance of their quartiles.`,
      `Callers who ask for nothing come to ${idlePerSecond.toLocaleString('en')} a second, which is the most that can be seen here.`,
      'Serialize is to bytes for the socket, deserialize from the text that a client hands over; a round trip is both, and the text made of the bytes.',
      ...CANDIDATES.map((name) => `${name}: ${NOTES[name]}.`),
    ],
  }
}

function presentOperation(measurements: RoundtripMeasurements, operation: OperationName): Section {
  const cells = measurements.throughput.filter((cell) => cell.operation === operation)
  const fixtures = [...new Set(cells.map(({ fixture }) => fixture))]
  const cellOf = (candidate: string, fixture: string) =>
    cells.find((cell) => cell.candidate === candidate && cell.fixture === fixture)!
  const series = CANDIDATES.map((name) => ({
    name,
    values: fixtures.map((fixture) => cellOf(name, fixture).perSecond),
  }))
  const ratio = (fixture: string, candidate: string): string =>
    (cellOf('model-cache', fixture).perSecond / cellOf(candidate, fixture).perSecond).toFixed(1)
  return {
    title: `Operations per second of processor time: ${operation}`,
    table: {
      head: ['', ...CANDIDATES.flatMap((name) => [name, '±']), 'times v2', 'times v1'],
      rows: fixtures.map((fixture) => [
        fixture,
        ...CANDIDATES.flatMap((name) => {
          const { perSecond, spread } = cellOf(name, fixture)
          return [perSecond.toLocaleString('en'), `${(spread * 100).toFixed(0)} %`]
        }),
        ratio(fixture, 'v2'),
        ratio(fixture, 'v1'),
      ]),
    },
    chart: { kind: 'bar', y: 'operations per second', scale: 'log', categories: fixtures, series },
  }
}

function presentLatency({ latency, intervalsUs, concurrency, rounds }: RoundtripMeasurements): Section {
  const fixtures = Object.keys(intervalsUs)
  const cellOf = (candidate: string, fixture: string) =>
    latency.find((cell) => cell.candidate === candidate && cell.fixture === fixture)!
  return {
    title: 'Latency of round trips under load, microseconds',
    text: [
      `${concurrency} round trips are due at a time, again and again, at half of the pace that v1 can keep; the same for all. A latency ` +
        'counts from when the operation was due, so that who waits for others, or for the collector, is charged with it.',
      `p99 and max are medians of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}; worst is the longest of all.`,
    ],
    table: {
      head: ['', 'due every', ...CANDIDATES.flatMap((name) => [`${name} p99`, 'max', 'worst'])],
      rows: fixtures.map((fixture) => [
        fixture,
        intervalsUs[fixture]!.toLocaleString('en'),
        ...CANDIDATES.flatMap((name) => {
          const { p99Us, maxUs, worstUs } = cellOf(name, fixture)
          return [p99Us, maxUs, worstUs].map((us) => us.toLocaleString('en'))
        }),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'µs from when it was due, p99',
      scale: 'log',
      categories: fixtures,
      series: CANDIDATES.map((name) => ({
        name,
        values: fixtures.map((fixture) => cellOf(name, fixture).p99Us),
      })),
    },
  }
}

function besideRows(measurements: RoundtripMeasurements): Beside[] {
  const { throughput, latency } = measurements
  if (throughput.length === 0) return []
  const worst = (name: string): number =>
    Math.max(...latency.filter(({ candidate }) => candidate === name).map(({ maxUs }) => maxUs))
  return [
    ...OPERATIONS.map((operation) => {
      const ratios = ratiosOf(measurements, operation)
      const range = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`
      return {
        name: `${operation}, times v1`,
        ours: `${median(ratios).toFixed(1)} (${range})`,
        difference: 'our fixtures, and the record format in the place of compiled JSON',
      }
    }),
    {
      name: 'worst latency under load',
      ours: `${worst('model-cache').toLocaleString('en')} µs, v1 ${worst('v1').toLocaleString('en')} µs`,
      difference: 'of nine fixtures, the medians of rounds',
    },
  ]
}
