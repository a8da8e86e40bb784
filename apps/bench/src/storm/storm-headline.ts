import { count } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { StormMeasurements, Workload } from './storm-measurements.ts'

/** Reads that are all stored: of different lots, where no cache is helped by answering a lot once, and of the same ones. */
export function stormHeadline({ users, lotsPerUser, cases }: StormMeasurements): Section {
  const hits = (workload: Workload) =>
    cases.filter((found) => found.workload === workload && found.state === 'hit')
  const same = new Map(hits('same').map((found) => [found.name, found]))
  const sharing = [...same.values()].filter(({ sharesRows }) => sharesRows).map(({ name }) => name)
  return {
    title: `${count(users * lotsPerUser)} reads in one tick, all of them stored`,
    text: [
      `Of different rows: milliseconds of processor time, the longest block of the event loop, and how long a health probe waited. Of the same ${lotsPerUser} rows, for ${users} users: processor time.`,
      `Who gives all callers of one row the same object needs less for the latter, and whoever changes that object changes it for all: ${sharing.join(', ')}. Of these, only the rows of model-cache-shared (rows: 'shared') are frozen.`,
    ],
    table: {
      head: ['', 'CPU', 'longest block', 'probe, p99', 'commands', 'same rows, CPU'],
      rows: hits('distinct').map(({ name, cpuMs, loopMaxMs, livenessP99Ms, storeCommands }) => [
        name,
        ...[cpuMs, loopMaxMs, livenessP99Ms].map((ms) => ms.toFixed(1)),
        count(storeCommands),
        same.get(name)?.cpuMs.toFixed(1) ?? '–',
      ]),
    },
  }
}
