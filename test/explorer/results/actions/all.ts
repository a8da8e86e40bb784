import { stepsOf } from '../../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { loadActions } from './load.ts'
import { lookActions } from './look.ts'
import { storeActions } from './store.ts'
import { writeActions } from './write.ts'

const actions = [...lookActions, ...loadActions, ...writeActions, ...storeActions]

export const stepsFrom = stepsOf<State, Setting>(actions)
