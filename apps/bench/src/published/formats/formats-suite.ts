import { join } from 'node:path'
import { choose } from '../../harness/choose.ts'
import { callProcess } from '../../harness/process.ts'
import { inRounds, medians } from '../../harness/rounds.ts'
import { inPercent, notes, table } from '../../harness/section.ts'
import { spread } from '../../harness/statistics.ts'
import { defineSuite, lower, type RunOptions } from '../../harness/suite.ts'
import { allFormats } from './all-formats.ts'
import type { Way } from './format.ts'
import type { Measuring } from './measure.ts'
import { published, SOURCE } from './published.ts'

const FULL = { trips: 100_000, warmUps: 1, calls: 3, rounds: 2 }
const QUICK = { trips: 2_000, warmUps: 2, calls: 5, rounds: 1 }
const PROCESS = join(import.meta.dirname, 'measure.ts')

type Calls = Awaited<ReturnType<Measuring['measure']>>
type Operation = 'encode' | 'decode'

async function measure({ quick, only }: RunOptions) {
  const { rounds, ...effort } = quick ? QUICK : FULL
  const formats = choose('format', allFormats, only)
  const cases = formats.flatMap(({ name: format, create }) =>
    (Object.keys(create) as Way[]).map((way) => ({ name: `${format}, ${way}`, format, way })),
  )
  const calls = await inRounds(cases, rounds, ({ format, way }) =>
    callProcess<Measuring, 'measure'>(PROCESS, 'measure', { format, way, ...effort }),
  )
  return {
    trips: effort.trips,
    rounds,
    results: cases.map((one) => {
      const ofCase = calls.get(one)!
      return {
        name: one.format,
        way: one.way,
        /** Of all messages together. */
        bytes: ofCase[0]!.bytes,
        encode: summarise(ofCase, 'encode'),
        decode: summarise(ofCase, 'decode'),
      }
    }),
    notes: Object.fromEntries(formats.map(({ name, note }) => [name, note])),
  }
}

/** Medians of the calls of all rounds. */
function summarise(rounds: readonly Calls[], operation: Operation) {
  const calls = rounds.flatMap((round) => round[operation].calls)
  return {
    ...medians(calls),
    ...medians(rounds.map((round) => round[operation].allocated)),
    spread: spread(calls.map(({ ms }) => ms)),
  }
}

type Result = Awaited<ReturnType<typeof measure>>['results'][number]

/** The results of one library. `tuned` is row by row for a library that only stores rows. */
interface Library {
  readonly name: string
  readonly untuned: Result | undefined
  readonly tuned: Result
  readonly rows: Result | undefined
}

const MB = (bytes: number | undefined): number | undefined => (bytes === undefined ? undefined : bytes / 1e6)

export const formatsSuite = defineSuite({
  packages: ['arktype', 'avsc', 'bebop', 'cbor-x', 'fast-json-stringify', 'msgpackr', 'pbf', 'protobufjs'],
  measure,
  sections({ trips, rounds, results, notes: byFormat }) {
    const libraries = [...new Set(results.map(({ name }) => name))].map((name): Library => {
      const inWay = (way: Way) => results.find((result) => result.name === name && result.way === way)
      const rows = inWay('rows')
      return { name, untuned: inWay('untuned'), tuned: (inWay('tuned') ?? rows)!, rows }
    })
    const times = (operation: Operation, title: string) =>
      table(
        title,
        libraries,
        {
          '': 'name',
          untuned: ({ untuned }) => untuned?.[operation].ms,
          '± untuned': inPercent(({ untuned }) => untuned?.[operation].spread),
          'untuned CPU': ({ untuned }) => untuned?.[operation].cpuMs,
          tuned: ({ tuned }) => tuned[operation].ms,
          '± tuned': inPercent(({ tuned }) => tuned[operation].spread),
          'tuned CPU': ({ tuned }) => tuned[operation].cpuMs,
          'untuned / tuned': ({ untuned, tuned }) =>
            untuned && untuned[operation].cpuMs / tuned[operation].cpuMs,
        },
        {
          text: ['ms of wall time, and of processor time. model-cache has no lists: row by row.'],
          chart: { y: 'ms of wall time', columns: ['untuned', 'tuned'] },
        },
      )
    const garbage = (operation: Operation) =>
      table(
        `Garbage of one ${operation}`,
        libraries,
        Object.fromEntries([
          ['', ({ name }: Library) => name],
          ...(['untuned', 'tuned'] as const).flatMap((way) => {
            const of = (library: Library) => library[way]?.[operation]
            return [
              [`${way} MB of objects`, (library: Library) => MB(of(library)?.heapBytes)],
              [`${way} MB of buffers`, (library: Library) => MB(of(library)?.bufferBytes)],
              [`${way} collections`, (library: Library) => of(library)?.gcRuns],
              [`${way} GC ms`, (library: Library) => of(library)?.gcMs],
            ] as const
          }),
        ]),
        { chart: { y: 'MB allocated', columns: ['untuned MB of objects', 'tuned MB of objects'] } },
      )
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
      times('encode', `Encode ${trips} trips as one message`),
      times('decode', `Decode ${trips} trips from one message`),
      table(
        `${trips} trips row by row, tuned`,
        libraries,
        {
          '': 'name',
          encode: ({ rows }) => rows?.encode.ms,
          '± encode': inPercent(({ rows }) => rows?.encode.spread),
          'encode CPU': ({ rows }) => rows?.encode.cpuMs,
          decode: ({ rows }) => rows?.decode.ms,
          '± decode': inPercent(({ rows }) => rows?.decode.spread),
          'decode CPU': ({ rows }) => rows?.decode.cpuMs,
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
          untuned: ({ untuned }) => MB(untuned?.bytes),
          tuned: ({ tuned }) => MB(tuned.bytes),
          'row by row': ({ rows }) => MB(rows?.bytes),
        },
        { chart: { y: 'MB' } },
      ),
      garbage('encode'),
      garbage('decode'),
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
          'tuned, ours': ({ library }) => library?.tuned.encode.ms,
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
    const rows = results.filter(({ way }) => way === 'rows')
    const named = ['model-cache record', 'JSON', 'msgpackr'].flatMap(
      (name) => rows.find((one) => one.name === name) ?? [],
    )
    const costs = named.map(
      ({ name, encode, decode, bytes }) =>
        `${name} ${encode.ms.toFixed(0)} ms, ${decode.ms.toFixed(0)} ms and ${(bytes / 1e6).toFixed(1)} MB`,
    )
    return `To encode and decode ${trips.toLocaleString('en')} trips row by row takes: ${costs.join('; ')}.`
  },
  // Of the library's own formats; others do not change with it.
  figures: ({ results }) =>
    Object.fromEntries(
      results
        .filter(({ name }) => name.startsWith('model-cache'))
        .flatMap(({ name, bytes, encode, decode }) => [
          [`${name}: encode`, lower(encode.cpuMs, 'ms of processor time')],
          [`${name}: decode`, lower(decode.cpuMs, 'ms of processor time')],
          [`${name}: allocated by encode`, lower(encode.heapBytes, 'bytes')],
          [`${name}: allocated by decode`, lower(decode.heapBytes, 'bytes')],
          [`${name}: size`, lower(bytes, 'bytes')],
        ]),
    ),
})
