import type { About } from '../about.ts'
import { table } from '../table.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

export function showObserve(measurements: ObserveMeasurements, about: About): string {
  const { server, lots, pairs, rounds, requestsPerRound, cases, summary } = measurements
  const rows = cases.map(({ name, cpuMs, wallMs }) => [name, cpuMs.toFixed(3), wallMs.toFixed(3)])
  return [
    `Node ${about.node}, V8 ${about.v8}, ${server}, ${about.cpu}, ${about.date}`,
    `A GraphQL page of ${lots} lots, each with another one as a field, over HTTP, one request after the other: with interceptor and metrics, and with none of them.`,
    `Medians of ${pairs} pairs of processes, of each the lower quartile of ${rounds} interleaved rounds of ${requestsPerRound} requests.`,
    '',
    table([['', 'CPU ms', 'wall ms'], ...rows]),
    '',
    `Overhead: ${summary.overheadPercent} % of processor time per request (${summary.overheadMicroseconds} µs), ± ${summary.spreadPercent} % in half of the pairs.`,
  ].join('\n')
}
