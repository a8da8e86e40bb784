import type { Figure } from '../figure.ts'
import { STATES, WORKLOADS } from './storm-measurements.ts'
import type { StormMeasurements } from './storm-measurements.ts'

/** What each kind of storm costs a model cache, and how long the longest block of those of hits is. */
export function stormFigures({ cases, summary }: StormMeasurements): Record<string, Figure> {
  const own = cases.filter(({ name }) => name === 'model-cache')
  const figures: Record<string, Figure> = {}
  for (const workload of WORKLOADS) {
    for (const state of STATES) {
      const found = own.find((entry) => entry.workload === workload && entry.state === state)
      if (!found) continue
      figures[`${workload} ${state}: CPU`] = { value: found.cpuMs, unit: 'ms', better: 'lower' }
      if (state !== 'hit') continue
      figures[`${workload} hit: longest block`] = { value: found.loopMaxMs, unit: 'ms', better: 'lower' }
      figures[`${workload} hit: commands`] = { value: found.storeCommands, unit: 'commands', better: 'lower' }
    }
  }
  const { distinctCpuVsFloor } = summary
  if (distinctCpuVsFloor !== undefined) {
    figures['distinct hit: CPU beside the floor'] = {
      value: distinctCpuVsFloor,
      unit: 'times as much',
      better: 'lower',
    }
  }
  return figures
}
