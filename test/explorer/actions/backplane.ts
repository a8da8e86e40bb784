import { bit, changePod, spend, type Message, type State } from '../model.ts'
import { isBehind } from '../promises.ts'
import type { Setting } from '../scenario.ts'
import { podName, writerName, type Action } from './action.ts'
import { advanceClock, published, turnOffL1 } from './invalidation.ts'

/** Messages of one publisher come in their order, unless the fault is that they do not. */
const deliver: Action = (state, setting, add) => {
  if (setting.scenario.slowMessages) return
  for (const message of state.messages) {
    const { from, to, sequence, writer } = message
    const overtakes = state.messages.some(
      (other) => other.from === from && other.to === to && other.sequence < sequence,
    )
    if (overtakes && state.faults['reordered message'] === 0) continue
    const rest = without(overtakes ? spend(state, 'reordered message') : state, message)
    const sentence = `${podName(to)} receives the invalidation by ${writerName(writer)}`
    add(overtakes ? `${sentence} before an earlier one` : sentence, received(rest, message, setting))
  }
}

function received(state: State, { from, to, sequence, writer }: Message, setting: Setting): State {
  const { rules } = setting
  const { expects, heard } = state.pods[to]!
  const next = expects[from]!
  if (sequence > next && rules.gapTurnsL1Off) return turnOffL1(state, to, setting)
  return changePod(advanceClock(state, to, setting), to, {
    expects: expects.with(from, Math.max(next, sequence + 1)),
    heard: heard | bit(writer),
  })
}

const lose: Action = (state, _setting, add) => {
  if (state.faults['lost message'] === 0) return
  for (const message of state.messages) {
    const sentence = `an invalidation by ${writerName(message.writer)} to ${podName(message.to)} gets lost`
    add(sentence, without(spend(state, 'lost message'), message))
  }
}

/** A heartbeat reveals a message that has not arrived, or does not arrive itself. */
const noticeGap: Action = (state, setting, add) => {
  const { rules } = setting
  for (const [to, { subscribed, expects }] of state.pods.entries()) {
    if (!subscribed) continue
    for (const [from, next] of expects.entries()) {
      const onTheWay = state.messages.some((message) => message.to === to && message.from === from)
      if (onTheWay || !isBehind(state.pods, next, from)) continue
      if (rules.gapTurnsL1Off) {
        add(`${podName(to)} notices a gap and turns L1 off`, turnOffL1(state, to, setting))
      } else {
        const ignoring = changePod(state, to, {
          expects: expects.with(from, state.pods[from]!.published + 1),
        })
        add(`${podName(to)} ignores a gap`, ignoring)
      }
    }
  }
}

const loseSubscription: Action = (state, setting, add) => {
  if (state.faults['lost subscription'] === 0) return
  for (const [pod, { subscribed }] of state.pods.entries()) {
    if (!subscribed) continue
    const off = turnOffL1(spend(state, 'lost subscription'), pod, setting)
    add(`${podName(pod)} loses its subscription and turns L1 off`, off)
  }
}

const subscribeAgain: Action = (state, setting, add) => {
  const { rules } = setting
  for (const [pod, { subscribed, heard }] of state.pods.entries()) {
    if (subscribed) continue
    const flushed = rules.subscribingAdvancesClock ? advanceClock(state, pod, setting) : state
    const again = changePod(flushed, pod, {
      subscribed: true,
      expects: state.pods.map(({ published }) => published + 1),
      heard: heard | published(state),
    })
    add(`${podName(pod)} has subscribed again and turns L1 on`, again)
  }
}

const without = (state: State, message: Message): State => ({
  ...state,
  messages: state.messages.filter((other) => other !== message),
})

export const backplaneActions: readonly Action[] = [
  deliver,
  lose,
  noticeGap,
  loseSubscription,
  subscribeAgain,
]
