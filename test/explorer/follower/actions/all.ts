import { stepsOf } from '../../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { eventActions } from './events.ts'
import { faultActions } from './faults.ts'
import { heartbeatActions } from './heartbeats.ts'
import { leadershipActions } from './leadership.ts'
import { messageActions } from './messages.ts'
import { primeActions } from './prime.ts'
import { readActions } from './read.ts'
import { writeActions } from './write.ts'

const actions = [
  ...readActions,
  ...primeActions,
  ...writeActions,
  ...eventActions,
  ...leadershipActions,
  ...heartbeatActions,
  ...messageActions,
  ...faultActions,
]

export const stepsFrom = stepsOf<State, Setting>(actions)
