import { table } from '../harness/section.ts'
import { markdownTable } from '../report/markdown.ts'
import type { ScaleMeasurements } from '../suites/scale/scale.ts'
import { measuredBy, type Source } from './measured-by.ts'

/** Microseconds of processor time per read, of a pod and of Valkey; bytes on the wire per read, and of memory of Valkey per row. */
type Costs = Readonly<Record<'readUs' | 'serverUs' | 'wireBytes' | 'rowBytes', number>>

/** Choices of an operator. Rows of docs/capacity.md: name, value, reason. */
const CHOICES = {
  pod_share: [
    '0.25',
    'part of one processor of a pod for reads of the cache; the application needs the rest',
  ],
  spare_pods: ['1', 'pods that may be lost, or restarting'],
  server_share: [
    '0.5',
    'part of one processor for reads; Valkey runs commands in one thread, and has writes as well',
  ],
  node_gb: ['16 GB', 'memory of a node, as maxmemory'],
  headroom: ['1.5', 'for fragmentation and buffers, and for rows of two deploys at a time'],
  node_gbit: ['5 Gbit/s', 'network of a node for reads'],
  replicas: ['1', 'replicas of each primary'],
} as const

const READS_A_TICK = 100
const READS = [10_000, 100_000, 1_000_000]
const ROWS = [1e6, 10e6, 100e6]

/** @throws when the axes were not measured */
export function costsOf({ axes }: Pick<ScaleMeasurements, 'axes'>): Costs {
  const pointsOf = (name: string) => {
    const points = axes.find((axis) => axis.name === name)?.points
    if (points) return points
    throw new Error(`The capacity sheet needs the axis "${name}": npm run bench -- scale, without --only.`)
  }
  const read = pointsOf('concurrency').find(({ x }) => x === READS_A_TICK)!
  return {
    readUs: read.cpuUs,
    serverUs: read.serverCpuUs,
    wireBytes: read.wireBytes,
    rowBytes: pointsOf('rows').at(-1)!.memoryPerRow,
  }
}

/** The fleet for a load of reads that Valkey answers, none of them from L1. */
export function fleetFor(load: { readonly reads: number; readonly rows: number }, costs: Costs) {
  const of = (name: keyof typeof CHOICES): number => Number.parseFloat(CHOICES[name][0])
  const gbit = (load.reads * costs.wireBytes * 8) / 1e9
  const memoryGb = (load.rows * costs.rowBytes * of('headroom')) / 1e9
  const primariesFor = {
    processor: Math.ceil((load.reads * costs.serverUs) / 1e6 / of('server_share')),
    network: Math.ceil(gbit / of('node_gbit')),
    memory: Math.ceil(memoryGb / of('node_gb')),
  }
  const primaries = Math.max(1, ...Object.values(primariesFor))
  const scarcest = Object.entries(primariesFor).flatMap(([name, needed]) =>
    needed === primaries ? [name] : [],
  )
  return {
    ...load,
    pods: Math.ceil((load.reads * costs.readUs) / 1e6 / of('pod_share')) + of('spare_pods'),
    primaries,
    nodes: primaries * (1 + of('replicas')),
    memoryGb,
    gbit,
    decidedBy: primaries === 1 ? 'one is enough' : scarcest.join(', '),
  }
}

/** The generated part of docs/capacity.md: measured costs, choices, and the fleets that follow. */
export function capacitySheet(scale: ScaleMeasurements & Source): string {
  const costs = costsOf(scale)
  const largest = Math.round(scale.axes.find(({ name }) => name === 'rows')!.points.at(-1)!.x)
  const measured = {
    read_us: [
      costs.readUs.toFixed(1),
      `µs of a pod's processor per read of 2 kB, ${READS_A_TICK} reads a tick`,
    ],
    server_us: [costs.serverUs.toFixed(1), 'µs of the processor of Valkey for the same read'],
    wire_bytes: [costs.wireBytes, 'bytes to and from Valkey for the same read'],
    row_bytes: [
      costs.rowBytes,
      `bytes of memory of Valkey per row, with its key, among ${largest.toLocaleString('en')}`,
    ],
  } as const
  const named = (
    first: string,
    last: string,
    rows: Readonly<Record<string, readonly [value: string | number, what: string]>>,
  ) =>
    table('', Object.entries(rows), {
      [first]: ([name]) => name,
      value: ([, [value]]) => value,
      [last]: ([, [, what]]) => what,
    })
  const fleets = READS.flatMap((reads) => ROWS.map((rows) => fleetFor({ reads, rows }, costs)))
  const sections = [
    named('measured', 'what', measured),
    named('chosen', 'why', CHOICES),
    table('Fleets', fleets, {
      'reads a second': 'reads',
      rows: 'rows',
      pods: 'pods',
      primaries: 'primaries',
      nodes: 'nodes',
      'memory GB': 'memoryGb',
      'Gbit/s': 'gbit',
      'decided by': 'decidedBy',
    }),
  ]
  return [measuredBy(scale), ...sections.map((section) => markdownTable(section.table!))].join('\n\n')
}
