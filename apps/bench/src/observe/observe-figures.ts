import type { Figure } from '../figure.ts'
import type { ObserveMeasurements } from './observe-measurements.ts'

/** Of each request; the overhead as a ratio, since a difference near zero has no change in percent. */
export function observeFigures({ requests }: ObserveMeasurements): Record<string, Figure> {
  return Object.fromEntries(
    requests.flatMap(({ name: request, overheadPercent, cases }): [string, Figure][] => [
      [
        `${request}: overhead`,
        { value: 1 + overheadPercent / 100, unit: 'times as much CPU', better: 'lower' },
      ],
      ...cases.flatMap(({ name, cpuMs, wallMs }): [string, Figure][] => [
        [`${request}, ${name}: CPU`, { value: cpuMs, unit: 'ms', better: 'lower' }],
        [`${request}, ${name}: wall`, { value: wallMs, unit: 'ms', better: 'lower' }],
      ]),
    ]),
  )
}
