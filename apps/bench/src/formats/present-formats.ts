import type { Chart, Section } from '../report/section.ts'
import { byLibrary, type LibraryResults } from './by-library.ts'
import { megabytes, number, percent, times } from './cells.ts'
import type { FormatResult, FormatsMeasurements, Operation } from './formats-measurements.ts'
import { presentPublished } from './present-published.ts'

export function presentFormats(measurements: FormatsMeasurements): Section[] {
  const libraries = byLibrary(measurements)
  const trips = measurements.trips.toLocaleString('en')
  return [
    {
      title: `${trips} trips to bytes and back`,
      text: [
        'Every trip has come back equal, nulls and Dates included, before anything was timed. Each library and way has',
        `a process of its own, ${measurements.rounds} round${measurements.rounds > 1 ? 's' : ''} in turn; medians.`,
        'Untuned: the API as its documentation begins, objects mapped where the format needs it, buffers as they come.',
        ...Object.entries(measurements.notes).map(([name, note]) => `  ${name}: ${note}.`),
      ],
    },
    presentOperation(`Encode ${trips} trips as one message`, 'encode', libraries),
    presentOperation(`Decode ${trips} trips from one message`, 'decode', libraries),
    presentRows(`${trips} trips row by row, tuned`, libraries, measurements.trips),
    presentSize(libraries),
    presentGarbage('Garbage of encoding', 'encode', libraries),
    presentGarbage('Garbage of decoding', 'decode', libraries),
    presentPublished(libraries),
  ]
}

type Libraries = readonly LibraryResults[]

function chart(libraries: Libraries, y: string, figure: (result: FormatResult) => number): Chart {
  return {
    kind: 'bar',
    y,
    categories: libraries.map(({ name }) => name),
    series: [
      { name: 'untuned', values: libraries.map(({ untuned }) => (untuned ? figure(untuned) : null)) },
      { name: 'tuned', values: libraries.map(({ tuned }) => figure(tuned)) },
    ],
  }
}

function presentOperation(title: string, operation: Operation, libraries: Libraries): Section {
  return {
    title,
    text: [
      'ms by the clock, half the distance of the quartiles, ms of processor time. model-cache has no lists: it stores rows,',
      'and its figures are those of all rows one by one.',
    ],
    table: {
      head: ['', 'untuned', '± %', 'CPU', 'tuned', '± %', 'CPU', 'untuned / tuned'],
      rows: libraries.map(({ name, untuned, tuned }) => [
        name,
        ...timeCells(untuned, operation),
        ...timeCells(tuned, operation),
        times(untuned && untuned[operation].cpuMs / tuned[operation].cpuMs),
      ]),
    },
    chart: chart(libraries, `ms to ${operation}`, (result) => result[operation].ms),
  }
}

function timeCells(result: FormatResult | undefined, operation: Operation): string[] {
  const measured = result?.[operation]
  return [number(measured?.ms), percent(measured?.spread), number(measured?.cpuMs)]
}

function presentRows(title: string, libraries: Libraries, trips: number): Section {
  return {
    title,
    text: ['Each trip is a message of its own, as a cache stores it, with memory of its own. As above.'],
    table: {
      head: ['', 'encode', '± %', 'CPU', 'decode', '± %', 'CPU', 'bytes per row'],
      rows: libraries.map(({ name, rows }) => [
        name,
        ...timeCells(rows, 'encode'),
        ...timeCells(rows, 'decode'),
        number(rows && rows.bytes / trips),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'ms',
      categories: libraries.map(({ name }) => name),
      series: [
        { name: 'encode', values: libraries.map(({ rows }) => rows?.encode.ms ?? null) },
        { name: 'decode', values: libraries.map(({ rows }) => rows?.decode.ms ?? null) },
      ],
    },
  }
}

function presentSize(libraries: Libraries): Section {
  return {
    title: 'Size of all messages, MB',
    table: {
      head: ['', 'untuned', 'tuned', 'row by row'],
      rows: libraries.map(({ name, untuned, tuned, rows }) => [
        name,
        megabytes(untuned?.bytes),
        megabytes(tuned.bytes),
        megabytes(rows?.bytes),
      ]),
    },
    chart: chart(libraries, 'MB', ({ bytes }) => bytes / 1e6),
  }
}

function presentGarbage(title: string, operation: Operation, libraries: Libraries): Section {
  return {
    title,
    text: [
      'Of one call: MB of objects and of buffers that it allocates, collections, ms that the main thread stood still for them.',
    ],
    table: {
      head: ['', 'untuned objects', 'buffers', 'GC', 'ms', 'tuned objects', 'buffers', 'GC', 'ms'],
      rows: libraries.map(({ name, untuned, tuned }) => [
        name,
        ...garbageCells(untuned, operation),
        ...garbageCells(tuned, operation),
      ]),
    },
    chart: chart(
      libraries,
      'MB allocated',
      (result) => (result[operation].heapBytes + result[operation].bufferBytes) / 1e6,
    ),
  }
}

function garbageCells(result: FormatResult | undefined, operation: Operation): string[] {
  const measured = result?.[operation]
  return [
    megabytes(measured?.heapBytes),
    megabytes(measured?.bufferBytes),
    number(measured?.gcRuns),
    number(measured?.gcMs),
  ]
}
