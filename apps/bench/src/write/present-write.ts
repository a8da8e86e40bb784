import { count, plusMinus } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { CostCase, CostRatio, WriteMeasurements } from './write-measurements.ts'

export function presentWrite(measurements: WriteMeasurements): Section[] {
  const { server, database, rounds, bytesPerRow, cases, summary } = measurements
  return [
    {
      title: 'What is timed',
      text: [
        `${server}, ${database}. Rows of ${bytesPerRow} bytes. Microseconds, medians of ${rounds} interleaved rounds; a miss lasts until the row is stored.`,
      ],
    },
    ...Array.from(
      Map.groupBy(cases, ({ group }) => group),
      ([group, ofGroup]) => groupOf(group, ofGroup),
    ),
    ratiosOf(summary),
  ]
}

function groupOf(group: string, cases: readonly CostCase[]): Section {
  return {
    title: group[0]!.toUpperCase() + group.slice(1),
    table: {
      head: ['', 'wall µs', '±', 'client CPU µs', '±', 'Valkey CPU µs'],
      rows: cases.map(({ name, wallUs, wallSpread, cpuUs, cpuSpread, serverCpuUs }) => [
        name,
        count(wallUs),
        plusMinus(wallSpread),
        count(cpuUs),
        plusMinus(cpuSpread),
        count(serverCpuUs),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'µs',
      categories: cases.map(({ name }) => name),
      series: [
        { name: 'wall time', values: cases.map(({ wallUs }) => wallUs) },
        { name: 'processor time of the client', values: cases.map(({ cpuUs }) => cpuUs) },
        { name: 'processor time of Valkey', values: cases.map(({ serverCpuUs }) => serverCpuUs) },
      ],
    },
  }
}

export function ratiosOf(summary: readonly CostRatio[]): Section {
  return {
    title: 'What consistency costs beside doing without, times as much',
    table: {
      head: ['', 'wall', 'client CPU', 'Valkey CPU'],
      rows: summary.map(({ what, wall, cpu, serverCpu }) => [
        what,
        ...[wall, cpu, serverCpu].map((ratio) => ratio.toFixed(2)),
      ]),
    },
  }
}
