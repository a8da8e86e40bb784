import { bit, databaseOf, hasAll, isWithin, NOTHING } from './model.ts'
import type { Bits, Breach, Read, State, Writer } from './model.ts'
import { belongs, idsIn, idsOf, type Entry, type Key, type Row } from './row.ts'
import { isPromised, slotOf, type Scenario, type Setting } from './scenario.ts'
import { isPlaced } from './validation.ts'

/** What the protocol excludes. */
export const excluded: readonly Breach[] = [
  'stale answer',
  'rows left out',
  'uncommitted row',
  'stale entry until TTL',
  'stale row until TTL',
  'lease left behind',
]

const isLookedFor = (breach: Breach, { breaches = excluded }: Scenario): boolean => breaches.includes(breach)

/** What a read that begins now must have seen. */
export function floorOf({ commits, processes }: State, process: number, scenario: Scenario): Bits {
  const committed = commits.reduce((bits, writer) => bits | bit(writer), 0)
  if (isPromised(scenario, 'fresh after COMMIT')) return committed
  const { knows, heard } = processes[process]!
  return (
    (isPromised(scenario, 'read your writes') ? knows : 0) |
    (isPromised(scenario, 'fresh after delivery') ? heard & committed : 0)
  )
}

/** The answer of a lookup: rows by id, in order. */
export interface Answer {
  readonly ids: readonly number[]
  readonly rows: readonly Row[]
}

export interface Judgement {
  readonly breach: Breach | null
  /** By slot: the writers that the answer has shown at least. */
  readonly seen: readonly Bits[]
}

/**
 * Whether an answer is one that the promises allow: each row that it shows was so, and the place of each row, in the list or not,
 * was so at a moment that the read may show: at or after the writes of that row that it must have seen.
 */
export function judge(
  state: State,
  { reader, floor }: Read,
  answer: Answer,
  { scenario }: Setting,
): Judgement {
  const { key, process = 0 } = scenario.readers[reader]!
  const slot = slotOf(scenario, key)
  const isMonotonic = isPromised(scenario, 'monotonic reads')
  const { seen } = state.processes[process]!
  let shown = seen

  for (const [at, id] of answer.ids.entries()) {
    const row = answer.rows[at]!
    const moments = momentsOf(state, [id], isMonotonic ? floor | seen[id]! : floor, scenario)
    const moment = moments.find(({ rows }) => rows[id] === row)
    if (!moment || !belongs(row, key)) {
      const isCommitted = state.history.some((rows) => rows[id] === row)
      return { breach: isCommitted ? 'stale answer' : 'uncommitted row', seen }
    }
    if (isMonotonic) shown = shown.with(id, shown[id]! | moment.writes)
  }

  const listFloor = isMonotonic ? floor | seen[slot]! : floor
  const moments = momentsOf(state, [...databaseOf(state).keys()], listFloor, scenario)
  const moment = moments.find(({ rows }) => isSame(idsOf(rows, key), answer.ids))
  if (moment)
    return { breach: null, seen: isMonotonic ? shown.with(slot, shown[slot]! | moment.writes) : shown }
  const isExcluded = isLookedFor('list of no moment', scenario)
  const breach = isExcluded ? 'list of no moment' : mixedBreach(state, listFloor, answer, key, scenario)
  return { breach, seen: shown }
}

/** What is wrong with a list that is of no moment, or null if its rows had their places, each at a moment of its own. */
function mixedBreach(
  state: State,
  floor: Bits,
  { ids }: Answer,
  key: Key,
  scenario: Scenario,
): Breach | null {
  const all = [...databaseOf(state).keys()]
  const versions = all.map((id) => momentsOf(state, [id], floor, scenario).map(({ rows }) => rows[id]!))
  const mixed = mixtures(versions).filter((rows) => isSame(idsOf(rows, key), ids))
  if (mixed.length === 0) return 'stale answer'
  const leftOut = all.filter((id) => !ids.includes(id))
  const moments = momentsOf(state, leftOut, floor, scenario)
  const isOfOne = mixed.some((rows) =>
    moments.some((moment) => leftOut.every((id) => rows[id] === moment.rows[id])),
  )
  return isOfOne ? null : 'rows left out'
}

/** Every combination of rows, one version of each. */
function mixtures(versions: readonly (readonly Row[])[]): readonly (readonly Row[])[] {
  let mixed: (readonly Row[])[] = [[]]
  for (const rows of versions) {
    mixed = mixed.flatMap((others) => [...new Set(rows)].map((row) => [...others, row]))
  }
  return mixed
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at])

interface Moment {
  readonly rows: readonly Row[]
  readonly writes: Bits
}

/** The states of the database that have those of these writes that change one of the rows, oldest first. */
function momentsOf(
  { history, commits }: State,
  ids: readonly number[],
  floor: Bits,
  { writers }: Scenario,
): readonly Moment[] {
  const moments: Moment[] = []
  const needed = writers.reduce((bits, { changes }, at) => {
    const isOfRows = (floor & bit(at)) !== 0 && changes.some(({ row }) => ids.includes(row))
    return isOfRows ? bits | bit(at) : bits
  }, 0)
  let writes = 0
  for (const [at, rows] of history.entries()) {
    if (at > 0) writes |= bit(commits[at - 1]!)
    if (hasAll(writes, needed)) moments.push({ rows, writes })
  }
  return moments
}

/** The promise that a state breaks, by its last step or by what it leaves behind, or null. */
export function brokenIn(state: State, setting: Setting): Breach | null {
  if (state.broken) return isLookedFor(state.broken, setting.scenario) ? state.broken : null
  if (!isQuiet(state)) return null
  const residue = residueIn(state, setting)
  return residue && isLookedFor(residue, setting.scenario) ? residue : null
}

/** Nothing is on the way any more, and no fence is left: what counts now stays until its TTL. */
function isQuiet({ reads, messages, writers, slots, register }: State): boolean {
  return (
    reads.length === 0 &&
    messages.length === 0 &&
    writers.every(isFinished) &&
    register.fences === 0 &&
    register.existenceFences === 0 &&
    slots.every(({ fences }) => fences === 0)
  )
}

const isFinished = (writer: Writer): boolean =>
  !isWithin(writer) &&
  writer.phase !== 'committed' &&
  writer.phase !== 'returned' &&
  writer.phase !== 'rolled back'

function residueIn(state: State, { scenario, rules }: Setting): Breach | null {
  const database = databaseOf(state)
  const layers = [state.slots.map(({ value }) => value), ...state.processes.map(({ l1 }) => l1)]
  for (const layer of layers) {
    for (const [id, row] of database.entries()) {
      if (layer[id] !== NOTHING && layer[id] !== row) return 'stale row until TTL'
    }
    for (const key of scenario.keys) {
      const entry = layer[slotOf(scenario, key)]!
      if (entry !== NOTHING && isAnswered(entry, database, key, rules) && !isRight(entry, database, key)) {
        return 'stale entry until TTL'
      }
    }
  }
  return state.slots.some(({ lease }) => lease !== NOTHING) ? 'lease left behind' : null
}

/** Whether the entry passes validation with the rows of the database. */
const isAnswered = (entry: Entry, database: readonly Row[], key: Key, rules: Setting['rules']): boolean =>
  idsIn(entry).every((id, at) => isPlaced(database[id]!, entry, at, key, rules))

const isRight = (entry: Entry, database: readonly Row[], key: Key): boolean =>
  isSame(idsIn(entry), idsOf(database, key))
