import type { Figure } from '../figure.ts'
import type { ClusterMeasurements } from './cluster-measurements.ts'

/** What a storm costs the client and the nodes, by number of buckets, and how evenly rows are spread. */
export function clusterFigures({ cases }: ClusterMeasurements): Record<string, Figure> {
  return Object.fromEntries(
    cases
      .filter(({ buckets = 0 }) => FOLLOWED.includes(buckets))
      .flatMap(({ name, cpuMs, serverCpuMs, commands, fullest }): [string, Figure][] => [
        [`${name}: CPU`, { value: cpuMs, unit: 'ms', better: 'lower' }],
        [`${name}: CPU of the nodes`, { value: serverCpuMs, unit: 'ms', better: 'lower' }],
        [`${name}: commands`, { value: commands, unit: 'commands', better: 'lower' }],
        [`${name}: fullest node`, { value: fullest!.mean * 100, unit: '% of the rows', better: 'lower' }],
      ]),
  )
}

/** The least, the default and many. */
const FOLLOWED = [1, 64, 256]
