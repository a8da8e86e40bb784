import { count, percent, plusMinus } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { ClusterCase, ClusterMeasurements } from './cluster-measurements.ts'

export function presentCluster({
  server,
  nodes,
  rows,
  models,
  rounds,
  cases,
}: ClusterMeasurements): Section[] {
  return [
    {
      title: 'One storm on a cluster, by number of buckets',
      text: [
        `${server}. ${count(rows)} different rows are read in one tick, all of them stored, in a cluster of ${nodes} nodes.`,
        `Medians of ${rounds} interleaved rounds. Texts stay undecoded: what follows is the same on every server.`,
        `fullest: the share of a model's rows that the node with the most of them has; the mean and the worst of ${models} models.`,
      ],
      table: { head: HEAD, rows: cases.map(row) },
      chart: {
        kind: 'bar',
        y: 'ms of processor time',
        categories: cases.map(({ name }) => name),
        series: [
          { name: 'client', values: cases.map(({ cpuMs }) => cpuMs) },
          { name: 'all nodes', values: cases.map(({ serverCpuMs }) => serverCpuMs) },
        ],
      },
    },
  ]
}

const HEAD = ['', 'CPU ms', '±', 'wall ms', 'nodes CPU ms', 'commands', 'fullest', 'worst']

function row({ name, cpuMs, cpuSpread, wallMs, serverCpuMs, commands, fullest }: ClusterCase): string[] {
  return [
    name,
    cpuMs.toFixed(1),
    plusMinus(cpuSpread),
    wallMs.toFixed(1),
    serverCpuMs.toFixed(1),
    count(commands),
    fullest ? percent(fullest.mean) : '–',
    fullest ? percent(fullest.worst) : '–',
  ]
}
