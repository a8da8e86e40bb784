import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import type { Step } from './action.ts'
import { deployActions } from './deploy.ts'
import { faultActions } from './faults.ts'
import { loadActions } from './load.ts'
import { readActions } from './read.ts'
import { writeActions } from './write.ts'

const actions = [...readActions, ...loadActions, ...writeActions, ...deployActions, ...faultActions]

/** Everything that may happen next, always in the same order. */
export function stepsFrom(state: State, setting: Setting): Step[] {
  const steps: Step[] = []
  const add = (...step: Step): void => void steps.push(step)
  for (const action of actions) action(state, setting, add)
  return steps
}
