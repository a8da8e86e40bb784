import type { Figure } from '../figure.ts'
import type { WriteMeasurements } from './write-measurements.ts'

/** Processor time of the client, of what an application does with a model cache. */
export function writeFigures({ cases }: WriteMeasurements): Record<string, Figure> {
  return Object.fromEntries(
    cases
      .filter(({ name }) => FOLLOWED.includes(name))
      .flatMap(({ group, name, cpuUs, serverCpuUs }): [string, Figure][] => [
        [`${group}, ${name}: CPU`, { value: cpuUs, unit: 'µs', better: 'lower' }],
        [`${group}, ${name}: CPU of Valkey`, { value: serverCpuUs, unit: 'µs', better: 'lower' }],
      ]),
  )
}

const FOLLOWED = ['fenced', 'with a lease', 'one script']
