import { bit, changeProcess, changeWriter, databaseOf, isWithin, spend } from '../model.ts'
import type { Invalidated, Scope, State, Writer, WriterPhase } from '../model.ts'
import { ABSENT, belongs, mayEnter, rowWith, type Row } from '../row.ts'
import { isPromised, processOf, slotOf, type Change, type ScenarioWriter, type Setting } from '../scenario.ts'
import { writerName, type Action } from './action.ts'
import { expired, fenced, hasFences, released } from './guards.ts'
import { announced, forgottenBy } from './l1.ts'

/** Its statement, which locks the rows, and FENCE. */
const fence: Action = (state, setting, add) => {
  const { rules, scenario } = setting
  for (const [at, { phase, hasAsked, slots: read, scope }] of state.writers.entries()) {
    const reads = rules.keysAreOf === 'a row read before the write'
    if (phase !== (reads ? 'read' : 'idle') || isLocked(state, at, setting)) continue
    if (scenario.isDeployed && rules.writersAsk === 'before FENCE' && !hasAsked) continue
    const covered = coveredBy(state, at, setting)
    const slots = reads ? read : covered.slots
    const next = changeWriter(fenced(state, at, slots, covered.scope, setting), at, {
      phase: 'fenced',
      slots,
      scope: scope === 'none' ? covered.scope : scope,
    })
    const sentence = `${writerName(at, scenario)} runs, and FENCE`
    add(sentence, announced(next, at, 'FENCE', { slots, scope: covered.scope }, setting))
    if (state.faults.outage > 0) {
      const sentence = `${writerName(at, scenario)} runs, FENCE fails, and it goes on`
      add(sentence, unfenced(spend(state, 'outage'), at, covered, setting))
    }
  }
}

/** FENCE has failed: the process bypasses what it was for. */
function unfenced(
  state: State,
  at: number,
  { slots, scope }: Invalidated,
  { rules, scenario }: Setting,
): State {
  const rows = bit(scenario.rows.length) - 1
  const all = bit(state.slots.length) - 1
  const covered = scope === 'none' ? slots : all
  const bypassed = rules.outageBypasses === 'rows' ? covered & rows : covered
  return changeWriter(state, at, { phase: 'unfenced', slots, scope, bypassed })
}

/** Only of a mutant: the keys that it enters are those of rows that it reads some time before its statement. */
const readRows: Action = (state, setting, add) => {
  if (setting.rules.keysAreOf !== 'a row read before the write') return
  for (const [at, { phase }] of state.writers.entries()) {
    if (phase !== 'idle') continue
    const { slots } = coveredBy(state, at, setting)
    add(
      `${writerName(at, setting.scenario)} reads its rows`,
      changeWriter(state, at, { phase: 'read', slots }),
    )
  }
}

/** What the writer fences, by what it knows. */
function coveredBy(state: State, at: number, { rules, scenario }: Setting): Invalidated {
  const writer = scenario.writers[at]!
  const { knows = 'keys', changes, ignorantOf = [] } = writer
  const rows = changes.reduce((bits, { row }) => bits | bit(row), 0)
  const unknown: Scope = rules.unknownKeys === 'change nothing' ? 'none' : 'existence'
  if (knows === 'nothing') return { slots: 0, scope: 'all' }
  if (knows === 'creations') return { slots: 0, scope: unknown }
  if (knows === 'rows') return { slots: rows, scope: unknown }
  if (isOutdated(writer, scenario)) return { slots: rows, scope: 'none' }
  const entered = scenario.keys.filter((key) => isEntered(state, changes, key, rules))
  const known = entered.filter(({ lookup }) => !ignorantOf.includes(lookup))
  // It knows which fields it writes, not what the lookup is by: whatever is created or updated may enter.
  const mayEnterUnknown = ignorantOf.length > 0 && changes.some(({ to }) => to !== 'deleted')
  return {
    slots: known.reduce((bits, key) => bits | bit(slotOf(scenario, key)), rows),
    scope: mayEnterUnknown && rules.unknownLookups === 'changes the existence epoch' ? 'existence' : 'none',
  }
}

function isEntered(
  state: State,
  changes: readonly Change[],
  key: Setting['scenario']['keys'][number],
  { enteredKeysAreFenced, keysAreOf, reorderingEnters }: Setting['rules'],
): boolean {
  if (!enteredKeysAreFenced) return false
  return changes.some(({ row: id, to }) => {
    if (to === 'deleted') return false
    const before = databaseOf(state)[id]!
    if (before !== ABSENT && !mayEnter(to, key, reorderingEnters)) return false
    return belongs(keysAreOf === 'the row before the write' ? before : rowWith(before, to), key)
  })
}

/** Whether its process has not learned of the lookups yet, which come with a deploy. */
const isOutdated = (writer: ScenarioWriter, { isDeployed = false, writers, readers }: Setting['scenario']) =>
  isDeployed && processOf(writer) < Math.max(...[...writers, ...readers].map(processOf))

/** Whether another transaction has locked one of its rows. */
function isLocked(state: State, at: number, { scenario }: Setting): boolean {
  const rows = new Set(scenario.writers[at]!.changes.map(({ row }) => row))
  return state.writers.some(
    (other, i) =>
      i !== at && isWithin(other) && scenario.writers[i]!.changes.some(({ row }) => rows.has(row)),
  )
}

const end: Action = (state, setting, add) => {
  for (const [at, writer] of state.writers.entries()) {
    if (!isWithin(writer) || !hasAskedIfItMust(writer, setting)) continue
    const isOrphaned = writer.phase === 'orphaned'
    const isUnfenced = writer.phase === 'unfenced'
    const label = writerName(at, setting.scenario)
    const next = committed(state, at, isOrphaned ? 'dead' : 'committed', setting)
    // A writer that waits for nothing continues at once, and reads what it wrote.
    add(`${label}: COMMIT`, isUnfenced ? knowing(next, at, setting) : next)
    if (isOrphaned) add(`${label}: ROLLBACK`, changeWriter(state, at, { phase: 'dead' }))
    else if (state.faults.rollback > 0) {
      const rolledBack = changeWriter(spend(state, 'rollback'), at, { phase: 'rolled back' })
      add(`${label}: ROLLBACK`, rolledBack)
    }
  }
}

const hasAskedIfItMust = ({ hasAsked }: Writer, { scenario }: Setting): boolean =>
  hasAsked || !scenario.isDeployed

function committed(state: State, at: number, phase: WriterPhase, { scenario }: Setting): State {
  const rows = scenario.writers[at]!.changes.reduce<readonly Row[]>(
    (next, { row, to }) => next.with(row, to === 'deleted' ? ABSENT : rowWith(next[row]!, to)),
    databaseOf(state),
  )
  const next = changeWriter(state, at, { phase })
  return { ...next, history: [...state.history, rows], commits: [...state.commits, at] }
}

/** The write returns to its caller, which does not wait for RELEASE. */
const returnToCaller: Action = (state, setting, add) => {
  if (!isNoticed(setting)) return
  for (const [at, { phase, slots, scope }] of state.writers.entries()) {
    if (phase !== 'committed') continue
    const next = changeWriter(state, at, { phase: 'returned' })
    const forgotten = forgottenBy(next, at, { slots, scope }, setting)
    add(`${writerName(at, setting.scenario)} returns`, knowing(forgotten, at, setting))
  }
}

const release: Action = (state, setting, add) => {
  const { scenario } = setting
  for (const [at, { phase, slots, scope }] of state.writers.entries()) {
    if (phase !== (isNoticed(setting) ? 'returned' : 'committed') && phase !== 'rolled back') continue
    const next = changeWriter(released(state, at, slots, scope, setting), at, {
      phase: 'released',
      slots: 0,
      scope: 'none',
      bypassed: 0,
    })
    const publishing = announced(next, at, 'RELEASE', { slots, scope }, setting)
    add(`${writerName(at, scenario)}: RELEASE`, publishing)
  }
}

/** Whether it makes a difference that a write returns before RELEASE: to what a read must see, or to what the process holds. */
function isNoticed({ scenario }: Setting): boolean {
  return isPromised(scenario, 'read your writes') || scenario.l1 === true
}

/** Its caller knows that the write is done: from now on its process must see it. */
function knowing(state: State, at: number, { scenario }: Setting): State {
  if (!isPromised(scenario, 'read your writes')) return state
  const process = processOf(scenario.writers[at]!)
  return changeProcess(state, process, { knows: state.processes[process]!.knows | bit(at) })
}

/** The process dies. Its COMMIT may be on the way. */
const crash: Action = (state, setting, add) => {
  if (state.faults.crash === 0) return
  for (const [at, writer] of state.writers.entries()) {
    const { phase } = writer
    if (
      (phase !== 'fenced' || !hasAskedIfItMust(writer, setting)) &&
      phase !== 'committed' &&
      phase !== 'returned'
    )
      continue
    const crashed = changeWriter(spend(state, 'crash'), at, {
      phase: phase === 'fenced' ? 'orphaned' : 'dead',
    })
    add(`${writerName(at, setting.scenario)}: its process crashes`, crashed)
  }
}

const loseEnd: Action = (state, setting, add) => {
  if (state.faults['unknown end'] === 0) return
  for (const [at, writer] of state.writers.entries()) {
    if (writer.phase !== 'fenced' || !hasAskedIfItMust(writer, setting)) continue
    const lost = changeWriter(spend(state, 'unknown end'), at, { phase: 'orphaned' })
    add(`${writerName(at, setting.scenario)}: its end is unknown`, lost)
  }
}

/** Fences expire when the database has decided: fenceMs outlasts any COMMIT. */
const expireFences: Action = (state, setting, add) => {
  for (const [at, { phase }] of state.writers.entries()) {
    const isDecided =
      phase === 'dead' || phase === 'committed' || phase === 'returned' || phase === 'rolled back'
    if (isDecided && hasFences(state, at)) {
      add(`the fences of write ${at + 1} expire`, expired(state, at, setting))
    }
  }
}

export const writeActions: readonly Action[] = [
  readRows,
  fence,
  end,
  returnToCaller,
  release,
  crash,
  loseEnd,
  expireFences,
]
