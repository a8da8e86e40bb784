import { median } from '../measure/statistics.ts'
import { count, plusMinus } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { CodecMeasurements, FixtureResult } from './codec-measurements.ts'

type Kind = 'decode' | 'encode' | 'arrival' | 'bytes'

/** The candidates that are drawn; the tables have all of them. */
const DRAWN: Readonly<Record<Kind, readonly string[]>> = {
  decode: ['default', 'json-compiled', 'JSON.parse', 'v1'],
  encode: ['default', 'json-compiled', 'JSON.stringify', 'fast-json-stringify', 'v1'],
  arrival: ['default', 'JSON.parse'],
  bytes: ['default', 'JSON.parse', 'msgpackr'],
}

/** Nanoseconds and bytes, the speed-ups, and what to know before comparing. */
export function presentCodec({ fixtures, summary, notes }: CodecMeasurements): Section[] {
  return [
    figuresOf(fixtures, 'decode', 'Decode', 'ns per row', spreadOf(fixtures)),
    figuresOf(fixtures, 'encode', 'Encode to bytes', 'ns per row'),
    figuresOf(fixtures, 'arrival', 'Text of received bytes', 'ns per row', 'What comes before decode.'),
    figuresOf(fixtures, 'bytes', 'Stored size', 'bytes per row'),
    {
      title: 'Speed-up of the default codec over the fixtures',
      text: ['How many times as fast it is: above 1 it is the faster one.'],
      table: {
        head: ['', 'median', 'min'],
        rows: Object.entries(summary).map(([name, { median, min }]) => [
          name,
          median.toFixed(2),
          min.toFixed(2),
        ]),
      },
    },
    { title: 'To know', text: Object.entries(notes).map(([name, note]) => `${name}: ${note}.`) },
  ]
}

function figuresOf(
  fixtures: readonly FixtureResult[],
  kind: Kind,
  what: string,
  unit: string,
  ...text: readonly string[]
): Section {
  const names = [...new Set(fixtures.flatMap((fixture) => Object.keys(fixture[kind])))]
  return {
    title: `${what}, ${unit}`,
    text,
    table: {
      head: ['', ...names],
      rows: fixtures.map((fixture) => [fixture.name, ...names.map((name) => cell(fixture[kind][name]))]),
    },
    chart: {
      kind: 'bar',
      y: unit,
      scale: 'log',
      categories: fixtures.map(({ name }) => name),
      series: DRAWN[kind].map((name) => ({
        name,
        values: fixtures.map((fixture) => fixture[kind][name] ?? null),
      })),
    },
  }
}

const cell = (figure: number | undefined): string => (figure === undefined ? '–' : count(figure))

function spreadOf(fixtures: readonly FixtureResult[]): string {
  const spreads = fixtures.flatMap(({ spread: { decode, encode } }) => [
    ...Object.values(decode),
    ...Object.values(encode),
  ])
  return (
    'Medians of interleaved rounds, in processor time. ' +
    `Half of the rounds lie within ${plusMinus(median(spreads), 1)} typically, ${plusMinus(Math.max(...spreads), 1)} at worst.`
  )
}
