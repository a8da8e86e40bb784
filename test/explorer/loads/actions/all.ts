import { stepsOf } from '../../search.ts'
import type { Step } from './action.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { callActions, passDeadline, passDeadlineEarly } from './call.ts'
import { readActions } from './read.ts'

/** Everything that may happen next but that a deadline passes. */
export const stepsInTime = stepsOf<State, Setting>([...readActions, ...callActions])
export const stepsTooLate = stepsOf<State, Setting>([passDeadline])
const stepsTooEarly = stepsOf<State, Setting>([passDeadlineEarly])

export function stepsFrom(state: State, setting: Setting): readonly Step[] {
  const steps = stepsInTime(state, setting)
  return steps.length > 0 ? [...steps, ...stepsTooEarly(state, setting)] : stepsTooLate(state, setting)
}
