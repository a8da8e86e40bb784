import { count } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { StormMeasurements } from './storm-measurements.ts'

/** Reads of different lots that are all stored: where no cache is helped by answering a lot once. */
export function stormHeadline({ users, lotsPerUser, cases }: StormMeasurements): Section {
  const distinct = cases.filter(({ workload, state }) => workload === 'distinct' && state === 'hit')
  return {
    title: `${count(users * lotsPerUser)} reads of different rows in one tick, all of them stored`,
    text: [
      'Milliseconds of processor time, the longest block of the event loop, and how long a health probe waited.',
    ],
    table: {
      head: ['', 'CPU', 'longest block', 'probe, p99', 'commands'],
      rows: distinct.map(({ name, cpuMs, loopMaxMs, livenessP99Ms, storeCommands }) => [
        name,
        ...[cpuMs, loopMaxMs, livenessP99Ms].map((ms) => ms.toFixed(1)),
        count(storeCommands),
      ]),
    },
  }
}
