import type { About } from '../about.ts'
import { table } from '../table.ts'
import type { ChaosMeasurements, PhaseMeasurements } from './chaos-measurements.ts'

export function showChaos(chaos: ChaosMeasurements, about: About): string {
  const { server, database, pods, rows, leaseMs, fenceMs, available, memory, problems } = chaos
  return [
    `Node ${about.node}, ${server}, ${database}, ${about.cpu}, ${about.date}`,
    `${pods} pods and more read and write ${rows} rows; leases last ${leaseMs} ms, fences ${fenceMs} ms.`,
    '',
    table([
      ['', 'strict', 'available', 'in memory'],
      ...FIGURES.map((name) => [name, figure(chaos, name), figure(available, name), figure(memory, name)]),
    ]),
    '',
    table([
      ['strict', 'faults', 'reads', 'stale'],
      ...Object.entries(chaos.byFault).map(([kind, { reads, staleReads }]) => [
        kind,
        count(chaos.faults[kind]!),
        count(reads),
        count(staleReads),
      ]),
    ]),
    '',
    'A read counts for each kind of fault that was there meanwhile, or less than a fence before.',
    'untoldWrites: without a fence that was sure to stand, and Valkey did not hear of them in time; behindUntold: reads of other pods meanwhile.',
    ...(problems.length > 0 ? ['', ...problems.map((problem) => `Failed: ${problem}.`)] : []),
  ].join('\n')
}

const FIGURES = [
  'seconds',
  'reads',
  'hits',
  'writes',
  'refusedWrites',
  'rolledBack',
  'staleReads',
  'staleOwnReads',
  'backInTime',
  'staleResidue',
  'lostWrites',
  'untoldWrites',
  'behindUntold',
  'longestBehindMs',
  'evictedKeys',
  'repeatedCommands',
] as const satisfies readonly (keyof PhaseMeasurements)[]

const figure = (phase: PhaseMeasurements, name: (typeof FIGURES)[number]): string => count(phase[name])

const count = (value: number): string => Math.round(value).toLocaleString('en')
