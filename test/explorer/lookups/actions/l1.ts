import { bit, changeProcess, NOTHING } from '../model.ts'
import type { Bits, Invalidated, Message, State } from '../model.ts'
import { processOf, type Setting } from '../scenario.ts'

/** L1 of a process drops the slots, and their invalidation clocks advance. */
export function dropped(state: State, process: number, slots: Bits, { scenario }: Setting): State {
  if (!scenario.l1 || slots === 0) return state
  const { l1 } = state.processes[process]!
  const reads = state.reads.map((read) => {
    const isOwn = processOf(scenario.readers[read.reader]!) === process
    return isOwn ? { ...read, moved: read.moved | slots } : read
  })
  return changeProcess({ ...state, reads }, process, {
    l1: l1.map((value, at) => (slots & bit(at) ? NOTHING : value)),
  })
}

/** What an invalidation drops: with the scope of existence all entries and absences, with that of rows everything. */
export function slotsOf(
  state: State,
  process: number,
  { slots, scope }: Invalidated,
  setting: Setting,
): Bits {
  const rowCount = setting.scenario.rows.length
  return state.slots.reduce((bits, _, at) => {
    const isEntry = at >= rowCount
    if (isEntry && !setting.rules.messagesDropEntries) return bits
    const value = state.processes[process]!.l1[at]!
    const isOfScope = scope === 'all' || (scope === 'existence' && (isEntry || value === 0))
    return isOfScope || slots & bit(at) ? bits | bit(at) : bits
  }, 0)
}

/** A writer drops what it covers from L1 of its own process. */
export function forgottenBy(state: State, writer: number, invalidated: Invalidated, setting: Setting): State {
  if (!setting.scenario.l1) return state
  const process = processOf(setting.scenario.writers[writer]!)
  return dropped(state, process, slotsOf(state, process, invalidated, setting), setting)
}

/** FENCE and RELEASE of a writer drop what they cover from L1 of its own process, and send messages to the others. */
export function announced(
  state: State,
  writer: number,
  of: Message['of'],
  invalidated: Invalidated,
  setting: Setting,
): State {
  const { scenario } = setting
  if (!scenario.l1) return state
  const from = processOf(scenario.writers[writer]!)
  const own = forgottenBy(state, writer, invalidated, setting)
  const messages = state.processes.flatMap((_, to): Message[] =>
    to === from ? [] : [{ to, writer, of, invalidated }],
  )
  return { ...own, messages: [...own.messages, ...messages] }
}
