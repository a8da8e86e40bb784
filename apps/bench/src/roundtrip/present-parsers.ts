import type { Section } from '../report/section.ts'
import { sizeOf } from './figures.ts'
import type { RoundtripMeasurements } from './roundtrip-measurements.ts'

/** What a value takes, by parser and size. */
export function presentSizes({ sizes, simdjsonMissing }: RoundtripMeasurements): Section {
  const parsers = Object.keys(sizes[0]!.timings)
  const usOf = (parser: string, index: number): number => sizes[index]!.timings[parser]!.ns / 1000
  return {
    title: 'Which parser, by size: microseconds per value',
    text: [
      'Values of one shape: an id, a date, and entries of two texts, a decimal, a date, a number and a flag. JSON.parse and simdjson leave dates and ' +
        'decimals as strings; both formats of this library check the row and bring them back. Lazily, simdjson makes one string and leaves the rest unread.',
      ...(simdjsonMissing ? [`simdjson is not measured: ${simdjsonMissing}`] : []),
    ],
    table: {
      head: ['', ...parsers, 'record vs JSON.parse'],
      rows: sizes.map(({ bytes }, index) => [
        sizeOf(bytes),
        ...parsers.map((parser) => usOf(parser, index).toFixed(2)),
        `${(usOf('JSON.parse', index) / usOf('record format', index)).toFixed(2)}×`,
      ]),
    },
    chart: {
      kind: 'line',
      x: 'bytes of JSON',
      y: 'µs per value',
      scale: 'log',
      categories: sizes.map(({ bytes }) => bytes),
      series: parsers.map((name) => ({ name, values: sizes.map((_, index) => usOf(name, index)) })),
    },
  }
}

/** What a value takes as one of N, by N: a section for each size. */
export function presentCoalescing({ coalescing }: RoundtripMeasurements): Section[] {
  const sizes = [...new Set(coalescing.map(({ bytes }) => bytes))]
  return sizes.map((size, index) => {
    const here = coalescing.filter(({ bytes }) => bytes === size)
    const ways = Object.keys(here[0]!.timings)
    const usOf = (way: string, { timings, reads }: (typeof here)[number]): number =>
      timings[way]!.ns / 1000 / reads
    return {
      title: `N reads in one parse, values of ${sizeOf(size)}: microseconds per value`,
      ...(index === 0 && {
        text: [
          'One by one is JSON.parse of each value; joined is one JSON.parse of an array that is made of their texts, which is also how long ' +
            'the event loop is blocked. The record format decodes each value by itself, and brings dates and decimals back, which the others do not.',
        ],
      }),
      table: {
        head: ['N', ...ways, 'joined vs one by one', 'block of joined, ms'],
        rows: here.map((result) => [
          result.reads.toLocaleString('en'),
          ...ways.map((way) => usOf(way, result).toFixed(2)),
          `${(usOf('one by one', result) / usOf('joined', result)).toFixed(2)}×`,
          (result.timings['joined']!.ns / 1e6).toFixed(2),
        ]),
      },
      chart: {
        kind: 'line',
        x: 'values read at a time',
        y: 'µs per value',
        scale: 'log',
        categories: here.map(({ reads }) => reads),
        series: ways.map((name) => ({ name, values: here.map((result) => usOf(name, result)) })),
      },
    }
  })
}
