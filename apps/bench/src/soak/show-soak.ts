import type { About } from '../about.ts'
import { table } from '../table.ts'
import type { Handles, SoakMeasurements } from './soak-measurements.ts'

/** Rows of the table of samples, at most. */
const MAX_ROWS = 20

export function showSoak(soak: SoakMeasurements, about: About): string {
  const { server, minutes, storms, reads, loads, invalidations, errors, samples, problems } = soak
  const every = Math.ceil(samples.length / MAX_ROWS)
  const count = (value: number): string => value.toLocaleString('en')
  return [
    `Node ${about.node}, V8 ${about.v8}, ${server}, ${about.cpu}, ${about.date}`,
    `${minutes} minutes, ${count(storms)} storms of ${count(reads)} reads, ${count(loads)} loads, ` +
      `${count(invalidations)} invalidations; the server: ${counts(soak.illnesses)}`,
    '',
    table([
      ['minute', 'heap kB'],
      ...samples
        .filter((_, i) => i % every === 0)
        .map((sample) => [sample.minutes.toFixed(1), count(Math.round(sample.heapKb))]),
    ]),
    '',
    table([
      ['heap, kB per minute', soak.heapKbPerMinute.toFixed(1), `± ${soak.heapKbPerMinuteError.toFixed(1)}`],
      ['errors', count(errors), ''],
    ]),
    `handles at the start: ${counts(soak.handlesAtStart)}`,
    `handles at the end: ${counts(soak.handlesAtEnd)}`,
    ...(problems.length > 0 ? ['', ...problems.map((problem) => `Failed: ${problem}.`)] : []),
  ].join('\n')
}

function counts(of: Handles): string {
  return Object.entries(of)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ')
}
