import { count, plusMinus } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import { STATES, WORKLOADS } from './storm-measurements.ts'
import type { CaseResult, State, StormMeasurements, Summary, Workload } from './storm-measurements.ts'

/** A table for each kind of storm, the ratios, and what to know before comparing. */
export function presentStorm(measurements: StormMeasurements): Section[] {
  const { cases, summary, notes } = measurements
  return [
    { title: 'What is asked for', text: setUpOf(measurements) },
    ...WORKLOADS.flatMap((workload) => STATES.map((state) => kindOf(cases, workload, state))),
    {
      title: 'Storms of hits in comparison',
      text: ['How many times as much the other takes as model-cache; VsRaw and VsFloor the other way round.'],
      table: { head: ['', 'times as much'], rows: comparisons(summary) },
    },
    {
      title: 'To know',
      text: [
        ...Object.entries(notes).map(([name, note]) => `${name}: ${note}.`),
        '* gives one object to all who ask for a lot: what one of them changes, the others see.',
        'A query of the source takes 2 ms, for any number of rows. A database client may merge queries of one tick.',
      ],
    },
  ]
}

function setUpOf({
  server,
  users,
  lotsPerUser,
  bytesPerLot,
  rounds,
  stormsPerRound,
  nodeOptions,
}: StormMeasurements) {
  return [
    `${server}. ${users} users ask for ${lotsPerUser} lots each, in one tick: ` +
      `${count(users * lotsPerUser)} reads of ${bytesPerLot} bytes of JSON.`,
    ...(nodeOptions.length > 0 ? [`Node with ${nodeOptions.join(' ')}.`] : []),
    `Medians of ${rounds} ${rounds === 1 ? 'round' : 'interleaved rounds'} of ${stormsPerRound} ${stormsPerRound === 1 ? 'storm' : 'storms'} of a kind, each case in a new process.`,
  ]
}

const TITLES = { hit: 'all of them stored', miss: 'none of them stored', half: 'half of them stored' }

const HEAD = [
  '',
  'CPU ms',
  '±',
  'wall ms',
  'block ms',
  'p99',
  'live p99',
  'max',
  'idle p99',
  'max',
  'heap MB',
  'commands',
  'queries',
  'at once',
]

function kindOf(cases: readonly CaseResult[], workload: Workload, state: State): Section {
  const ofKind = cases.filter((entry) => entry.workload === workload && entry.state === state)
  return {
    title: `${workload === 'same' ? 'All users the same lots' : 'Each user other lots'}, ${TITLES[state]}`,
    table: { head: HEAD, rows: ofKind.map(row) },
    chart: {
      kind: 'bar',
      y: 'ms',
      scale: 'log',
      categories: ofKind.map(nameOf),
      series: [
        { name: 'processor time', values: ofKind.map(({ cpuMs }) => cpuMs) },
        { name: 'longest block of the event loop', values: ofKind.map(({ loopMaxMs }) => loopMaxMs) },
      ],
    },
  }
}

const nameOf = ({ name, sharesRows }: CaseResult): string => name + (sharesRows ? ' *' : '')

function row(result: CaseResult): string[] {
  return [
    nameOf(result),
    result.cpuMs.toFixed(1),
    plusMinus(result.cpuSpread),
    result.wallMs.toFixed(1),
    result.loopMaxMs.toFixed(1),
    result.loopP99Ms.toFixed(1),
    result.livenessP99Ms.toFixed(1),
    result.livenessMaxMs.toFixed(1),
    result.idleLivenessP99Ms.toFixed(1),
    result.idleLivenessMaxMs.toFixed(1),
    result.heapMb.toFixed(0),
    ...[result.storeCommands, result.sourceQueries, result.maxConcurrentQueries].map((value) => count(value)),
  ]
}

function comparisons(summary: Summary): string[][] {
  const ratios = Object.entries(summary).filter(([, value]) => typeof value === 'number')
  return [
    ...ratios.map(([name, value]) => [name, (value as number).toFixed(2)]),
    ...Object.entries(summary.bestPeers ?? {}).map(([workload, { name, cpuVsUs, sharesRows }]) => [
      `best peer, ${workload}: ${name}${sharesRows ? ' *' : ''}`,
      cpuVsUs.toFixed(2),
    ]),
  ]
}
