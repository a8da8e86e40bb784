import { median } from '../measure/statistics.ts'
import { besidePublished } from '../report/published.ts'
import type { Section } from '../report/section.ts'
import type { Figure } from '../figure.ts'
import { published } from './published.ts'
import { CEILING, NOTES } from './readers.ts'
import type { WalkerResult, WalkersMeasurements } from './walkers-measurements.ts'

const READERS = Object.keys(NOTES)
/** The others are ways of this library. */
const PUBLISHED_READERS = READERS.slice(0, 5)

export function presentWalkers({ fixtures }: WalkersMeasurements): readonly Section[] {
  const names = fixtures.map(({ fixture }) => fixture)
  const spreads = fixtures.flatMap(({ timings }) => Object.values(timings).map(({ spread }) => spread))
  const series = READERS.map((name) => ({
    name,
    values: fixtures.map((result) => timesCeiling(result, name)),
  }))
  return [
    {
      title: 'Nanoseconds of processor time per row',
      text: [
        'All read plain JSON, but the record; all were checked to bring every row back. Each fixture in a process of its own, its readers interleaved.',
        `Medians of rounds; half of the rounds lie within ± ${(median(spreads) * 100).toFixed(1)} % typically, ` +
          `± ${(Math.max(...spreads) * 100).toFixed(1)} % at worst.`,
        ...READERS.map((name) => `${name}: ${NOTES[name]}.`),
      ],
      table: {
        head: ['', 'bytes', 'dates', ...READERS],
        rows: fixtures.map(({ fixture, bytes, dates, timings }) => [
          fixture,
          bytes.toLocaleString('en'),
          dates.toFixed(1),
          ...READERS.map((name) => Math.round(timings[name]!.ns).toLocaleString('en')),
        ]),
      },
    },
    {
      title: 'Times the parse alone',
      text: ['1 is as fast as JSON.parse that brings nothing back; below 1 is faster than that.'],
      table: {
        head: ['', ...READERS],
        rows: [
          ...names.map((name, index) => [name, ...series.map(({ values }) => values[index]!.toFixed(2))]),
          ['median', ...series.map(({ values }) => median(values).toFixed(2))],
        ],
      },
      chart: { kind: 'bar', y: 'times JSON.parse alone', categories: names, series },
    },
    besidePublished(
      published,
      'times the parse alone, median of ten fixtures',
      PUBLISHED_READERS.map((name, index) => ({
        name,
        ours: median(series[index]!.values).toFixed(2),
        difference: 'our walkers, written for this table, and our fixtures',
      })),
    ),
  ]
}

const timesCeiling = ({ timings }: WalkerResult, name: string): number =>
  timings[name]!.ns / timings[CEILING]!.ns

/** Medians over the fixtures, as times of the parse alone. */
export function figuresOf({ fixtures }: WalkersMeasurements): Readonly<Record<string, Figure>> {
  return Object.fromEntries(
    READERS.filter((name) => name !== CEILING).map((name) => [
      `${name}, times the parse alone`,
      {
        value: Number(median(fixtures.map((result) => timesCeiling(result, name))).toFixed(3)),
        unit: '×',
        better: 'lower' as const,
      },
    ]),
  )
}
