import { join } from 'node:path'
import { defineComparison, figuresOf, notesOf } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { inRounds, medians } from '../../harness/rounds.ts'
import { inPercent, notes, table, type Columns } from '../../harness/section.ts'
import { spread } from '../../harness/statistics.ts'
import { WAYS, type Way } from './format.ts'
import type { Measuring } from './format-process.ts'
import { published, SOURCE } from './published.ts'

const PROCESS = join(import.meta.dirname, 'format-process.ts')

type Calls = Awaited<ReturnType<Measuring['measure']>>
const OPERATIONS = ['encode', 'decode'] as const
type Operation = (typeof OPERATIONS)[number]

/** Medians of the calls of all rounds. */
function summarise(rounds: readonly Calls[], operation: Operation) {
  const calls = rounds.flatMap((round) => round[operation].calls)
  return {
    ...medians(calls),
    ...medians(rounds.map((round) => round[operation].allocated)),
    spread: spread(calls.map(({ ms }) => ms)),
  }
}
type Summary = ReturnType<typeof summarise>

interface Result extends Readonly<Record<Operation, Summary>> {
  readonly name: string
  readonly way: Way
  /** Of all messages together. */
  readonly bytes: number
}

/** The results of one library. `tuned` is row by row for a library that only stores rows. */
type Library = { readonly name: string } & Readonly<Partial<Record<Way, Result>>>

/** Wall time with its spread, and processor time. */
const timed = (label: string, way: Way, operation: Operation): Columns<Library> => ({
  [label]: (library) => library[way]?.[operation].ms,
  [`± ${label}`]: inPercent((library: Library) => library[way]?.[operation].spread),
  [`${label} CPU`]: (library) => library[way]?.[operation].cpuMs,
})

const inMb = (of: (library: Library) => number | undefined) => (library: Library) => {
  const bytes = of(library)
  return bytes && bytes / 1e6
}

const garbage = (way: Way, operation: Operation): Columns<Library> => ({
  [`${way} MB of objects`]: inMb((library) => library[way]?.[operation].heapBytes),
  [`${way} MB of buffers`]: inMb((library) => library[way]?.[operation].bufferBytes),
  [`${way} collections`]: (library) => library[way]?.[operation].gcRuns,
  [`${way} GC ms`]: (library) => library[way]?.[operation].gcMs,
})

export const formats = defineComparison({
  name: 'formats',
  question: 'What do 100,000 trips cost as JSON, as rows of this library and in six binary formats?',
  packages: ['arktype', 'avsc', 'bebop', 'cbor-x', 'fast-json-stringify', 'msgpackr', 'pbf', 'protobufjs'],
  full: { trips: 100_000, warmUps: 1, calls: 3, rounds: 2 },
  quick: { trips: 2_000, warmUps: 2, calls: 5, rounds: 1 },
  variants: ['format', async () => (await import('./all-formats.ts')).allFormats],
  async workload({ chosen, effort: { rounds, ...effort } }) {
    const cases = chosen.flatMap((format) =>
      WAYS.filter((way) => format[way]).map((way) => ({
        name: `${format.name}, ${way}`,
        format: format.name,
        way,
      })),
    )
    const calls = await inRounds(cases, rounds, ({ format, way }) =>
      callProcess<Measuring, 'measure'>(PROCESS, 'measure', { format, way, ...effort }),
    )
    const results = cases.map((one): Result => {
      const ofCase = calls.get(one)!
      const [encode, decode] = [summarise(ofCase, 'encode'), summarise(ofCase, 'decode')]
      return { name: one.format, way: one.way, bytes: ofCase[0]!.bytes, encode, decode }
    })
    return { trips: effort.trips, rounds, results, notes: notesOf(chosen) }
  },
  columns({ trips, rounds, results, notes: byFormat }) {
    const libraries = Array.from(
      Map.groupBy(results, ({ name }) => name),
      ([name, ofName]): Library => {
        const byWay: Partial<Record<Way, Result>> = Object.fromEntries(ofName.map((one) => [one.way, one]))
        return { name, tuned: byWay.rows!, ...byWay }
      },
    )
    const titles = {
      encode: `Encode ${trips} trips as one message`,
      decode: `Decode ${trips} trips from one message`,
    }
    return [
      {
        title: `${trips} trips to bytes and back`,
        text: [
          'Every trip is verified before anything is timed. Each library and way has a process of its own, ' +
            `${rounds} rounds in turn; medians.`,
          'Untuned: the API as its documentation begins, objects mapped where the format needs it, default buffers.',
        ],
      },
      notes('How each library is tuned', byFormat),
      ...OPERATIONS.map((operation) =>
        table(
          titles[operation],
          libraries,
          {
            '': 'name',
            ...timed('untuned', 'untuned', operation),
            ...timed('tuned', 'tuned', operation),
            'untuned / tuned': ({ untuned, tuned }) =>
              untuned && untuned[operation].cpuMs / tuned![operation].cpuMs,
          },
          {
            text: ['ms of wall time, and of processor time. model-cache has no lists: row by row.'],
            chart: { y: 'ms of wall time', columns: ['untuned', 'tuned'] },
          },
        ),
      ),
      table(
        `${trips} trips row by row, tuned`,
        libraries,
        {
          '': 'name',
          ...timed('encode', 'rows', 'encode'),
          ...timed('decode', 'rows', 'decode'),
          'bytes per row': ({ rows }) => rows && rows.bytes / trips,
        },
        {
          text: ['Each trip is a message of its own, as in a cache.'],
          chart: { y: 'ms of wall time', columns: ['encode', 'decode'] },
        },
      ),
      table(
        'Size of all messages, MB',
        libraries,
        {
          '': 'name',
          untuned: inMb(({ untuned }) => untuned?.bytes),
          tuned: inMb(({ tuned }) => tuned?.bytes),
          'row by row': inMb(({ rows }) => rows?.bytes),
        },
        { chart: { y: 'MB' } },
      ),
      ...OPERATIONS.map((operation) =>
        table(
          `Garbage of one ${operation}`,
          libraries,
          { '': 'name', ...garbage('untuned', operation), ...garbage('tuned', operation) },
          { chart: { y: 'MB allocated', columns: ['untuned MB of objects', 'tuned MB of objects'] } },
        ),
      ),
      table(
        'Encode beside the published figures, ms of wall time',
        published.map((theirs) => ({
          ...theirs,
          library: libraries.find(({ name }) => name === theirs.ours),
        })),
        {
          '': 'name',
          'untuned, theirs': 'untuned',
          'untuned, ours': ({ library }) => library?.untuned?.encode.ms,
          'tuned, theirs': 'tuned',
          'tuned, ours': ({ library }) => library?.tuned?.encode.ms,
          'Rust, theirs': 'rust',
          'why they differ': 'difference',
        },
        {
          text: [
            `Published in “${SOURCE.title}”, ${SOURCE.url}.`,
            'Another machine and Node, and real trips; ours are generated. There, garbage collection took almost all of the time before tuning.',
          ],
          chart: {
            y: 'ms to encode',
            scale: 'log',
            columns: ['untuned, theirs', 'untuned, ours', 'tuned, theirs', 'tuned, ours'],
          },
        },
      ),
    ]
  },
  conclusion({ trips, results }) {
    const costs = ['model-cache record', 'JSON', 'msgpackr'].flatMap((named) => {
      const found = results.find(({ name, way }) => way === 'rows' && name === named)
      if (!found) return []
      const { name, encode, decode, bytes } = found
      return `${name} ${encode.ms.toFixed(0)} ms, ${decode.ms.toFixed(0)} ms and ${(bytes / 1e6).toFixed(1)} MB`
    })
    return `To encode and decode ${trips.toLocaleString('en')} trips row by row takes: ${costs.join('; ')}.`
  },
  // Of the library's own formats; others do not change with it.
  figures: ({ results }) =>
    figuresOf(
      results.filter(({ name }) => name.startsWith('model-cache')),
      ({ name }) => name,
      {
        ': encode': [({ encode }) => encode.cpuMs, 'ms of processor time'],
        ': decode': [({ decode }) => decode.cpuMs, 'ms of processor time'],
        ': allocated by encode': [({ encode }) => encode.heapBytes, 'bytes'],
        ': allocated by decode': [({ decode }) => decode.heapBytes, 'bytes'],
        ': size': ['bytes', 'bytes'],
      },
    ),
})
