import type { About } from '../about.ts'
import { median } from '../measure/statistics.ts'
import { stackedHeads, table } from '../table.ts'
import type { CodecMeasurements, Figures, FixtureResult, SpeedUp } from './codec-measurements.ts'

/** Tables of nanoseconds and bytes, the speed-ups, and what to know before comparing. */
export function showCodec({ fixtures, summary, notes }: CodecMeasurements, about: About): string {
  return [
    `Node ${about.node}, V8 ${about.v8}, ${about.cpu}, ${about.date}`,
    spreadOf(fixtures),
    section('Decode, ns per row', figuresOf(fixtures, 'decode')),
    section('Encode to bytes, ns per row', figuresOf(fixtures, 'encode')),
    section('Text of received bytes, ns per row: what comes before decode', figuresOf(fixtures, 'arrival')),
    section('Bytes per row', figuresOf(fixtures, 'bytes')),
    section('Speed-up of the default codec over the fixtures', speedUps(summary)),
    'To know',
    ...Object.entries(notes).map(([name, note]) => `  ${name}: ${note}`),
  ].join('\n')
}

function spreadOf(fixtures: readonly FixtureResult[]): string {
  const spreads = fixtures.flatMap(({ spread: { decode, encode } }) => [
    ...Object.values(decode),
    ...Object.values(encode),
  ])
  const percent = (part: number) => `± ${(part * 100).toFixed(1)} %`
  return (
    'Medians of interleaved rounds, in processor time. ' +
    `Half of the rounds lie within ${percent(median(spreads))} typically, ${percent(Math.max(...spreads))} at worst.`
  )
}

const section = (title: string, rows: string[][]): string => `\n${title}\n${table(rows)}\n`

function figuresOf(
  fixtures: readonly FixtureResult[],
  kind: 'decode' | 'encode' | 'arrival' | 'bytes',
): string[][] {
  const names = [...new Set(fixtures.flatMap((fixture) => Object.keys(fixture[kind])))]
  const cell = (figures: Figures, name: string) => figures[name]?.toLocaleString('en') ?? '–'
  return [
    ...stackedHeads(['', ...names]),
    ...fixtures.map((fixture) => [fixture.name, ...names.map((name) => cell(fixture[kind], name))]),
  ]
}

function speedUps(summary: Readonly<Record<string, SpeedUp>>): string[][] {
  return [
    ['', 'median', 'min'],
    ...Object.entries(summary).map(([name, { median, min }]) => [name, median.toFixed(2), min.toFixed(2)]),
  ]
}
