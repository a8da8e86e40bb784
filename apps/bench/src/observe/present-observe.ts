import type { Section } from '../report/section.ts'
import { overheads } from './observe-headline.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

export function presentObserve(measurements: ObserveMeasurements): Section[] {
  const { server, lots, processes, rounds, requestsPerRound, requests, standingMsPerSecond, summary } =
    measurements
  const cases = requests.flatMap(({ name: request, cases: served }) =>
    served.map((one) => ({ ...one, name: `${request}, ${one.name}` })),
  )
  return [
    {
      title: 'One GraphQL request, watched and bare',
      text: [
        `${server}. A page of ${lots} lots, each with another one as a field, over HTTP, one request after the other: with interceptor and metrics, and with none of them.`,
        `Two applications in one process, asked in turns; sampler, watch and metrics rest while the bare one is asked. Medians of ${processes} ${processes === 1 ? 'process' : 'processes'}, of each the medians of ${rounds} rounds of ${requestsPerRound} requests.`,
        `While nobody asks, observing takes ${standingMsPerSecond} ms of processor time per second (sampler and watch), mostly for waking a processor that sleeps.`,
        `Overhead of ${requests[0]!.name}: ${summary.overheadPercent} % of processor time per request (${summary.overheadMicroseconds} µs), ± ${summary.spreadPercent} % in half of the processes.`,
      ],
      table: overheads(measurements),
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
