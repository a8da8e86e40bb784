import { bit, both, changeCall, hasAll, NOTHING, rowsIn, type State, type Waiting } from '../model.ts'
import { bitsOf, needsOf, rowNames, type Setting } from '../scenario.ts'
import { cacheOf, callName, rowsNamed, type Action } from './action.ts'
import { abandoned, isWanted, missed, withoutRow } from './wait.ts'

/** A tick collects reads until it ends: of a row, all in it are one. */
function inTick(state: State, read: Waiting): State {
  const known = state.tick.findIndex(({ row }) => row === read.row)
  const tick = known === -1 ? [...state.tick, read] : state.tick.with(known, both(state.tick[known]!, read))
  return { ...state, tick }
}

const begin: Action = (state, { scenario }, add) => {
  for (const [read, rows] of scenario.reads.entries()) {
    if (state.reads[read] !== null) continue
    const bits = bitsOf(scenario, rows)
    const begun = { ...state, reads: state.reads.with(read, bits) }
    const requested = rowsIn(bits).reduce<State>(
      (next, row) => inTick(next, { row, callers: [], outside: bit(read) }),
      begun,
    )
    add(`a read of ${rows.join(' and ')} begins`, requested)
  }
}

/** A source requests the rows that it needs in sequence, in one tick or in several, while somebody waits for its own. */
const request: Action = (state, setting, add) => {
  const { scenario } = setting
  for (const call of state.calls) {
    if (call.hangs) continue
    const rows = rowsIn(needsOf(scenario, call.rows) & ~call.requested)
    if (rows.length > 0 && !isWanted(state, call, setting)) {
      add(`${callName(call, scenario)} is refused a row`, abandoned(state, call.id, setting))
      continue
    }
    for (const row of rows) {
      const requested = changeCall(state, call.id, () => ({ requested: call.requested | bit(row) }))
      const sentence = `${callName(call, scenario)} requests ${rowNames(scenario)[row]}`
      add(sentence, inTick(requested, { row, callers: [call.id], outside: 0 }))
    }
  }
}

const endTick: Action = (state, setting, add) => {
  if (state.tick.length === 0) return
  const rows = state.tick.reduce((bits, { row }) => bits | bit(row), 0)
  add(
    `the tick ends: ${rowsNamed(rows, setting.scenario)}`,
    lookedUp({ ...state, tick: [] }, state.tick, setting),
  )
}

/** A read that has waited for the load of another one. */
const readAgain: Action = (state, setting, add) => {
  for (const read of state.joined) {
    if (read.call !== NOTHING) continue
    const others = { ...state, joined: state.joined.filter((one) => one !== read) }
    add(`${rowNames(setting.scenario)[read.row]} is read again`, lookedUp(others, [read], setting))
  }
}

/** The store answers what it has. */
function lookedUp(state: State, reads: readonly Waiting[], setting: Setting): State {
  const { scenario } = setting
  const isStored = ({ row }: Waiting): boolean => hasAll(state.stored, bit(row))
  const answered = reads.filter(isStored).reduce(delivered, state)
  const byCache = Map.groupBy(
    reads.filter((read) => !isStored(read)),
    ({ row }) => cacheOf(row, scenario),
  )
  return [...byCache.values()].reduce((next, ofCache) => missed(next, ofCache, setting), answered)
}

export function delivered(state: State, { callers, outside, row }: Waiting): State {
  return callers.reduce(
    (next, caller) => changeCall(next, caller, ({ got }) => ({ got: got | bit(row) })),
    withoutRow(state, row, outside),
  )
}

export const readActions: readonly Action[] = [begin, request, endTick, readAgain]
