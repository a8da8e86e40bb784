import { NOTHING, bit, changePod, type Message, type State } from '../model.ts'
import { usesClock, type Setting } from '../scenario.ts'

/**
 * The key's invalidation clock advances in one pod, and L1 drops the row. A clock is only compared with what it was when a read
 * began, so a mark at the reads in flight is all of them.
 */
export function advanceClock(state: State, pod: number, setting: Setting): State {
  if (!usesClock(setting)) return state
  if (!setting.rules.clockCoversColdRows && !state.pods[pod]!.isHot) return state
  const reads = state.reads.map((read) => (read.pod === pod && !read.moved ? { ...read, moved: true } : read))
  return changePod({ ...state, reads }, pod, { l1: NOTHING })
}

/** What FENCE and RELEASE send to the other pods that are subscribed. */
export function publish(state: State, from: number, writer: number, setting: Setting): State {
  if (!usesClock(setting) || state.pods.length === 1) return state
  const sequence = state.pods[from]!.published + 1
  const messages = state.pods.flatMap((pod, to): Message[] =>
    to !== from && pod.subscribed ? [{ from, to, sequence, writer }] : [],
  )
  const { expects } = state.pods[from]!
  return changePod({ ...state, messages: [...state.messages, ...messages] }, from, {
    published: sequence,
    expects: expects.with(from, sequence + 1),
  })
}

/** L1 of the pod is off, and what was on its way to it is lost. */
export function turnOffL1(state: State, pod: number, setting: Setting): State {
  const messages = state.messages.filter(({ to }) => to !== pod)
  return changePod(advanceClock({ ...state, messages }, pod, setting), pod, {
    subscribed: false,
    expects: state.pods.map(() => 0),
  })
}

/** The writers that have published something about the row. */
export const published = ({ writers }: State): number =>
  writers.reduce((bits, { phase }, writer) => {
    const silent = phase === 'open' || phase === 'listed' || phase === 'unfenced'
    return silent ? bits : bits | bit(writer)
  }, 0)
