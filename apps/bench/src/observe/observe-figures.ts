import type { Figure } from '../suite.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

/** Of a request; the overhead as a ratio, since a difference near zero has no change in percent. */
export function observeFigures({ cases, summary }: ObserveMeasurements): Record<string, Figure> {
  return {
    overhead: { value: 1 + summary.overheadPercent / 100, unit: 'times as much CPU', better: 'lower' },
    ...Object.fromEntries(
      cases.flatMap(({ name, cpuMs, wallMs }): [string, Figure][] => [
        [`${name}: CPU`, { value: cpuMs, unit: 'ms', better: 'lower' }],
        [`${name}: wall`, { value: wallMs, unit: 'ms', better: 'lower' }],
      ]),
    ),
  }
}
