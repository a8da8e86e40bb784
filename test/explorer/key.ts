import { NOTHING, UNUSABLE } from './model.ts'
import type { LateCommand, Read, State } from './model.ts'

/**
 * What tells states apart. Names do not: which number a read has, or a token, is the same to all that may follow. What
 * counts of a token is whose it is and whether the guard holds it. Faults that are left are part of the key.
 */
export function keyOf(state: State): string {
  let key = digits([state.database, state.replica, state.live])
  for (const { value, expired, lease, fences, marked } of state.rows) {
    const owner = lease === NOTHING ? NOTHING : ownerOf(state, lease)
    key += digits([value, Number(expired), owner, fences, Number(marked)])
  }
  const { register, primes, primesLeft } = state
  key += digits([register.fences, Number(register.marked), primesLeft])
  for (const { phase, fingerprints } of state.writers) key += phase[0]! + phase.at(-1) + fingerprints
  for (const pod of state.pods) {
    key += pod.state[0]! + (pod.subscribed ? 's' : '-') + (pod.bypasses ? 'b' : '-')
    key += digits([pod.readsLeft, pod.l1, pod.published, pod.knows, pod.heard, pod.awaits])
    key += digits(pod.expects)
  }
  for (const fault in state.faults) key += state.faults[fault as keyof State['faults']]
  if (state.epochsBegun > 0) key += epochsOf(state)
  for (const { phase, value, token } of primes) {
    key +=
      phase[0]! +
      digits([value, Number(token !== NOTHING && state.rows.some(({ lease }) => lease === token))])
  }
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

function readKey(
  { pod, phase, token, value, copy, snapshot, moved, floor }: Read,
  { late, rows }: State,
): string {
  const holds = token !== NOTHING && rows.some(({ lease }) => lease === token)
  const isRepeated = late.some((command) => command.run === 'LEASE' && command.token === token)
  return (
    phase +
    (moved ? 'm' : '-') +
    (isRepeated ? 'r' : '-') +
    (holds ? 'h' : '-') +
    digits([pod, value, copy, snapshot, floor])
  )
}

function lateKey(command: LateCommand, { rows }: State): string {
  if (command.run === 'FENCE' || command.run === 'RELEASE') return command.run + command.writer
  if (command.run === 'LEASE') return command.run + command.fingerprint
  const { fingerprint, token, value } = command
  return `FILL${rows[fingerprint]!.lease === token ? 'h' : '-'}${digits([fingerprint, value])}`
}

/** Epochs differ, or do not; their numbers say nothing. */
function epochsOf({ register, rows, reads, primes, late }: State): string {
  const names = new Map<number, number>()
  const nameOf = (epoch: number): number => {
    if (!names.has(epoch)) names.set(epoch, names.size)
    return names.get(epoch)!
  }
  const of = [
    register,
    ...rows,
    ...reads,
    ...primes,
    ...late.filter((command) => command.run === 'RELEASE' || command.run === 'FILL'),
  ]
  return digits(of.map(({ epoch }) => nameOf(epoch)))
}

/** The pod whose lease it is: of a client's token, the pod; of a unique one, that of the read that has it. */
function ownerOf({ reads }: State, lease: number): number {
  if (lease === UNUSABLE) return 8
  if (lease < NOTHING) return -2 - lease
  return reads.find(({ token }) => token === lease)?.pod ?? 9
}

/** One character each: nothing here is above 15, and NOTHING is one below 0. */
function digits(numbers: readonly number[]): string {
  let text = ''
  for (const number of numbers) text += (number + 1).toString(36)
  return text
}
