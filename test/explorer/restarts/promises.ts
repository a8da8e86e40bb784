import type { Breach, State } from './model.ts'
import { isExcluded, type Setting } from './scenario.ts'

/** The promise that the last step broke, or null. */
export const brokenIn = ({ broken }: State, { scenario }: Setting): Breach | null =>
  broken !== null && isExcluded(scenario, broken) ? broken : null
