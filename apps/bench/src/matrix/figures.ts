import type { Figure } from '../figure.ts'
import { labelOf, percentOf } from './label.ts'
import type { MatrixMeasurements } from './matrix-measurements.ts'

/** Of the heaviest scenario that was measured. */
export function figuresOf({ cells, scenarios }: MatrixMeasurements): Readonly<Record<string, Figure>> {
  const figures: Record<string, Figure> = {}
  const { name: heaviest } = scenarios.at(-1)!
  for (const cell of cells) {
    if (cell.scenario !== heaviest || ![undefined, 50].includes(percentOf(cell))) continue
    const isOurs = cell.strategy.startsWith('model-cache')
    if (!isOurs && cell.strategy !== 'baseline' && cell.strategy !== 'lru') continue
    const name = `${heaviest} ${labelOf(cell)}`
    figures[`${name}, CPU`] = { value: cell.cpuMs, unit: 'ms', better: 'lower' }
    figures[`${name}, longest block`] = { value: cell.loopMaxMs, unit: 'ms', better: 'lower' }
  }
  return figures
}
