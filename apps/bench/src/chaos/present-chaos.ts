import { count } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { ChaosMeasurements, PhaseMeasurements } from './chaos-measurements.ts'

export function presentChaos(chaos: ChaosMeasurements): Section[] {
  const { server, database, pods, rows, leaseMs, fenceMs, available, memory, faults, byFault } = chaos
  const phases = [chaos, available, memory]
  const kinds = Object.entries(byFault)
  return [
    {
      title: 'What became of reads and writes',
      text: [
        `${server}, ${database}. ${pods} pods and more read and write ${rows} rows; leases last ${leaseMs} ms, fences ${fenceMs} ms.`,
        'Writes that others may see late are those without a fence that was sure to stand, of whose end Valkey did not hear in time; no promise is broken by them.',
      ],
      table: {
        head: ['', 'strict', 'available', 'in memory'],
        rows: ROWS.map(([name, title]) => [title, ...phases.map((phase) => count(phase[name]))]),
      },
    },
    {
      title: 'Reads by kind of fault, strict',
      text: ['A read counts for each kind of fault that was there meanwhile, or less than a fence before.'],
      table: {
        head: ['', 'faults', 'reads', 'stale'],
        rows: kinds.map(([kind, during]) => [
          kind,
          count(faults[kind]!),
          count(during.reads),
          count(during.staleReads),
        ]),
      },
      chart: {
        kind: 'bar',
        y: 'reads',
        categories: kinds.map(([kind]) => kind),
        series: [
          { name: 'reads', values: kinds.map(([, { reads }]) => reads) },
          { name: 'stale reads', values: kinds.map(([, { staleReads }]) => staleReads) },
        ],
      },
    },
  ]
}

const ROWS = [
  ['seconds', 'seconds'],
  ['reads', 'reads'],
  ['hits', 'of these from Valkey'],
  ['writes', 'transactions committed'],
  ['workerWrites', 'of these by processes without a cache'],
  ['unknownEnds', 'transactions of unknown end'],
  ['refusedWrites', 'refused, as Valkey took no fence'],
  ['rolledBack', 'rolled back'],
  ['staleReads', 'stale reads'],
  ['staleOwnReads', 'of these where the row was written'],
  ['backInTime', 'reads that went back in time'],
  ['staleResidue', 'stale rows when all is over'],
  ['lostWrites', 'writes lost'],
  ['untoldWrites', 'writes that others may see late'],
  ['behindUntold', 'reads elsewhere that did'],
  ['longestBehindMs', 'by how much at most, ms'],
  ['evictedKeys', 'keys evicted'],
  ['repeatedCommands', 'commands delivered twice'],
] as const satisfies readonly (readonly [keyof PhaseMeasurements, string])[]
