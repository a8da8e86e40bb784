import { bit, changeProcess, changeRead, changeSlot, databaseOf, NOTHING } from '../model.ts'
import type { Read, State } from '../model.ts'
import { floorOf, judge, type Answer } from '../promises.ts'
import { idsIn, idsOf, type Entry, type Row } from '../row.ts'
import { processOf, slotOf, type Setting } from '../scenario.ts'
import { answered, mustReload } from '../validation.ts'
import { entryName, idsName, keyName, processName, rowText, type Action, type Step } from './action.ts'
import { isOpen } from './guards.ts'
import { dropped } from './l1.ts'

/** A read begins: with the entry of L1, or of the store. */
const begin: Action = (state, setting, add) => {
  const { readsAtOnce = 2, readers, l1 } = setting.scenario
  if (state.reads.length >= readsAtOnce) return
  for (const [reader, left] of state.readsLeft.entries()) {
    const process = processOf(readers[reader]!)
    if (left === 0 || state.processes[process]!.state === 'absent') continue
    // With L1, reads of one process coalesce.
    if (l1 && state.reads.some((read) => processOfRead(read, setting) === process)) continue
    const id = state.readsBegun + 1
    const read: Read = {
      id,
      reader,
      phase: 'asked',
      entry: NOTHING,
      rows: [],
      token: NOTHING,
      hasEpoch: false,
      hasExistenceEpoch: false,
      isOfL1: false,
      moved: 0,
      floor: floorOf(state, process, setting.scenario),
      waits: setting.scenario.waits ?? 0,
    }
    const begun = {
      ...state,
      readsBegun: id,
      readsLeft: state.readsLeft.with(reader, left - 1),
      reads: [...state.reads, read],
    }
    const held = state.processes[process]!.l1[slotOfRead(read, setting)]!
    if (l1 && held !== NOTHING) {
      const step = withEntry(begun, { ...read, isOfL1: true }, held, setting)
      add(`${name(read, setting)} gets ${entryName(held)} from L1`, step)
    } else add(...lookUp(begun, read, setting))
  }
}

/** A read whose entry of L1 did not pass. */
const ask: Action = (state, setting, add) => {
  for (const read of state.reads) if (read.phase === 'asked') add(...lookUp(state, read, setting))
}

/** Entry and register are asked for together. */
function lookUp(state: State, read: Read, setting: Setting): Step {
  const slot = slotOfRead(read, setting)
  const { value } = state.slots[slot]!
  const label = name(read, setting)
  const process = processOfRead(read, setting)
  const uncached = changeRead(state, read, { phase: 'uncached' })
  if (isBypassed(state, process, slot, setting)) return [`${label} bypasses the entry`, uncached]
  if (state.processes[process]!.state !== 'serving') return [`${label} may store nothing yet`, uncached]
  if (!isOpen(state, value === NOTHING ? emptyEntry : value, slot, setting)) {
    return [`${label} finds a fence in the register`, uncached]
  }
  const current = { ...read, hasEpoch: true, hasExistenceEpoch: state.register.existenceFences === 0 }
  if (value === NOTHING) return [`${label} misses`, changeRead(state, read, { ...current, phase: 'missed' })]
  return [`${label} gets ${entryName(value)}`, withEntry(state, current, value, setting)]
}

const emptyEntry: Entry = 0

/** Whether an invalidation of the process's own has not arrived. */
const isBypassed = ({ writers }: State, process: number, slot: number, { scenario }: Setting): boolean =>
  writers.some(
    ({ bypassed }, at) => (bypassed & bit(slot)) !== 0 && processOf(scenario.writers[at]!) === process,
  )

/** The read has an entry, whose rows follow. */
function withEntry(state: State, read: Read, entry: Entry, setting: Setting): State {
  const next: Read = { ...read, phase: 'rows', entry, rows: idsIn(entry).map(() => NOTHING) }
  return settled(changeRead(state, read, next), next, setting)
}

/** One of its rows by the ordinary path, which the model of rows explores: here it is one step. */
const getRow: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'rows') continue
    const ids = idsIn(read.entry)
    for (const [at, row] of read.rows.entries()) {
      if (row !== NOTHING) continue
      const id = ids[at]!
      const [next, got] = rowFor(state, id, processOfRead(read, setting), setting)
      const found = { ...next.reads.find((other) => other.id === read.id)!, rows: read.rows.with(at, got) }
      const sentence = `${name(read, setting)} gets ${rowText(id, got)}`
      add(sentence, settled(changeRead(next, read, found), found, setting))
    }
  }
}

function rowFor(state: State, id: number, process: number, setting: Setting): readonly [State, Row] {
  const { rules, scenario } = setting
  const held = state.processes[process]!.l1[id]!
  if (scenario.l1 && held !== NOTHING) return [state, held]
  if (isBypassed(state, process, id, setting)) return [state, databaseOf(state)[id]!]
  const { value, lease, fences, marked } = state.slots[id]!
  if (value !== NOTHING && isOpen(state, value, id, setting))
    return [keptInL1(state, process, id, value, setting), value]
  const row = databaseOf(state)[id]!
  const mayStore =
    lease === NOTHING &&
    fences === 0 &&
    isOpen(state, row, id, setting) &&
    state.processes[process]!.state === 'serving'
  if (!mayStore) return [dropped(state, process, scenario.l1 ? bit(id) : 0, setting), row]
  const stored = changeSlot(state, id, { value: row, marked: marked && rules.leaseKeepsMark })
  return [keptInL1(stored, process, id, row, setting), row]
}

/** A read that has all of its rows answers, or loads its entry again. */
function settled(state: State, read: Read, setting: Setting): State {
  const { entry, rows } = read
  if (rows.includes(NOTHING)) return state
  const { rules, scenario } = setting
  const { key } = scenario.readers[read.reader]!
  const kept = answered(entry, rows, key, rules)
  if (kept.length < rows.length && mustReload(entry, key, rules)) return again(state, read)
  const ids = idsIn(entry)
  const answer = { ids: kept.map((at) => ids[at]!), rows: kept.map((at) => rows[at]!) }
  const after = answeredWith(state, read, answer, setting)
  return ended(read.isOfL1 ? after : entryInL1(after, read, setting), read)
}

/** An entry of L1 is looked up in the store; one of the store is loaded. */
const again = (state: State, read: Read): State =>
  changeRead(state, read, {
    phase: read.isOfL1 ? 'asked' : 'missed',
    entry: NOTHING,
    rows: [],
    isOfL1: false,
  })

/** Where it may not store, a read asks the database, or gets what was stored while it waited. */
const readUncached: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'uncached') continue
    const answer = queried(state, read, setting)
    const sentence = `${name(read, setting)} asks the database: ${idsName(answer.ids)}`
    add(sentence, ended(pastL1(answeredWith(state, read, answer, setting), read, answer.ids, setting), read))
    if (read.waits === 0 || state.slots[slotOfRead(read, setting)]!.lease !== NOTHING) continue
    const [what, next] = lookUp(state, { ...read, waits: read.waits - 1 }, setting)
    add(`${what}, having waited`, changeRead(next, read, { waits: read.waits - 1 }))
  }
}

/** Key and rows in one query. */
export function queried(state: State, read: Read, { scenario }: Setting): Answer {
  const database = databaseOf(state)
  const ids = idsOf(database, scenario.readers[read.reader]!.key)
  return { ids, rows: ids.map((id) => database[id]!) }
}

/** The state after an answer, which may break a promise. */
export function answeredWith(state: State, read: Read, answer: Answer, setting: Setting): State {
  const { breach, seen } = judge(state, read, answer, setting)
  const process = processOfRead(read, setting)
  const after = state.processes[process]!.seen === seen ? state : changeProcess(state, process, { seen })
  return { ...after, broken: breach }
}

export const ended = (state: State, { id }: Read): State => ({
  ...state,
  reads: state.reads.filter((read) => read.id !== id),
})

/** What the store holds goes into L1, unless it was invalidated since the read began. */
export function entryInL1(state: State, read: Read, setting: Setting): State {
  if (!setting.scenario.l1) return state
  const slot = slotOfRead(read, setting)
  if (read.moved & bit(slot) && setting.rules.l1ChecksClock) return pastL1(state, read, [], setting)
  return keptInL1(state, processOfRead(read, setting), slot, read.entry, setting)
}

/** L1 drops what a read has got elsewhere and does not put there: it may be newer. */
export function pastL1(state: State, read: Read, ids: readonly number[], setting: Setting): State {
  if (!setting.scenario.l1 || !setting.rules.l1DropsWhatIsNotPut) return state
  const slots = ids.reduce((bits, id) => bits | bit(id), bit(slotOfRead(read, setting)))
  return dropped(state, processOfRead(read, setting), slots, setting)
}

function keptInL1(state: State, process: number, slot: number, value: number, { scenario }: Setting): State {
  if (!scenario.l1) return state
  return changeProcess(state, process, { l1: state.processes[process]!.l1.with(slot, value) })
}

export const slotOfRead = ({ reader }: Read, { scenario }: Setting): number =>
  slotOf(scenario, scenario.readers[reader]!.key)

export const processOfRead = ({ reader }: Read, { scenario }: Setting): number =>
  processOf(scenario.readers[reader]!)

export const name = (read: Read, setting: Setting): string => {
  const { key } = setting.scenario.readers[read.reader]!
  return `${processName(processOfRead(read, setting))}: read ${read.id} of ${keyName(key)}`
}

export const readActions: readonly Action[] = [begin, ask, getRow, readUncached]
