import { NOTHING, changePod, spend } from '../model.ts'
import { podName, type Action } from './action.ts'
import { advanceClock } from './invalidation.ts'

/** A pod has read the row often enough for L1 to keep it. */
const heat: Action = (state, setting, add) => {
  if (state.faults.heating === 0) return
  for (const [pod, { isHot }] of state.pods.entries()) {
    if (isHot) continue
    const hot = changePod(spend(state, 'heating'), pod, { isHot: true })
    add(
      `${podName(pod)}: the row becomes hot`,
      setting.rules.heatingAdvancesClock ? advanceClock(hot, pod, setting) : hot,
    )
  }
}

/** L1 drops a row that is not hot any more. */
const cool: Action = (state, { scenario }, add) => {
  if (!scenario.hot || state.faults.cooling === 0) return
  for (const [pod, { isHot }] of state.pods.entries())
    if (isHot)
      add(
        `${podName(pod)}: the row is not hot any more`,
        changePod(spend(state, 'cooling'), pod, { isHot: false, l1: NOTHING }),
      )
}

export const hotActions: readonly Action[] = [heat, cool]
