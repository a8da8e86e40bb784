import type { Figure } from '../figure.ts'
import type { ChaosMeasurements, PhaseMeasurements } from './chaos-measurements.ts'

/** What must stay zero, over all phases, and how much was read and written in the strict one. */
export function chaosFigures(chaos: ChaosMeasurements): Record<string, Figure> {
  const phases = [chaos, chaos.available, chaos.memory]
  const overall = (figure: 'staleReads' | 'backInTime' | 'staleResidue' | 'lostWrites'): Figure => ({
    value: phases.reduce((sum, phase: PhaseMeasurements) => sum + phase[figure], 0),
    unit: 'in all phases',
    better: 'lower',
  })
  return {
    'stale reads': overall('staleReads'),
    'back in time': overall('backInTime'),
    'stale rows at the end': overall('staleResidue'),
    'lost writes': overall('lostWrites'),
    reads: { value: chaos.reads / chaos.seconds, unit: 'per second', better: 'higher' },
    'hit rate': { value: (100 * chaos.hits) / chaos.reads, unit: '%', better: 'higher' },
    writes: { value: chaos.writes / chaos.seconds, unit: 'per second', better: 'higher' },
  }
}
