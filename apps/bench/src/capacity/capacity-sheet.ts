import type { About } from '../result/about.ts'
import type { ScaleMeasurements } from '../scale/scale-measurements.ts'
import { CHOICES, costsOf, fleetFor, READS_A_TICK, type Fleet } from './fleet.ts'

const READS = [10_000, 100_000, 1_000_000]
const ROWS = [1e6, 10e6, 100e6]

export type ScaleResult = ScaleMeasurements & Pick<About, 'node' | 'cpu' | 'date'>

/** What fleets need, as Markdown: the measured costs, the choices, and each line of arithmetic with its numbers. */
export function capacitySheet(scale: ScaleResult | undefined): string {
  if (!scale) return 'No result is stored yet: `npm run bench -- scale` stores one.'
  const costs = costsOf(scale)
  const { podShare, sparePods, serverShare, nodeGb, headroom, nodeGbit, replicas } = CHOICES
  const fleetOf = (readsPerSecond: number, rows: number): Fleet =>
    fleetFor({ readsPerSecond, rows }, costs, CHOICES)
  const [us, serverUs] = [costs.readUs.toFixed(1), costs.serverUs.toFixed(1)]
  const [wire, row] = [whole(costs.wireBytes), whole(costs.rowBytes)]
  return [
    '## What was measured',
    `\`npm run bench -- scale\`: Node ${scale.node}, ${scale.server}, ${scale.cpu}, ${scale.date.slice(0, 10)}.`,
    table(
      ['name', 'measured', 'of what'],
      [
        [
          '`read_us`',
          `${us} µs`,
          `processor time of a pod for a read of 2 kB, ${READS_A_TICK} reads a tick, all from Valkey`,
        ],
        ['`server_us`', `${serverUs} µs`, 'processor time of Valkey for the same read'],
        ['`wire_bytes`', `${wire} B`, 'to and from Valkey for the same read'],
        [
          '`row_bytes`',
          `${row} B`,
          `of memory of Valkey for a row, with its key, among ${whole(mostRows(scale))} rows`,
        ],
      ],
    ),
    '## What is chosen',
    table(
      ['name', 'here', 'why'],
      [
        [
          '`pod_share`',
          String(podShare),
          "of one processor of a pod is for the cache's reads; what requests do with the rows is the rest",
        ],
        ['`spare_pods`', String(sparePods), 'may be lost, or restarting'],
        [
          '`server_share`',
          String(serverShare),
          'of one processor is for reads; Valkey runs commands in one thread, and has writes as well',
        ],
        ['`node_gb`', `${nodeGb} GB`, 'of memory of a node, as `maxmemory`'],
        [
          '`headroom`',
          String(headroom),
          'for fragmentation and buffers, and for rows of two deploys side by side',
        ],
        ['`node_gbit`', `${nodeGbit} Gbit/s`, "of a node's network is for reads"],
        ['`replicas`', String(replicas), 'of each primary'],
      ],
    ),
    '## Reads',
    [
      '```',
      'pods          = ⌈reads × read_us ÷ 1,000,000 ÷ pod_share⌉ + spare_pods',
      'for processor = ⌈reads × server_us ÷ 1,000,000 ÷ server_share⌉ primaries',
      'for network   = ⌈reads × wire_bytes × 8 ÷ 1,000,000,000 ÷ node_gbit⌉ primaries',
      '',
      ...READS.flatMap((reads) => readsArithmetic(reads, fleetOf(reads, 0), { us, serverUs, wire })),
      '```',
    ].join('\n'),
    '## Rows',
    [
      '```',
      'for memory    = ⌈rows × row_bytes × headroom ÷ 1,000,000,000 ÷ node_gb⌉ primaries',
      '',
      ...ROWS.map((rows) => {
        const { memoryGb, primariesFor } = fleetOf(0, rows)
        return `${whole(rows)} × ${row} × ${headroom} ÷ 1,000,000,000 = ${figure(memoryGb)} GB; ÷ ${nodeGb} → ${primariesFor.memory}`
      }),
      '```',
    ].join('\n'),
    '## Fleets',
    `Primaries are as many as the scarcest of processor, network and memory wants; nodes are primaries × (1 + ${replicas}). Memory is that of all primaries together, and each replica set needs as much again.`,
    table(
      ['reads a second', 'rows', 'pods', 'primaries', 'nodes', 'memory', 'bandwidth', 'decided by'],
      READS.flatMap((reads) => ROWS.map((rows) => fleetRow(reads, rows, fleetOf(reads, rows)))),
    ),
  ].join('\n\n')
}

function readsArithmetic(
  reads: number,
  { podCores, pods, serverCores, gbit, primariesFor }: Fleet,
  { us, serverUs, wire }: { us: string; serverUs: string; wire: string },
): string[] {
  const { podShare, sparePods, serverShare, nodeGbit } = CHOICES
  const count = whole(reads)
  return [
    `${count} × ${us} ÷ 1,000,000 = ${figure(podCores)} processors; ÷ ${podShare} + ${sparePods} → ${pods} pods`,
    `${count} × ${serverUs} ÷ 1,000,000 = ${figure(serverCores)} processors; ÷ ${serverShare} → ${primariesFor.cpu}`,
    `${count} × ${wire} × 8 ÷ 1,000,000,000 = ${figure(gbit)} Gbit/s; ÷ ${nodeGbit} → ${primariesFor.network}`,
    '',
  ]
}

function fleetRow(reads: number, rows: number, fleet: Fleet): string[] {
  const { pods, primaries, nodes, memoryGb, gbit, primariesFor } = fleet
  const names = { cpu: 'processor', network: 'network', memory: 'memory' } as const
  const deciding = (['cpu', 'network', 'memory'] as const).filter((name) => primariesFor[name] === primaries)
  return [
    whole(reads),
    whole(rows),
    whole(pods),
    whole(primaries),
    whole(nodes),
    `${figure(memoryGb)} GB`,
    `${figure(gbit)} Gbit/s`,
    primaries === 1 ? 'one is enough' : deciding.map((name) => names[name]).join(', '),
  ]
}

const mostRows = ({ axes }: ScaleResult): number => axes.find(({ name }) => name === 'rows')!.points.at(-1)!.x

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Three digits that count. */
const figure = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 6 })
const whole = (value: number): string => Math.round(value).toLocaleString('en')
