import { stepsOf } from '../../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { faultActions } from './faults.ts'
import { processActions } from './process.ts'
import { readActions } from './read.ts'
import { writeActions } from './write.ts'

const actions = [...readActions, ...writeActions, ...processActions, ...faultActions]

export const stepsFrom = stepsOf<State, Setting>(actions)
