import type { About } from '../about.ts'
import { table } from '../table.ts'
import type { ClusterCase, ClusterMeasurements } from './cluster-measurements.ts'

export function showCluster(measurements: ClusterMeasurements, about: About): string {
  const { server, nodes, rows, models, rounds, cases } = measurements
  return [
    `Node ${about.node}, V8 ${about.v8}, ${server}, ${about.cpu}, ${about.date}`,
    `${rows.toLocaleString('en')} different rows are read in one tick, all of them stored, in a cluster of ${nodes} nodes.`,
    `Medians of ${rounds} interleaved rounds.`,
    '',
    table([HEADS, ...cases.map(row)]),
    '',
    `fullest: the share of a model's rows that the node with the most of them has; the mean and the worst of ${models} models.`,
    'Texts stay undecoded: what follows is the same on every server.',
  ].join('\n')
}

const HEADS = ['', 'CPU ms', '±', 'wall ms', 'nodes CPU ms', 'commands', 'fullest', 'worst']

function row({ name, cpuMs, cpuSpread, wallMs, serverCpuMs, commands, fullest }: ClusterCase): string[] {
  return [
    name,
    cpuMs.toFixed(1),
    percent(cpuSpread),
    wallMs.toFixed(1),
    serverCpuMs.toFixed(1),
    commands.toLocaleString('en'),
    fullest ? percent(fullest.mean) : '',
    fullest ? percent(fullest.worst) : '',
  ]
}

const percent = (part: number): string => `${(part * 100).toFixed(0)} %`
