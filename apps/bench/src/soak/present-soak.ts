import { count } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { Handles, SoakMeasurements } from './soak-measurements.ts'

/** Rows of the table of samples, at most. */
const MAX_ROWS = 20

export function presentSoak(soak: SoakMeasurements): Section[] {
  const { server, minutes, storms, reads, loads, invalidations, errors, samples } = soak
  const every = Math.ceil(samples.length / MAX_ROWS)
  return [
    {
      title: 'The heap between storms',
      text: [
        `${server}. ${minutes} minutes, ${count(storms)} storms of ${count(reads)} reads, ${count(loads)} loads, ` +
          `${count(invalidations)} invalidations; the server: ${counts(soak.illnesses) || 'well'}.`,
      ],
      table: {
        head: ['minute', 'heap kB'],
        rows: samples
          .filter((_, i) => i % every === 0)
          .map((sample) => [sample.minutes.toFixed(1), count(sample.heapKb)]),
      },
      chart: {
        kind: 'line',
        x: 'minutes',
        y: 'MB of heap, after a collection',
        categories: samples.map((sample) => sample.minutes),
        series: [{ name: 'heap', values: samples.map(({ heapKb }) => heapKb / 1_000) }],
      },
    },
    {
      title: 'What is left behind',
      text: [
        `Open handles at the start: ${counts(soak.handlesAtStart)}; at the end: ${counts(soak.handlesAtEnd)}.`,
      ],
      table: {
        head: ['', 'value', '±'],
        rows: [
          ['heap, kB per minute', soak.heapKbPerMinute.toFixed(1), soak.heapKbPerMinuteError.toFixed(1)],
          ['errors', count(errors), ''],
        ],
      },
    },
  ]
}

function counts(of: Handles): string {
  return Object.entries(of)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ')
}
