import { bit, changeProcess, NOTHING, patched, spend, type Bits, type Process, type State } from '../model.ts'
import { entriesNamed, nameOf, ownEntry, type Setting } from '../scenario.ts'
import { entryNames, processName, type Action } from './action.ts'
import { ask } from './store.ts'

interface Cache {
  readonly at: number
  readonly process: Process
  readonly own: Bits
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

/** A process that comes, or finds itself not in the register, describes its cache. */
const describe: Action = (state, setting, add) => {
  if (setting.rules.putsEntry !== 'before it joins') return
  for (const { at, process, own, label } of caches(state, setting)) {
    if (!comes(process) || rejoinsAtOnce(process, setting)) continue
    const asked = ask(state, at, { put: own }, setting)
    add(`${label} describes its cache`, changeProcess(asked, at, { state: 'described' }))
  }
}

const join: Action = (state, setting, add) => {
  for (const { at, process, own, name, label } of caches(state, setting)) {
    const isRejoin = rejoinsAtOnce(process, setting)
    if (process.state !== 'described' && !isRejoin) continue
    const listed = state.registers[name]!.listed | own
    const joined = { ...state, registers: patched(state.registers, name, { listed }) }
    const next = setting.rules.putsAgain && !isRejoin ? 'joined' : 'serving'
    add(`${label} joins the register`, changeProcess(joined, at, { state: next }))
  }
}

const describeAgain: Action = (state, setting, add) => {
  for (const { at, process, own, label } of caches(state, setting)) {
    if (process.state !== 'joined' && process.state !== 'outdated') continue
    const asked = ask(state, at, { put: own }, setting)
    add(`${label} describes its cache again`, changeProcess(asked, at, { state: 'serving' }))
  }
}

/** Begun by a process that has joined the register. Goes on beside all else that the process does. */
const cleanUp: Action = (state, setting, add) => {
  const isEntriesFirst = setting.rules.cleanUpReadsFirst === 'entries'
  for (const { at, process, own, label } of caches(state, setting)) {
    const isJoined = process.state === 'joined' || process.state === 'serving'
    const { cleanUpsLeft, removable } = process
    const isFirst = process.cleanUp === 'begin'
    if (isFirst && (cleanUpsLeft === 0 || !isJoined)) continue
    const candidates = isFirst ? everything : removable
    const left = { cleanUpsLeft: isFirst ? cleanUpsLeft - 1 : cleanUpsLeft }
    const next = (found: Bits): Partial<Process> =>
      found === 0
        ? { ...left, ...idleCleanUp }
        : { ...left, removable: found, cleanUp: isFirst ? 'read the others' : 'remove' }
    if (process.cleanUp === 'remove') {
      const removed = ask(state, at, { remove: removable }, setting)
      add(`${label} removes the entry of ${entryNames(removable)}`, changeProcess(removed, at, idleCleanUp))
    } else if (isFirst === isEntriesFirst) {
      const asked = ask(state, at, {}, setting)
      const found = asked.catalogue.entries & ~own & candidates
      add(`${label} reads the entry of ${entryNames(found)}`, changeProcess(asked, at, next(found)))
    } else {
      const found = unlisted(state, setting) & ~own & candidates
      add(`${label} finds ${entryNames(found)} not in the register`, changeProcess(state, at, next(found)))
    }
  }
}

const everything: Bits = ~0
const idleCleanUp = { removable: 0, cleanUp: 'begin' } as const

/** The entries that no register lists, without those of registers that do not list all processes yet. */
function unlisted({ registers }: State, { rules, scenario }: Setting): Bits {
  return registers.reduce((bits, { isNew, listed }, name) => {
    const isIncomplete = isNew && rules.newRegistersAreIncomplete
    return isIncomplete ? bits : bits | (entriesNamed(scenario, name) & ~listed)
  }, 0)
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
    const { listed: before } = state.registers[name]!
    const listed = setting.rules.extensionsNeedListing ? before : before | own
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
        ...idleCleanUp,
      }),
    )
  }
}

/** A fingerprint leaves the register when its processes are gone and its values have expired. */
const retire: Action = (state, { rules, scenario }, add) => {
  for (const [entry, { value }] of state.rows.entries()) {
    const name = nameOf(scenario, entry)
    const { listed } = state.registers[name]!
    const isUsed = state.processes.some(
      (process, at) => process.state !== 'absent' && ownEntry(scenario, at) === bit(entry),
    )
    const isStored = value !== NOTHING && rules.listingsOutliveValues
    if ((listed & bit(entry)) === 0 || isUsed || isStored) continue
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

/** Its values and its leases have expired before. The process goes on where it was. */
const pause: Action = (state, setting, add) => {
  if (state.faults.pause === 0) return
  for (const { at, process, own, name, label } of caches(state, setting)) {
    const isShared = state.processes.some(
      (other, i) => i !== at && other.state !== 'absent' && ownEntry(setting.scenario, i) === own,
    )
    const { listed } = state.registers[name]!
    if (process.state === 'absent' || isShared || (listed & own) === 0) continue
    add(
      `${label} pauses until it is no longer in the register`,
      withoutListings(spend(state, 'pause'), own, setting),
    )
  }
}

const leap: Action = (state, setting, add) => {
  const isWritten = [...state.rows, ...state.registers].some(({ fences }) => fences !== 0)
  const fault = isWritten ? 'leap of the clock during a write' : 'leap of the clock'
  if (state.faults[fault] === 0) return
  const leapt = withoutListings(spend(state, fault), everything, setting)
  const rows = leapt.rows.map((row) => ({ ...row, fences: 0 }))
  const registers = leapt.registers.map((register) => ({ ...register, fences: 0 }))
  add('the clock of the server leaps', { ...leapt, rows, registers })
}

/** What entries have in the store has expired, and no lease is granted to reads that had found them listed. */
function withoutListings(state: State, entries: Bits, { scenario }: Setting): State {
  return {
    ...state,
    registers: state.registers.map((register) => ({ ...register, listed: register.listed & ~entries })),
    rows: state.rows.map((row, entry) =>
      entries & bit(entry) ? { ...row, value: NOTHING, lease: NOTHING } : row,
    ),
    reads: state.reads.map((read) =>
      entries & ownEntry(scenario, read.process) ? { ...read, isLate: true } : read,
    ),
  }
}

export const processActions: readonly Action[] = [
  describe,
  join,
  describeAgain,
  cleanUp,
  sendExtension,
  extend,
  joinUndescribed,
  stop,
  retire,
  idle,
  pause,
  leap,
]
