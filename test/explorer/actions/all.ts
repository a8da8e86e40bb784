import { stepsOf } from '../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { backplaneActions } from './backplane.ts'
import { deployActions } from './deploy.ts'
import { primeActions } from './prime.ts'
import { hotActions } from './hot.ts'
import { readActions } from './read.ts'
import { serverActions } from './server.ts'
import { writeActions } from './write.ts'

const actions = [
  ...readActions,
  ...hotActions,
  ...primeActions,
  ...writeActions,
  ...serverActions,
  ...backplaneActions,
  ...deployActions,
]

export const stepsFrom = stepsOf<State, Setting>(actions)
