import type { Breach, State } from './model.ts'
import type { Setting } from './scenario.ts'

/** The promise that the last step broke, or null. */
export const brokenIn = ({ broken }: State, { scenario }: Setting): Breach | null =>
  broken !== null && scenario.promises.includes(broken) ? broken : null
