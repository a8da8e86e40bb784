import type { Section, Table } from '../report/section.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

export function observeHeadline(measurements: ObserveMeasurements): Section {
  const { lots, requests } = measurements
  return {
    title: `What interceptor and metrics cost a GraphQL request for ${lots} lots`,
    text: requests.map(
      ({ name, overheadPercent, overheadMicroseconds }) =>
        `With ${name} of each lot, ${overheadPercent} % of its processor time (${overheadMicroseconds} µs).`,
    ),
    table: overheads(measurements),
  }
}

/** A row for each request. */
export function overheads({ requests }: ObserveMeasurements): Table {
  return {
    head: ['request', 'CPU ms, bare', 'CPU ms, observed', 'overhead µs', 'overhead %', '±'],
    rows: requests.map(({ name, cases, overheadMicroseconds, overheadPercent, spreadPercent }) => [
      name,
      ...['bare', 'observed'].map((served) => cases.find((one) => one.name === served)!.cpuMs.toFixed(3)),
      String(overheadMicroseconds),
      overheadPercent.toFixed(1),
      spreadPercent.toFixed(1),
    ]),
  }
}
