import { higher, lower, sum, table } from '../bench/harness.ts'
import { defineTorture } from '../define-torture.ts'
import { type Course, thinned } from './course.ts'
import type { measure } from './measure.ts'
import { problemsOf } from './problems.ts'

type Soak = Awaited<ReturnType<typeof measure>>

/** Rows of a table, at most. */
const MAX_ROWS = 20

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ') || 'none'

const plusMinus = (value: number, error: number): string => `${value.toFixed(1)} ± ${error.toFixed(1)}`

const errorsOf = ({ application, bursts }: Soak): number => (bursts?.errors ?? 0) + (application?.errors ?? 0)

const steepest = (processes: readonly Course[]): Course =>
  processes.toSorted((one, other) => other.heap.perUnit - one.heap.perUnit)[0]!

export const soak = defineTorture({
  name: 'soak',
  question:
    'Do hours of work over an unreliable server leave memory, handles, keys, errors or stale rows behind?',
  packages: ['@prisma/client', 'ioredis', 'lru-cache', 'pg'],
  full: { minutes: 10, sampleMs: 3_000 },
  quick: { minutes: 0.5, sampleMs: 1_000 },
  variants: ['part', [{ name: 'bursts' }, { name: 'application' }]],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  // An error is a read or write that was rejected, which no fault of Valkey may cause, a read of another row, and an answer of the
  // inspector that is none.
  never: ({ application, bursts }) => ({
    [`errors of bursts, the first: ${bursts?.firstError}`]: bursts?.errors ?? 0,
    [`errors of the application, the first: ${application?.firstError}`]: application?.errors ?? 0,
    [`answers at rest are stale, the first: ${application?.firstStale}`]: application?.stale ?? 0,
    'audited hits were stale': application?.staleAudits ?? 0,
  }),
  problems: (soak) => problemsOf(soak),
  columns: ({ application, bursts, database, faults, keys, minutes, processes, server }) => [
    table(
      'What is left behind',
      processes,
      {
        process: 'name',
        minutes: ({ fromMinute, toMinute }) => `${fromMinute.toFixed(0)}–${toMinute.toFixed(0)}`,
        'heap MB': ({ heapKb }) => heapKb / 1_000,
        'kB per minute': ({ heap }) => plusMinus(heap.perUnit, heap.error),
        'handles at first': ({ handlesAtStart }) => listed(handlesAtStart),
        'in the end': ({ handlesAtEnd }) => listed(handlesAtEnd),
      },
      {
        text: [
          `${[server, ...(database ? [database] : [])].join(', ')}; ${minutes} minutes; faults of the server: ${listed(faults)}.`,
          ...(bursts
            ? [
                `Bursts: ${bursts.storms} with ${bursts.reads} reads, ${bursts.loads} loads, ${bursts.invalidations} invalidations, ${bursts.errors} errors.`,
              ]
            : []),
          ...(application
            ? [
                `Application: ${application.reads} reads, ${application.writes} writes, ${application.statements} statements outside Prisma, ${application.inspections} answers of the inspector, ${application.errors} errors.`,
                `${application.stale} of ${application.compared} answers at rest and ${application.staleAudits} of ${application.audits} audited hits were stale.`,
              ]
            : []),
        ],
      },
    ),
    ...processes.map(({ name, samples }) =>
      table(
        `Heap at rest: ${name}`,
        thinned(samples, MAX_ROWS),
        { minute: 'minutes', 'heap MB': ({ heapKb }) => heapKb / 1_000 },
        { chart: { kind: 'line', x: 'minutes', y: 'MB of heap, after a collection' } },
      ),
    ),
    ...(keys
      ? [
          table(
            'Keys of the application',
            thinned(keys.samples, MAX_ROWS),
            { minute: 'minutes', keys: 'keys', 'without expiry': 'lasting' },
            {
              text: [
                `${plusMinus(keys.perUnit, keys.error)} keys per minute; at most ${keys.most}, where ${keys.bound} can be reached.` +
                  (keys.left ? ` ${keys.left.keys} are left when everything else has expired.` : ''),
              ],
              chart: { kind: 'line', x: 'minutes', y: 'keys at rest' },
            },
          ),
        ]
      : []),
  ],
  conclusion(soak) {
    const { application, bursts, faults, keys, minutes, processes } = soak
    const { heap } = steepest(processes)
    const reads = (bursts?.reads ?? 0) + (application?.reads ?? 0)
    return (
      `After ${minutes} minutes, ${reads.toLocaleString('en')} reads and ${sum(Object.values(faults))} faults of the server: ` +
      `${errorsOf(soak)} errors` +
      (application
        ? `, ${application.stale} of ${application.compared.toLocaleString('en')} compared answers stale, ` +
          `${keys!.perUnit.toFixed(1)} ± ${keys!.error.toFixed(1)} keys per minute`
        : '') +
      `, and heaps that change by ${plusMinus(heap.perUnit, heap.error)} kB per minute at most.`
    )
  },
  figures(soak) {
    const { application, bursts, keys, minutes, processes } = soak
    const steep = steepest(processes)
    return {
      ...(bursts && {
        reads: higher(bursts.reads / minutes, 'per minute'),
        'loads per read': lower(bursts.loads / bursts.reads, 'loads'),
      }),
      'heap growth': lower(steep.heap.perUnit, 'kB per minute'),
      'open handles': lower(
        sum(processes.flatMap(({ handlesAtEnd }) => Object.values(handlesAtEnd))),
        'handles',
      ),
      ...(keys && { 'key growth': lower(keys.perUnit, 'keys per minute') }),
      ...(application && { 'stale at rest': lower(application.stale, 'answers') }),
      errors: lower(errorsOf(soak), 'errors'),
    }
  },
})
