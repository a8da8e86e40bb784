import type { NoiseFloor } from '../measure/noise-floor.ts'
import type { Figure } from '../figure.ts'
import type { RunOptions } from '../run-options.ts'
import type { About } from './about.ts'

/**
 * What one run of a suite has found, as plain JSON: what `--json` prints and what is stored. Beside these keys it has
 * those of the suite's measurements.
 */
export interface Result extends About {
  readonly suite: string
  readonly options: RunOptions
  readonly noise: NoiseFloor
  readonly figures: Readonly<Record<string, Figure>>
  /** Why the run is a failure; empty when it is none. */
  readonly failures: readonly string[]
}
