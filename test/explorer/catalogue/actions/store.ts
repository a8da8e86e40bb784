import { bit, changeCatalogue, changeProcess, isDecided, NOTHING, patched } from '../model.ts'
import type { Bits, Process, State } from '../model.ts'
import { entriesNamed, ownEntry, type Setting } from '../scenario.ts'

export interface Request {
  readonly isWriter?: boolean
  readonly put?: Bits
  readonly remove?: Bits
}

/** The script that all changes of the catalogue go through, and what the process learns by its answer. */
export function ask(
  state: State,
  process: number,
  { isWriter = false, put = 0, remove = 0 }: Request,
  setting: Setting,
): State {
  const { hasHash, hasEpochKey, isWritten } = state.catalogue
  const isIntact = hasHash && hasEpochKey
  const { halfLostIsWritten, knownIsWritten } = setting.rules
  const isHalfLost = hasHash !== hasEpochKey && halfLostIsWritten
  const isKnown = state.processes[process]!.entries !== NOTHING && knownIsWritten
  let next = isIntact
    ? state
    : changeCatalogue(withoutCatalogueEpoch(state, setting), {
        hasHash: true,
        hasEpochKey: true,
        isWritten: isWritten || isHalfLost || isKnown,
      })
  next = putEntries(changeCatalogue(next, { entries: next.catalogue.entries & ~remove }), put, setting)
  if (isWriter) next = changeCatalogue(next, { isWritten: true })
  const { entry } = setting.scenario.processes[process]!
  return changeProcess(next, process, {
    entries: next.catalogue.entries,
    knowsCatalogueEpoch: true,
    awaits: entry === undefined ? 0 : next.catalogue.awaits[entry]!,
  })
}

function putEntries(state: State, put: Bits, { rules }: Setting): State {
  if (put === 0) return state
  const { awaits, entries, isWritten } = state.catalogue
  const within = isWritten && rules.addedEntriesWait ? writersWithin(state, rules) : 0
  const added = put & ~entries
  const next = changeCatalogue(state, {
    entries: entries | put,
    awaits: awaits.map((writers, entry) => (added & bit(entry) ? within : writers)),
  })
  if (!rules.removalComparesPuts) return next
  // Whoever has not read the entries yet reads those that are put now.
  const areRead = (cleanUp: Process['cleanUp']): boolean =>
    cleanUp === 'remove' || rules.cleanUpReadsFirst === 'entries'
  const processes = next.processes.map((process) =>
    areRead(process.cleanUp) ? { ...process, removable: process.removable & ~put } : process,
  )
  return { ...next, processes }
}

/** The writers that have asked, and whose transactions the database has not decided: fenceMs outlasts them. */
export function writersWithin({ writers }: Pick<State, 'writers'>, rules: Setting['rules']): Bits {
  return writers.reduce((bits, writer, i) => {
    const hasAsked = writer.hasAsked && !writer.isBehind
    const isTimed = rules.writersAsk === 'beside FENCE' ? hasAsked : writer.hasFenced
    return isTimed && !isDecided(writer) ? bits | bit(i) : bits
  }, 0)
}

/** No value that is stored now, or that a read in flight will store, carries the current catalogue epoch any more. */
export function withoutCatalogueEpoch(state: State, { rules }: Setting): State {
  const processes = state.processes.map((process) => ({ ...process, knowsCatalogueEpoch: false }))
  if (!rules.valuesCarryCatalogueEpoch) return { ...state, processes }
  return {
    ...state,
    processes,
    rows: state.rows.map((row) => ({ ...row, value: NOTHING })),
    reads: state.reads.map((read) => ({ ...read, hasCatalogueEpoch: false })),
  }
}

/** The same for the epoch of the caches with one name. */
export function withoutEpoch(state: State, name: number, { scenario }: Setting): State {
  const entries = entriesNamed(scenario, name)
  return {
    ...state,
    rows: state.rows.map((row, entry) => (entries & bit(entry) ? { ...row, value: NOTHING } : row)),
    reads: state.reads.map((read) =>
      ownEntry(scenario, read.process) & entries ? { ...read, hasEpoch: false } : read,
    ),
  }
}

/** Changes a register together with its epoch. */
export function changeRegister(
  state: State,
  name: number,
  change: Partial<State['registers'][number]>,
  setting: Setting,
): State {
  const registers = patched(state.registers, name, change)
  return withoutEpoch({ ...state, registers }, name, setting)
}
