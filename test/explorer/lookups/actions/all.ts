import { stepsOf } from '../../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { deployActions } from './deploy.ts'
import { faultActions } from './faults.ts'
import { loadActions } from './load.ts'
import { readActions } from './read.ts'
import { writeActions } from './write.ts'

const actions = [...readActions, ...loadActions, ...writeActions, ...deployActions, ...faultActions]

export const stepsFrom = stepsOf<State, Setting>(actions)
