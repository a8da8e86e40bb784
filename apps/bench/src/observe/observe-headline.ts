import type { Section } from '../report/section.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

export function observeHeadline({ summary, cases, lots }: ObserveMeasurements): Section {
  return {
    title: `What interceptor and metrics cost a GraphQL request for ${lots} lots`,
    text: [
      `${summary.overheadPercent} % of its processor time (${summary.overheadMicroseconds} µs), ± ${summary.spreadPercent} % in half of the pairs of processes.`,
    ],
    table: {
      head: ['', 'CPU ms', 'wall ms'],
      rows: cases.map(({ name, cpuMs, wallMs }) => [name, cpuMs.toFixed(3), wallMs.toFixed(3)]),
    },
  }
}
