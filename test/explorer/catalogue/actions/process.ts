import { bit, changeProcess, NOTHING, patched, spend } from '../model.ts'
import type { Process, State } from '../model.ts'
import { entriesNamed, nameOf, ownEntry } from '../scenario.ts'
import type { Setting } from '../scenario.ts'
import { entryNames, processName } from './action.ts'
import type { Action } from './action.ts'
import { ask } from './store.ts'

interface Cache {
  readonly at: number
  readonly process: Process
  readonly own: number
  readonly name: number
  readonly label: string
}

/** The processes that have a cache. */
function caches({ processes }: State, { scenario }: Setting): readonly Cache[] {
  const found: Cache[] = []
  for (const [at, process] of processes.entries()) {
    const { entry } = scenario.processes[at]!
    if (entry === undefined) continue
    const label = processName(at, scenario)
    found.push({ at, process, own: bit(entry), name: nameOf(scenario, entry), label })
  }
  return found
}

/** A process that comes, or finds itself not in the register, describes its cache, and reads the entries of others. */
const describe: Action = (state, setting, add) => {
  if (setting.rules.putsEntry !== 'before it joins') return
  for (const { at, process, own, name, label } of caches(state, setting)) {
    if (!comes(process) || rejoinsAtOnce(process, setting)) continue
    const asked = ask(state, at, { put: own }, setting)
    const removable = asked.catalogue.entries & entriesNamed(setting.scenario, name) & ~own
    add(`${label} describes its cache`, changeProcess(asked, at, { state: 'described', removable }))
  }
}

/** The answer of the register lists the fingerprints that are used. */
const join: Action = (state, setting, add) => {
  for (const { at, process, own, name, label } of caches(state, setting)) {
    const isRejoin = rejoinsAtOnce(process, setting)
    if (process.state !== 'described' && !isRejoin) continue
    const register = state.registers[name]!
    const listed = register.listed | own
    const isIncomplete = register.isNew && setting.rules.newRegistersAreIncomplete
    const joined = { ...state, registers: patched(state.registers, name, { listed }) }
    const change = {
      state: setting.rules.putsAgain && !isRejoin ? 'joined' : 'serving',
      removable: isIncomplete ? 0 : process.removable & ~listed,
    } as const
    add(`${label} joins the register`, changeProcess(joined, at, change))
  }
}

const describeAgain: Action = (state, setting, add) => {
  for (const { at, process, own, label } of caches(state, setting)) {
    if (process.state !== 'joined' && process.state !== 'outdated') continue
    const asked = ask(state, at, { put: own }, setting)
    add(`${label} describes its cache again`, changeProcess(asked, at, { state: 'serving' }))
  }
}

const removeUnused: Action = (state, setting, add) => {
  for (const { at, process, label } of caches(state, setting)) {
    const { removable } = process
    if (removable === 0 || (process.state !== 'joined' && process.state !== 'serving')) continue
    const removed = changeProcess(ask(state, at, { remove: removable }, setting), at, { removable: 0 })
    add(`${label} removes the entry of ${entryNames(removable)}`, removed)
  }
}

/** A process that finds itself in the register has that last longer. It does not describe its cache for that. */
const sendExtension: Action = (state, setting, add) => {
  for (const { at, process, own, name, label } of caches(state, setting)) {
    if (process.state !== 'serving' || process.extends || (state.registers[name]!.listed & own) === 0)
      continue
    add(`${label} sends an extension`, changeProcess(state, at, { extends: true }))
  }
}

const extend: Action = (state, setting, add) => {
  for (const { at, process, own, name, label } of caches(state, setting)) {
    if (!process.extends) continue
    const listed = state.registers[name]!.listed | own
    const extended = { ...state, registers: patched(state.registers, name, { listed }) }
    add(`the extension of ${label} arrives`, changeProcess(extended, at, { extends: false }))
  }
}

/** Only of a mutant. */
const joinUndescribed: Action = (state, setting, add) => {
  if (setting.rules.putsEntry === 'before it joins') return
  for (const { at, process, own, name, label } of caches(state, setting)) {
    if (comes(process)) {
      const listed = state.registers[name]!.listed | own
      const joined = { ...ask(state, at, {}, setting), registers: patched(state.registers, name, { listed }) }
      const serving = changeProcess(joined, at, { state: 'serving' })
      add(`${label} joins the register`, serving)
    } else if (process.state === 'serving' && (process.entries & own) === 0) {
      add(`${label} describes its cache`, ask(state, at, { put: own }, setting))
    }
  }
}

const comes = ({ state, readsLeft }: Process): boolean =>
  state === 'unlisted' || (state === 'absent' && readsLeft > 0)

const rejoinsAtOnce = ({ state }: Process, { rules }: Setting): boolean =>
  state === 'unlisted' && !rules.describesToRejoin

const stop: Action = (state, setting, add) => {
  if (state.faults.stop === 0) return
  for (const { at, process, label } of caches(state, setting)) {
    const writes = setting.scenario.writers.some(
      (on, i) => on === at && state.writers[i]!.phase !== 'released',
    )
    if (process.state === 'absent' || writes) continue
    const gone = state.reads.filter((read) => read.process === at)
    const stopped = {
      ...spend(state, 'stop'),
      reads: state.reads.filter((read) => read.process !== at),
      // A lease without its read keeps others from loading until it expires, and nothing more.
      rows: state.rows.map((row) =>
        gone.some(({ id }) => id === row.lease) ? { ...row, lease: NOTHING } : row,
      ),
    }
    add(
      `${label} stops`,
      changeProcess(stopped, at, {
        state: 'absent',
        entries: NOTHING,
        knowsCatalogueEpoch: false,
        awaits: 0,
        removable: 0,
      }),
    )
  }
}

/** A fingerprint leaves the register when its processes are gone and its values have expired. */
const retire: Action = (state, { scenario }, add) => {
  for (const [entry, { value }] of state.rows.entries()) {
    const name = nameOf(scenario, entry)
    const { listed } = state.registers[name]!
    const isUsed = state.processes.some(
      (process, at) => process.state !== 'absent' && ownEntry(scenario, at) === bit(entry),
    )
    if ((listed & bit(entry)) === 0 || isUsed || value !== NOTHING) continue
    const registers = patched(state.registers, name, { listed: listed & ~bit(entry) })
    add(`the fingerprint of ${entryNames(bit(entry))} leaves the register`, { ...state, registers })
  }
}

/** Its values have expired before. The process knows by its own clock that it has to join again. */
const idle: Action = (state, setting, add) => {
  if (state.faults.idleness === 0) return
  for (const { at, process, own, name, label } of caches(state, setting)) {
    const isReading = state.reads.some((read) => read.process === at)
    const isStored = state.rows.some(({ value }, entry) => own === bit(entry) && value !== NOTHING)
    if (process.state !== 'serving' || isReading || isStored) continue
    const { listed } = state.registers[name]!
    const left = { ...state, registers: patched(state.registers, name, { listed: listed & ~own }) }
    const unlisted = changeProcess(spend(left, 'idleness'), at, { state: 'unlisted' })
    add(`${label} is idle until it is no longer in the register`, unlisted)
  }
}

export const processActions: readonly Action[] = [
  describe,
  join,
  describeAgain,
  removeUnused,
  sendExtension,
  extend,
  joinUndescribed,
  stop,
  retire,
  idle,
]
