import { NOTHING, bit, changePod } from '../model.ts'
import type { Message, State } from '../model.ts'
import { usesStamps } from '../scenario.ts'
import type { Setting } from '../scenario.ts'

/**
 * The key's stamp moves in one pod, and L1 drops the row. InvalidationClock are only ever compared with what they were when a read
 * began, so a mark at the reads in flight is all of them.
 */
export function moveStamp(state: State, pod: number, setting: Setting): State {
  if (!usesStamps(setting)) return state
  const reads = state.reads.map((read) => (read.pod === pod && !read.moved ? { ...read, moved: true } : read))
  return changePod({ ...state, reads }, pod, { l1: NOTHING })
}

/** What FENCE and SETTLE send to the other pods that are subscribed. */
export function publish(state: State, from: number, writer: number, setting: Setting): State {
  if (!usesStamps(setting) || state.pods.length === 1) return state
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
  return changePod(moveStamp({ ...state, messages }, pod, setting), pod, {
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
