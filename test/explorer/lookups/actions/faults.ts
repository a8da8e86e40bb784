import { bit, changeProcess, changeSlot, NOTHING, spend } from '../model.ts'
import type { Scenario } from '../scenario.ts'
import { keyName, processName, rowName, writerName, type Action } from './action.ts'
import { dropped, slotsOf } from './l1.ts'

const slotName = (slot: number, { keys, rows }: Scenario): string =>
  slot < rows.length ? rowName(slot) : keyName(keys[slot - rows.length]!)

const expireLease: Action = (state, { scenario }, add) => {
  if (state.faults['lease expiry'] === 0) return
  for (const [at, { lease }] of state.slots.entries()) {
    if (lease === NOTHING) continue
    const expired = changeSlot(spend(state, 'lease expiry'), at, { lease: NOTHING })
    add(`the lease of ${slotName(at, scenario)} expires`, expired)
  }
}

const evictValue: Action = (state, { scenario }, add) => {
  if (state.faults['eviction of a value'] === 0) return
  for (const [at, { value }] of state.slots.entries()) {
    if (value === NOTHING) continue
    const evicted = changeSlot(spend(state, 'eviction of a value'), at, { value: NOTHING })
    add(`${slotName(at, scenario)} is evicted`, evicted)
  }
}

const evictGuard: Action = (state, { scenario }, add) => {
  for (const [at, { fences, lease, marked }] of state.slots.entries()) {
    const fault = fences === 0 ? 'eviction of a guard' : 'eviction of fences'
    if (state.faults[fault] === 0 || (fences === 0 && lease === NOTHING && !marked)) continue
    const evicted = changeSlot(spend(state, fault), at, { fences: 0, lease: NOTHING, marked: false })
    add(`the guard of ${slotName(at, scenario)} is evicted`, evicted)
  }
}

/** A write is remembered for longer than ago a row may have been read that is primed. */
const expireMarks: Action = (state, { rules, scenario }, add) => {
  if (rules.primesAreRecent && state.reads.some(({ phase }) => mayPrimePhases.has(phase))) return
  if (state.register.marked) {
    add('the register forgets the write', { ...state, register: { ...state.register, marked: false } })
  }
  for (const [at, { marked }] of state.slots.entries()) {
    if (marked)
      add(
        `the guard of ${slotName(at, scenario)} forgets the write`,
        changeSlot(state, at, { marked: false }),
      )
  }
}

const mayPrimePhases: ReadonlySet<string> = new Set(['loaded', 'entered', 'named'])

/** An invalidation arrives; those of one publisher in any order. */
const deliver: Action = (state, setting, add) => {
  const { scenario } = setting
  for (const [at, { to, writer, of, invalidated }] of state.messages.entries()) {
    const rest = { ...state, messages: state.messages.toSpliced(at, 1) }
    const delivered = dropped(rest, to, slotsOf(rest, to, invalidated, setting), setting)
    const heard = delivered.processes[to]!.heard | bit(writer)
    const sentence = `${processName(to)} receives the ${of} of ${writerName(writer, scenario)}`
    add(sentence, changeProcess(delivered, to, { heard }))
  }
}

export const faultActions: readonly Action[] = [expireLease, evictValue, evictGuard, expireMarks, deliver]
