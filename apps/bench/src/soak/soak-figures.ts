import type { Figure } from '../figure.ts'
import type { SoakMeasurements } from './soak-measurements.ts'

/** How much was done, and what it has left. */
export function soakFigures(soak: SoakMeasurements): Record<string, Figure> {
  const { minutes, reads, loads, errors, samples, handlesAtEnd } = soak
  const handles = Object.values(handlesAtEnd).reduce((sum, open) => sum + open, 0)
  return {
    reads: { value: reads / minutes, unit: 'per minute', better: 'higher' },
    'loads per read': { value: loads / reads, unit: 'loads', better: 'lower' },
    'heap at the end': { value: samples.at(-1)!.heapKb / 1_000, unit: 'MB', better: 'lower' },
    'heap growth': { value: soak.heapKbPerMinute, unit: 'kB per minute', better: 'lower' },
    'open handles': { value: handles, unit: 'handles', better: 'lower' },
    errors: { value: errors, unit: 'errors', better: 'lower' },
  }
}
