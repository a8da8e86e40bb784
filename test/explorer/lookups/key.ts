import { NOTHING } from './model.ts'
import type { Invalidated, Message, Process, Read, ReadPhase, Scope, State, WriterPhase } from './model.ts'
import { flags, numbering } from '../values.ts'

const { fromCharCode } = String

const writerPhaseNumber = numbering<WriterPhase>()
const readPhaseNumber = numbering<ReadPhase>()
const scopeNumber = numbering<Scope>()
const processStateNumber = numbering<Process['state']>()

/**
 * What distinguishes states. The numbers of reads do not: what counts of a lease is which read has it. The states of the
 * database follow from the order of the COMMITs.
 */
export function keyOf(state: State): string {
  const { register, slots, writers, processes, reads, messages, commits } = state
  let key = pack(
    register.fences,
    register.existenceFences,
    flags(register.marked, state.isDescribed),
    commits.length,
  )
  for (const writer of commits) key += number(writer)
  for (const { value, lease, fences, marked } of slots) {
    key += number(value) + pack(fences, flags(marked, lease !== NOTHING), 0, 0)
  }
  for (const writer of writers) {
    key +=
      pack(writerPhaseNumber(writer.phase), flags(writer.hasAsked), 0, 0) +
      number(writer.bypassed) +
      invalidatedKey(writer)
  }
  for (const process of processes) key += processKey(process)
  for (const left of state.readsLeft) key += number(left)
  for (const fault in state.faults) key += state.faults[fault as keyof typeof state.faults]
  key += sorted(reads.map((read) => readKey(read, state))) + '|' + sorted(messages.map(messageKey))
  return state.broken === null ? key : key + state.broken
}

function processKey({ state, awaits, knows, heard, l1, seen }: Process): string {
  let key = pack(processStateNumber(state), awaits, knows, heard)
  for (const value of l1) key += number(value)
  for (const writers of seen) key += number(writers)
  return key
}

function readKey(read: Read, { slots }: State): string {
  const { reader, phase, entry, rows, token, floor, moved, waits } = read
  let held = 0
  for (const [at, { lease }] of slots.entries()) if (lease !== NOTHING && lease === token) held |= 1 << at
  let key =
    pack(reader, readPhaseNumber(phase), flags(read.hasEpoch, read.hasExistenceEpoch, read.isOfL1), waits) +
    pack(floor, token === NOTHING ? 0 : 1, 0, 0) +
    number(entry) +
    number(moved) +
    number(held)
  for (const row of rows) key += number(row)
  return key
}

const messageKey = ({ to, writer, of, invalidated }: Message): string =>
  pack(to, writer, of === 'FENCE' ? 0 : 1, 0) + invalidatedKey(invalidated)

const invalidatedKey = ({ slots, scope }: Invalidated): string => number(slots) + number(scopeNumber(scope))

const sorted = (keys: string[]): string => (keys.length < 2 ? (keys[0] ?? '') : keys.toSorted().join(''))

/** A number from -1 on. */
const number = (value: number): string => fromCharCode(value + 1)

/** Four numbers below 16. */
const pack = (first: number, second: number, third: number, fourth: number): string =>
  fromCharCode((first << 12) | (second << 8) | (third << 4) | fourth)
