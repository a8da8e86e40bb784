import type { About } from '../about.ts'
import { table } from '../table.ts'
import { STATES, WORKLOADS } from './storm-measurements.ts'
import type { CaseResult, StormMeasurements, Summary } from './storm-measurements.ts'

/** A table for each kind of storm, the ratios, and what to know before comparing. */
export function showStorm(measurements: StormMeasurements, about: About): string {
  const { server, users, lotsPerUser, bytesPerLot, rounds, nodeOptions, cases, summary, notes } = measurements
  const reads = (users * lotsPerUser).toLocaleString('en')
  return [
    `Node ${about.node}, V8 ${about.v8}, ${server}, ${about.cpu}, ${about.date}`,
    `${users} users ask for ${lotsPerUser} lots each, in one tick: ${reads} reads of ${bytesPerLot} bytes of JSON.`,
    ...(nodeOptions.length > 0 ? [`Node with ${nodeOptions.join(' ')}.`] : []),
    `Medians of ${rounds} ${rounds === 1 ? 'round' : 'interleaved rounds'}, each case in a new process.`,
    '',
    ...WORKLOADS.flatMap((workload) =>
      STATES.flatMap((state) => [
        `${workload === 'same' ? 'All users the same lots' : 'Each user other lots'}, ${TITLES[state]}`,
        table([
          HEADS,
          ...cases.filter((entry) => entry.workload === workload && entry.state === state).map(row),
        ]),
        '',
      ]),
    ),
    'Storms of hits in comparison',
    table(comparisons(summary)),
    '',
    'To know',
    ...Object.entries(notes).map(([name, note]) => `  ${name}: ${note}`),
    '  * gives one object to all who ask for a lot: what one of them changes, the others see.',
    '  A query of the source takes 2 ms, for any number of rows. A database client may merge queries of one tick.',
  ].join('\n')
}

const TITLES = { hit: 'all of them stored', miss: 'none of them stored', half: 'half of them stored' }

const HEADS = [
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

function row(result: CaseResult): string[] {
  return [
    result.name + (result.sharesRows ? ' *' : ''),
    result.cpuMs.toFixed(1),
    `${(result.cpuSpread * 100).toFixed(0)} %`,
    result.wallMs.toFixed(1),
    result.loopMaxMs.toFixed(1),
    result.loopP99Ms.toFixed(1),
    result.livenessP99Ms.toFixed(1),
    result.livenessMaxMs.toFixed(1),
    result.idleLivenessP99Ms.toFixed(1),
    result.idleLivenessMaxMs.toFixed(1),
    result.heapMb.toFixed(0),
    ...[result.storeCommands, result.sourceQueries, result.maxConcurrentQueries].map((count) =>
      count.toLocaleString('en'),
    ),
  ]
}

function comparisons(summary: Summary): string[][] {
  const ratios = Object.entries(summary).filter(([, value]) => typeof value === 'number')
  return [
    ...ratios.map(([name, value]) => [name, (value as number).toFixed(2)]),
    ...Object.entries(summary.bestPeers ?? {}).map(([workload, { name, cpuVsUs, sharesRows }]) => [
      `  ${workload}: ${name}${sharesRows ? ' *' : ''}`,
      cpuVsUs.toFixed(2),
    ]),
  ]
}
