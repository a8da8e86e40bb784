import { count } from '../report/format.ts'
import type { Section } from '../report/section.ts'
import type { ChaosMeasurements, PhaseMeasurements } from './chaos-measurements.ts'

const ROWS = [
  ['reads', 'reads'],
  ['writes', 'transactions committed'],
  ['unknownEnds', 'transactions of unknown end'],
  ['staleReads', 'stale reads'],
  ['backInTime', 'reads that went back in time'],
  ['staleResidue', 'stale rows when all is over'],
  ['lostWrites', 'writes lost'],
] as const satisfies readonly (readonly [keyof PhaseMeasurements, string])[]

export function chaosHeadline(chaos: ChaosMeasurements): Section {
  const faults = Object.values(chaos.faults).reduce((sum, times) => sum + times, 0)
  return {
    title: 'What anybody reads while pods, wires and Valkey fail',
    text: [
      `${chaos.pods} pods and more, ${count(faults)} faults of ${Object.keys(chaos.faults).length} kinds in the strict mode.`,
    ],
    table: {
      head: ['', 'strict', 'available', 'with memory'],
      rows: ROWS.map(([name, what]) => [
        what,
        ...[chaos, chaos.available, chaos.memory].map((phase) => count(phase[name])),
      ]),
    },
  }
}
