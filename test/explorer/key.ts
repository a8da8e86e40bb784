import { NOTHING } from './model.ts'
import type { LateCommand, Read, State } from './model.ts'

/**
 * What tells states apart. Names do not: which number a read has, or a token, is the same to all that may follow. What
 * counts of a token is whose it is and whether the guard holds it. Faults that are left are part of the key.
 */
export function keyOf(state: State): string {
  let key = digits([state.database, state.replica, state.live])
  for (const { value, expired, lease, fences } of state.rows) {
    key += digits([value, Number(expired), lease === NOTHING ? NOTHING : ownerOf(state, lease), fences])
  }
  for (const { phase, fingerprints } of state.writers) key += phase[0]! + phase.at(-1) + fingerprints
  for (const pod of state.pods) {
    key += pod.state[0]! + (pod.subscribed ? 's' : '-') + (pod.bypasses ? 'b' : '-')
    key += digits([pod.readsLeft, pod.l1, pod.published, pod.knows, pod.heard, pod.awaits])
    key += digits(pod.expects)
  }
  for (const fault in state.faults) key += state.faults[fault as keyof State['faults']]
  return [
    key,
    ...state.reads.map((read) => readKey(read, state)).toSorted(),
    ...state.late.map((command) => lateKey(command, state)).toSorted(),
    ...state.messages
      .map(({ from, to, sequence, writer }) => digits([from, to, sequence, writer]))
      .toSorted(),
    state.broken ?? '',
  ].join()
}

function readKey({ pod, phase, token, value, copy, snapshot, moved, floor }: Read, { rows }: State): string {
  const holds = token !== NOTHING && rows.some(({ lease }) => lease === token)
  return phase + (moved ? 'm' : '-') + (holds ? 'h' : '-') + digits([pod, value, copy, snapshot, floor])
}

function lateKey(command: LateCommand, { rows }: State): string {
  if (command.run !== 'FILL') return command.run + command.writer
  const { fingerprint, token, value } = command
  return `FILL${rows[fingerprint]!.lease === token ? 'h' : '-'}${digits([fingerprint, value])}`
}

/** The pod whose lease it is: of a client's token, the pod; of a unique one, that of the read that has it. */
function ownerOf({ reads }: State, lease: number): number {
  if (lease < NOTHING) return -2 - lease
  return reads.find(({ token }) => token === lease)?.pod ?? 9
}

/** One character each: nothing here is above 15, and NOTHING is one below 0. */
function digits(numbers: readonly number[]): string {
  let text = ''
  for (const number of numbers) text += (number + 1).toString(36)
  return text
}
