import { join } from 'node:path'
import { defineComparison, figuresOf, type Run } from '../../harness/comparison.ts'
import { callProcess, type Methods } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { inPercent, table, type Section } from '../../harness/section.ts'
import { sum } from '../../harness/statistics.ts'
import { lower } from '../../harness/figure.ts'
import { axes, type Axis } from './axes.ts'
import type { AxisProcess, Effort } from './axis-process.ts'
import type { WideProcess } from './wide-process.ts'

/** What else is measured: one process with many caches on a large cluster. */
const wide = { name: 'wide', title: 'Many caches on a large cluster' } as const
const parts: readonly (Axis | typeof wide)[] = [...axes, wide]
/** Connections of a process to a node: for reads, for writes, and two for messages; one node has another one. */
const MOST_CONNECTIONS = 5

export type ScaleMeasurements = Awaited<ReturnType<typeof measure>>

async function measure({ quick, chosen, effort }: Run<Effort, (typeof parts)[number]>) {
  const call = <M extends Methods>(file: string, argument: Parameters<M['measure']>[0]) =>
    callProcess<M, 'measure'>(join(import.meta.dirname, file), 'measure', argument)
  const measured: Awaited<ReturnType<AxisProcess['measure']>>[] = []
  let ofWide: Wide | undefined
  for (const part of chosen) {
    say(`${part.title} …`)
    if (part.name === 'wide') {
      const width = quick ? { caches: 8, buckets: 16, nodes: 3 } : { caches: 200, buckets: 64, nodes: 30 }
      ofWide = await call<WideProcess>('wide-process.ts', width)
    } else {
      measured.push(await call<AxisProcess>('axis-process.ts', { axis: part, quick, effort }))
    }
  }
  return {
    server: (measured[0] ?? ofWide!).server,
    rounds: effort.rounds,
    axes: measured.map(({ result }) => result),
    ...(ofWide && { wide: ofWide }),
  }
}

type Wide = Awaited<ReturnType<WideProcess['measure']>>

const callsOf = (wide: Wide, name: string): Readonly<Record<string, number>> =>
  wide.cases.find((one) => one.name === name)!.calls

/** What grows with more than the caches, buckets and nodes that are concerned. */
function problemsOf({ buckets, caches, cases, connectionsPerNode, joined }: Wide): string[] {
  const most = Math.max(...connectionsPerNode)
  // A register of each cache, and the epoch of the catalogue in each turn that a large tick takes.
  const mostReads = caches * (buckets + 1) + 10
  const reads = Math.max(...cases.map(({ calls }) => calls.mget ?? 0))
  const joins = (joined.eval ?? 0) + (joined.evalsha ?? 0)
  return [
    ...(most > MOST_CONNECTIONS ? [`${most} connections to a node, of ${MOST_CONNECTIONS}.`] : []),
    ...(reads > mostReads ? [`${reads} reads of a tick, of ${mostReads}.`] : []),
    // A process sends some for itself: the server check, the list of processes.
    ...(joins > 1.5 * caches + 10 ? [`${joins} commands by which ${caches} caches join.`] : []),
  ]
}

function wideSection(wide: Wide): Section {
  const { atStart, inUse } = wide.heapKbPerCache
  return table(
    'Many caches on a large cluster',
    wide.cases,
    {
      'one tick': 'name',
      MGET: ({ calls }) => calls.mget,
      scripts: ({ calls }) => (calls.eval ?? 0) + (calls.evalsha ?? 0) || undefined,
      messages: ({ calls }) => calls.spublish,
    },
    {
      text: [
        `A process with ${wide.caches} caches with L1 and ${wide.buckets} buckets, on a cluster of ${wide.nodes} primaries; commands over all nodes. L1 has none of the rows.`,
        `It joins with ${sum(Object.values(wide.joined)) - (wide.joined.get ?? 0)} commands and ${wide.joinedKb.toFixed(0)} kB, has ${Math.min(...wide.connectionsPerNode)} to ${Math.max(...wide.connectionsPerNode)} connections to each node, ` +
          `and holds ${atStart.toFixed(0)} kB per cache at the start, and ${inUse.toFixed(0)} kB once it has been read, without rows.`,
      ],
    },
  )
}

export const scale = defineComparison({
  name: 'scale',
  question: 'How does the cost of a read grow with rows, models, reads a tick, payload and cluster nodes?',
  packages: ['@prisma/client', 'ioredis'],
  full: { rounds: 15, warmUpMs: 1_000, sampleBytes: 20e6 },
  quick: { rounds: 3, warmUpMs: 100, sampleBytes: 2e6 },
  variants: ['axis', parts],
  workload: measure,
  columns: ({ server, rounds, axes, wide }) => [
    table(
      'Cost of a read as things grow',
      axes,
      {
        '': 'title',
        from: ({ points }) => points[0]!.x,
        to: ({ points }) => points.at(-1)!.x,
        'µs at first': ({ points }) => points[0]!.cpuUs,
        'µs at last': ({ points }) => points.at(-1)!.cpuUs,
        exponent: ({ growth }) => growth.exponent.toFixed(2),
        '±': ({ growth }) => growth.error.toFixed(2),
        'at the end': ({ growth }) => growth.atEnd.toFixed(2),
      },
      {
        text: [
          `${server}, on loopback; medians of ${rounds} interleaved rounds, each axis in a process of its own, each point with servers of its own.`,
          'Where nothing else is said: 10,000 stored rows of 2 kB of one model, of which each tick reads 1,000, without L1.',
          'Exponent of the power law through all points: 0 where a read costs the same at any size, 1 where it grows in proportion.',
        ],
      },
    ),
    ...axes.map(({ title, unit, points }) =>
      table(
        title,
        points,
        {
          '': ({ x }) => Math.round(x),
          'CPU µs': 'cpuUs',
          '±': inPercent(({ cpuSpread }) => cpuSpread),
          // In a short run this may be too short for the clock of the server.
          'Valkey CPU µs': ({ serverCpuUs }) => (serverCpuUs > 0 ? serverCpuUs : null),
          'bytes on the wire': ({ wireBytes }) => Math.round(wireBytes),
          'bytes per row': ({ bytesPerRow }) => Math.round(bytesPerRow),
          'bytes in Valkey': ({ memoryPerRow }) => Math.round(memoryPerRow),
        },
        {
          text: [`Per read, by ${unit}.`],
          chart: {
            kind: 'line',
            scale: 'log',
            x: unit,
            y: 'µs of processor time per read',
            columns: ['CPU µs', 'Valkey CPU µs'],
          },
        },
      ),
    ),
    ...(wide ? [wideSection(wide)] : []),
  ],
  conclusion: ({ axes }) =>
    `Exponent of the cost of a read at the end of each axis, where 0 is constant: ` +
    `${axes.map(({ name, growth, points }) => `${name} ${growth.atEnd.toFixed(2)} (up to ${Math.round(points.at(-1)!.x).toLocaleString('en')})`).join(', ')}.`,
  figures: ({ axes, wide }) => ({
    ...figuresOf(axes, ({ name }) => name, {
      ': exponent': [({ growth }) => growth.exponent, 'power'],
      ': read at the end': [({ points }) => points.at(-1)!.cpuUs, 'µs of processor time'],
    }),
    ...(wide && {
      'wide: reads of a row of each cache': lower(
        callsOf(wide, 'reads a row of each cache').mget!,
        'commands',
      ),
      'wide: connections': lower(sum(wide.connectionsPerNode), 'connections'),
      'wide: memory': lower(wide.heapKbPerCache.inUse, 'kB per cache'),
    }),
  }),
  problems: ({ wide }) => (wide ? problemsOf(wide) : []),
})
