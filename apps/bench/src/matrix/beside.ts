import { besidePublished } from '../report/published.ts'
import type { Section } from '../report/section.ts'
import { labelOf } from './label.ts'
import type { Cell, MatrixMeasurements } from './matrix-measurements.ts'
import { earlier, published } from './published.ts'

/** The strategies of the published table; this library is in none. */
export function besideThePublished({ cells }: MatrixMeasurements): Section {
  return besidePublished(
    published,
    'milliseconds of processor time in one heavy storm',
    heavy(cells)
      .filter(({ strategy }) => !strategy.startsWith('model-cache'))
      .map((cell) => ({
        name: labelOf(cell),
        ours: `${cell.cpuMs.toFixed(1)} ms`,
        difference: 'our machine, and our rows of as many fields',
      })),
  )
}

/** What was known of the heavy storm before this suite. */
export function besideEarlier({ cells, reviverCalls }: MatrixMeasurements): Section {
  const baseline = heavy(cells).find(({ strategy }) => strategy === 'baseline')
  return {
    title: 'Beside earlier figures of the heavy storm',
    table: {
      head: ['', 'earlier', 'ours', 'what differs'],
      rows: [
        [
          'calls of the reviver',
          earlier.reviverSteps,
          reviverCalls.toLocaleString('en'),
          'our rows of 40 fields have fewer values in them',
        ],
        ...(baseline
          ? [
              [
                'processor time of JSON.parse with the reviver',
                earlier.v1Cpu,
                `${baseline.cpuMs.toFixed(1)} ms`,
                'earlier a GET for each read and 43 fields, here MGETs and 40',
              ],
            ]
          : []),
      ],
    },
  }
}

const heavy = (cells: readonly Cell[]): readonly Cell[] =>
  cells.filter(({ scenario }) => scenario === 'heavy')
