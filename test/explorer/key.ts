import { NOTHING, UNUSABLE } from './model.ts'
import type { LateCommand, Pod, Prime, Read, State, WriterPhase } from './model.ts'
import { flags, numbering } from './values.ts'

const { fromCharCode } = String

const writerPhaseNumber = numbering<WriterPhase>()
const readPhaseNumber = numbering<Read['phase']>()
const primePhaseNumber = numbering<Prime['phase']>()
const podStateNumber = numbering<Pod['state']>()
const commandNumber = numbering<LateCommand['run']>()

/**
 * What distinguishes states. Names do not: which number a read has, or a token, is the same to all that may follow. What
 * counts of a token is whose it is and whether the guard holds it. Faults that are left are part of the key.
 */
export function keyOf(state: State): string {
  const { register, primes, primesLeft, rows, writers, pods, reads, late, messages } = state
  let key =
    pack(state.database, state.replica, state.live) +
    pack(register.fences, primesLeft, flags(register.marked)) +
    pack(primes.length, reads.length, late.length)
  key += rowsKey(rows, state)
  if (state.copy) {
    const { fences, marked } = state.copy.register
    key += pack(15, fences, flags(marked)) + rowsKey(state.copy.rows, state)
  }
  for (const { phase, fingerprints } of writers) key += pack(writerPhaseNumber(phase), fingerprints, 0)
  for (const pod of pods) {
    const { readsLeft, l1, published, knows, heard, awaits, expects, isHot, subscribed, bypasses } = pod
    key +=
      pack(podStateNumber(pod.state), flags(subscribed, bypasses, isHot), readsLeft) +
      pack(l1, published, knows) +
      pack(heard, awaits, 0)
    for (const next of expects) key += pack(next, 0, 0)
  }
  key += faultsKey(state)
  if (state.epochsBegun > 0) key += epochsOf(state)
  for (const { phase, value, token } of primes)
    key += pack(primePhaseNumber(phase), value, flags(isHeld(state, token)))
  key += sorted(reads, readKey, state) + sorted(late, lateKey, state) + sorted(messages, messageKey, state)
  return state.broken === null ? key : key + state.broken
}

function rowsKey(rows: State['rows'], state: State): string {
  let key = ''
  for (const { value, expired, lease, fences, marked } of rows) {
    const owner = lease === NOTHING ? NOTHING : ownerOf(state, lease)
    key += pack(value, owner, fences) + pack(flags(expired, marked), 0, 0)
  }
  return key
}

/** One item after the other, whatever their order. */
function sorted<T>(items: readonly T[], keyOfItem: (item: T, state: State) => string, state: State): string {
  if (items.length < 2) return items.length === 0 ? '' : keyOfItem(items[0]!, state)
  return items
    .map((item) => keyOfItem(item, state))
    .toSorted()
    .join('')
}

function readKey({ pod, phase, token, value, copy, snapshot, moved, floor }: Read, state: State): string {
  const isRepeated = state.late.some((command) => command.run === 'LEASE' && command.token === token)
  return (
    pack(pod, readPhaseNumber(phase), flags(moved, isRepeated, isHeld(state, token))) +
    pack(value, copy, snapshot) +
    pack(floor, flags(state.copy !== null && isHeld(state.copy, token)), 0)
  )
}

function lateKey(command: LateCommand, { rows }: State): string {
  const run = commandNumber(command.run)
  if (command.run === 'FENCE' || command.run === 'RELEASE') return pack(run, command.writer, 0)
  if (command.run === 'LEASE') return pack(run, command.fingerprint, 0)
  const { fingerprint, token, value } = command
  return pack(run, fingerprint, value) + pack(flags(rows[fingerprint]!.lease === token), 0, 0)
}

const messageKey = ({ from, to, sequence, writer }: State['messages'][number]): string =>
  pack(from, to, sequence) + pack(writer, 0, 0)

/** Epochs differ, or do not; their numbers say nothing. */
function epochsOf({ copy, register, rows, reads, primes, late }: State): string {
  const names = new Map<number, number>()
  let key = ''
  const add = ({ epoch }: { epoch: number }): void => {
    const name = names.get(epoch) ?? names.size
    names.set(epoch, name)
    key += pack(name, 0, 0)
  }
  add(register)
  rows.forEach(add)
  if (copy) [copy.register, ...copy.rows].forEach(add)
  reads.forEach(add)
  primes.forEach(add)
  for (const command of late) if (command.run === 'RELEASE' || command.run === 'FILL') add(command)
  return key
}

function faultsKey({ faults }: State): string {
  let key = ''
  let [first, second, count] = [0, 0, 0]
  for (const fault in faults) {
    const left = faults[fault as keyof typeof faults]
    if (count % 3 === 2) key += pack(first, second, left)
    else if (count % 3 === 1) second = left
    else first = left
    count++
  }
  return count % 3 === 0 ? key : key + pack(first, count % 3 === 1 ? 0 : second, 0)
}

const isHeld = ({ rows }: Pick<State, 'rows'>, token: number): boolean =>
  token !== NOTHING && rows.some(({ lease }) => lease === token)

/** The pod whose lease it is: of a client's token, the pod; of a unique one, that of the read that has it. */
function ownerOf({ reads }: State, lease: number): number {
  if (lease === UNUSABLE) return 8
  if (lease < NOTHING) return -2 - lease
  return reads.find(({ token }) => token === lease)?.pod ?? 9
}

/** Three numbers as one character: nothing here is above 15, and NOTHING is one below 0. */
const pack = (first: number, second: number, third: number): string =>
  fromCharCode(((first + 1) << 10) | ((second + 1) << 5) | (third + 1))
