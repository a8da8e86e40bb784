import { stepsOf } from '../../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { checkActions } from './check.ts'
import { readActions } from './read.ts'
import { serverActions } from './server.ts'
import { writeActions } from './write.ts'

const actions = [...readActions, ...writeActions, ...checkActions, ...serverActions]

export const stepsFrom = stepsOf<State, Setting>(actions)
