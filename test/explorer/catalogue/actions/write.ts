import { bit, changeProcess, changeWriter, isReady, NOTHING, patched, spend } from '../model.ts'
import type { Bits, State, Writer } from '../model.ts'
import { nameOf, ownEntry, type Setting } from '../scenario.ts'
import { entryNames, writerName, type Action } from './action.ts'
import { ask, changeRegister } from './store.ts'

interface Running {
  readonly at: number
  readonly writer: Writer
  readonly process: number
  readonly label: string
}

/** The writers whose processes run. */
function writersOf(state: State, { scenario }: Setting): readonly Running[] {
  const running: Running[] = []
  for (const [at, writer] of state.writers.entries()) {
    const process = scenario.writers[at]!
    const runs =
      scenario.processes[process]!.entry === undefined || state.processes[process]!.state !== 'absent'
    if (runs) running.push({ at, writer, process, label: writerName(at, scenario) })
  }
  return running
}

/** A process that has never asked does so before its first write. Of other writes, FENCE is as good a beginning. */
const begin: Action = (state, setting, add) => {
  const asksOnce = setting.rules.writersAsk === 'when they begin'
  for (const { at, writer, process, label } of writersOf(state, setting)) {
    const isNew = state.processes[process]!.entries === NOTHING
    if (writer.phase !== 'idle') continue
    if (!isNew && !asksOnce) {
      const known = knownTo(state, process, setting)
      const sentence = `${label} begins, and knows ${entryNames(known)}`
      if (setting.scenario.hasLongWrites) add(sentence, changeWriter(state, at, { phase: 'begun', known }))
      continue
    }
    const asked = askAsWriter(state, process, setting)
    const known = knownTo(asked, process, setting)
    const begun = changeWriter(asked, at, { phase: 'begun', known, hasAsked: asksOnce })
    add(`${label} begins, asks, and knows ${entryNames(known)}`, begun)
    if (state.faults.outage > 0) {
      const unasked = changeWriter(spend(state, 'outage'), at, {
        phase: 'begun',
        known: ownEntry(setting.scenario, process),
      })
      add(`${label} begins, and cannot ask`, unasked)
    }
  }
}

const fence: Action = (state, setting, add) => {
  for (const { at, writer, process, label } of writersOf(state, setting)) {
    if (!isFlying(state, writer, process, setting) || writer.hasFenced) continue
    const begun = inFlight(state, at, process, setting)
    const entries = fencedBy(begun, at, process, setting)
    add(`${label}: FENCE of ${entryNames(entries)}`, fenced(begun, at, entries, setting))
    if (state.faults.outage > 0) {
      const unfenced = changeWriter(spend(begun, 'outage'), at, { hasFenced: true, fenced: entries })
      add(`${label}: FENCE fails`, changeProcess(unfenced, process, { bypasses: true }))
    }
  }
}

const fencedBy = (state: State, at: number, process: number, setting: Setting): Bits =>
  setting.rules.fences === 'entries known by then'
    ? knownTo(state, process, setting)
    : state.writers[at]!.known

function fenced(state: State, at: number, entries: Bits, setting: Setting): State {
  const understood = understoodBy(at, setting) & entries
  const unknown = setting.rules.unknownDescription === 'is ignored' ? 0 : entries & ~understood
  const rows = changedRows(state, understood, (fences) => fences | bit(at))
  const change = { hasFenced: true, fenced: entries }
  return closed(changeWriter({ ...state, rows }, at, change), at, unknown, setting)
}

/** Side by side with FENCE, in either order. */
const askForEntries: Action = (state, setting, add) => {
  for (const { at, writer, process, label } of writersOf(state, setting)) {
    if (!isFlying(state, writer, process, setting) || writer.hasAsked) continue
    const begun = inFlight(state, at, process, setting)
    const asked = askAsWriter(begun, process, setting)
    const learned = asked.processes[process]!.entries & ~begun.writers[at]!.known
    const added = setting.rules.newEntriesAreFenced ? learned : 0
    const sentence = `${label} asks, and learns of ${entryNames(learned)}`
    add(sentence, changeWriter(asked, at, { hasAsked: true, added }))
    if (state.faults.outage > 0) {
      const behind = changeWriter(spend(begun, 'outage'), at, { hasAsked: true, isBehind: true })
      add(`${label} asks in vain`, behind)
    }
  }
}

/** What it has learned of is fenced as a whole. */
const fenceAdded: Action = (state, setting, add) => {
  for (const { at, writer, label } of writersOf(state, setting)) {
    const { added } = writer
    if (added === 0 || !writer.hasFenced) continue
    const sentence = `${label}: FENCE of all rows of ${entryNames(added)}`
    add(sentence, changeWriter(closed(state, at, added, setting), at, { added: 0 }))
  }
}

const commit: Action = (state, setting, add) => {
  for (const [at, writer] of state.writers.entries()) {
    const label = writerName(at, setting.scenario)
    const isOrphaned = writer.phase === 'orphaned'
    if (!isOrphaned && !isReady(writer)) continue
    const database = state.database | bit(at)
    const committed = isOrphaned ? ended(state, at, 'dead') : changeWriter(state, at, { phase: 'committed' })
    add(`${label}: COMMIT`, { ...committed, database })
    if (isOrphaned) add(`${label}: ROLLBACK`, ended(state, at, 'dead'))
  }
}

const release: Action = (state, setting, add) => {
  for (const { at, writer, process, label } of writersOf(state, setting)) {
    if (writer.phase !== 'committed') continue
    const rows = changedRows(state, understoodBy(at, setting) & writer.fenced, (fences) => fences & ~bit(at))
    const opened = namesOf(writer.closed, setting).reduce(
      (next, name) => {
        const fences = next.registers[name]!.fences & ~bit(at)
        return changeRegister(next, name, { fences }, setting)
      },
      { ...state, rows } as State,
    )
    const released = writer.isBehind
      ? changeWriter(opened, at, { phase: 'behind' })
      : ended(opened, at, 'released')
    add(`${label}: RELEASE`, changeProcess(released, process, { bypasses: false }))
  }
}

/** The store answers again: what the writer did not know is emptied. */
const catchUp: Action = (state, setting, add) => {
  for (const { at, writer, process, label } of writersOf(state, setting)) {
    if (!writer.isBehind) continue
    if (setting.rules.catchesUp === 'after COMMIT' && writer.phase !== 'behind') continue
    const asked = askAsWriter(state, process, setting)
    const missed = asked.processes[process]!.entries & ~writer.known
    const emptied = namesOf(missed, setting).reduce(
      (next, name) => changeRegister(next, name, {}, setting),
      asked,
    )
    const caughtUp =
      writer.phase === 'behind'
        ? ended(emptied, at, 'released')
        : changeWriter(emptied, at, { isBehind: false })
    add(`${label} can ask again, and empties ${entryNames(missed)}`, caughtUp)
  }
}

const crash: Action = (state, setting, add) => {
  if (state.faults.crash === 0) return
  for (const [at, writer] of state.writers.entries()) {
    const sentence = `${writerName(at, setting.scenario)}: its process crashes`
    const spent = spend(state, 'crash')
    if (isReady(writer)) add(sentence, changeWriter(spent, at, { phase: 'orphaned' }))
    if (writer.phase === 'committed' || writer.phase === 'behind') add(sentence, ended(spent, at, 'dead'))
  }
}

/** A fence expires when the database has decided: fenceMs outlasts any COMMIT. */
const expireFences: Action = (state, _setting, add) => {
  for (const [at, { phase }] of state.writers.entries()) {
    const hasFences = [...state.rows, ...state.registers].some(({ fences }) => fences & bit(at))
    if (!hasFences || (phase !== 'dead' && phase !== 'committed')) continue
    const rows = state.rows.map((row) => ({ ...row, fences: row.fences & ~bit(at) }))
    const registers = state.registers.map((register) => ({ ...register, fences: register.fences & ~bit(at) }))
    add(`the fences of write ${at + 1} expire`, { ...state, rows, registers })
  }
}

/** FENCE and its ask go out together: the entries that it knows then are those whose rows it fences. */
function inFlight(state: State, at: number, process: number, setting: Setting): State {
  const { phase, known } = state.writers[at]!
  const knows = phase === 'idle' ? knownTo(state, process, setting) : known
  return changeWriter(state, at, { phase: 'in flight', known: knows })
}

function isFlying(state: State, { phase }: Writer, process: number, { rules, scenario }: Setting): boolean {
  if (phase === 'begun' || phase === 'in flight') return true
  const isKnowing = state.processes[process]!.entries !== NOTHING
  return phase === 'idle' && isKnowing && rules.writersAsk === 'beside FENCE' && !scenario.hasLongWrites
}

/** Caches of its own that the last answer did not list are put with the ask. */
function askAsWriter(state: State, process: number, setting: Setting): State {
  const { entries, state: processState } = state.processes[process]!
  const own = ownEntry(setting.scenario, process)
  const describes = setting.rules.putsEntry === 'before it joins' && processState !== 'absent'
  const put = describes && entries !== NOTHING ? own & ~entries : 0
  return ask(state, process, { isWriter: true, put }, setting)
}

const knownTo = ({ processes }: State, process: number, { scenario }: Setting): Bits =>
  Math.max(0, processes[process]!.entries) | ownEntry(scenario, process)

/** The entries whose rows the writer can distinguish. */
function understoodBy(at: number, { scenario }: Setting): Bits {
  const own = ownEntry(scenario, scenario.writers[at]!)
  return scenario.entries.reduce((bits, { isNewer }, entry) => (isNewer ? bits : bits | bit(entry)), own)
}

/** Fences whole caches, which moves their epochs. */
function closed(state: State, at: number, entries: Bits, setting: Setting): State {
  const next = namesOf(entries, setting).reduce(
    (changed, name) =>
      changeRegister(changed, name, { fences: changed.registers[name]!.fences | bit(at) }, setting),
    state,
  )
  return changeWriter(next, at, { closed: state.writers[at]!.closed | entries })
}

/** FENCE and RELEASE: the value and the lease are gone, and the fences change. */
const changedRows = ({ rows }: State, entries: Bits, change: (fences: Bits) => Bits): State['rows'] =>
  rows.map((row, entry) =>
    entries & bit(entry) ? { value: NOTHING, lease: NOTHING, fences: change(row.fences) } : row,
  )

function namesOf(entries: Bits, { scenario }: Setting): number[] {
  const names = scenario.entries.flatMap((_, entry) =>
    entries & bit(entry) ? [nameOf(scenario, entry)] : [],
  )
  return [...new Set(names)]
}

/** What a writer that does nothing any more knew makes no difference. */
function ended(state: State, at: number, phase: 'released' | 'dead'): State {
  return {
    ...state,
    writers: patched(state.writers, at, { phase, known: 0, fenced: 0, added: 0, closed: 0, isBehind: false }),
  }
}

export const writeActions: readonly Action[] = [
  begin,
  fence,
  askForEntries,
  fenceAdded,
  commit,
  release,
  catchUp,
  crash,
  expireFences,
]
