import type { Section } from '../report/section.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

export function presentObserve(measurements: ObserveMeasurements): Section[] {
  const { server, lots, pairs, rounds, requestsPerRound, cases, summary } = measurements
  return [
    {
      title: 'One GraphQL request, watched and bare',
      text: [
        `${server}. A page of ${lots} lots, each with another one as a field, over HTTP, one request after the other: with interceptor and metrics, and with none of them.`,
        `Medians of ${pairs} ${pairs === 1 ? 'pair' : 'pairs'} of processes, of each the lower quartile of ${rounds} interleaved rounds of ${requestsPerRound} requests.`,
        `Overhead: ${summary.overheadPercent} % of processor time per request (${summary.overheadMicroseconds} µs), ± ${summary.spreadPercent} % in half of the pairs.`,
      ],
      table: {
        head: ['', 'CPU ms', 'wall ms'],
        rows: cases.map(({ name, cpuMs, wallMs }) => [name, cpuMs.toFixed(3), wallMs.toFixed(3)]),
      },
      chart: {
        kind: 'bar',
        y: 'ms per request',
        categories: cases.map(({ name }) => name),
        series: [
          { name: 'processor time', values: cases.map(({ cpuMs }) => cpuMs) },
          { name: 'wall time', values: cases.map(({ wallMs }) => wallMs) },
        ],
      },
    },
  ]
}
