import { bit, both, callOf, changeCall, countOf, hasAll, listedLoad, NOTHING } from '../model.ts'
import type { Bits, Call, Group, Load, State, Waiting } from '../model.ts'
import { mostIds, needsItself, type Setting } from '../scenario.ts'
import { cacheOf } from './action.ts'

/** What a read does that finds no row in the store: it begins a load, joins one, or fails. */
export function missed(state: State, reads: readonly Waiting[], setting: Setting): State {
  const groups: Group[] = []
  let next = state
  for (const read of reads) {
    const running = { ...read, callers: read.callers.filter((id) => callOf(next, id)) }
    next = isNested(next, running, setting)
      ? nested(next, running, groups, setting)
      : joinedOrQueued(next, running, setting)
  }
  return groups.reduce((changed, group) => nextOf(changed, group, setting), next)
}

/** Whether a read needs no permit, as calls wait for it that have one, or whose callers had one. */
function isNested(state: State, { callers }: Waiting, setting: Setting): boolean {
  const { contextIsKept, nestedNeedNoPermit } = setting.rules
  if (!contextIsKept || nestedNeedNoPermit === 'never') return false
  return callers.some(
    (id) => nestedNeedNoPermit === 'while they run' || isWanted(state, callOf(state, id)!, setting),
  )
}

function joinedOrQueued(state: State, read: Waiting, setting: Setting): State {
  const other = listedLoad(state, read.row)
  if (!other) return withLoad(state, read, true)[0]
  if (other.call === NOTHING) return merged(state, other, read)
  return join(state, other, read, setting)
}

/** Waits for the call that a row is loaded by. */
function join(state: State, { call }: Load, read: Waiting, { rules }: Setting): State {
  const waiting: State = { ...state, joined: [...state.joined, { ...read, call }] }
  return rules.joinedWaitsAreNoted && rules.contextIsKept
    ? read.callers.reduce<State>((next, caller) => awaiting(next, caller, call), waiting)
    : waiting
}

function nested(state: State, read: Waiting, groups: Group[], setting: Setting): State {
  const { rules } = setting
  const { callers, row } = read
  const caller = callers[0]!
  const around = nearestLoading(state, caller, row)
  const size = around === undefined ? 0 : countOf(around.rows)
  if (size === 1 ? rules.rowsThatNeedThemselvesFail : size > 1 && !rules.sharedRowsAreLoadedAgain)
    return refused(state, read, setting)
  const other = listedLoad(state, row)
  let next: State
  let load: number
  if (other?.call === NOTHING) {
    next = merged(state, other, read)
    if (!rules.queuedAreTakenAlong) return next
    load = other.id
  } else if (other && !around && !isInCircle(state, other.call, callers, setting)) {
    return join(state, other, read, setting)
  } else [next, load] = withLoad(state, read, other === undefined)
  const known = groups.findIndex((group) => group.caller === caller && group.around === size)
  if (known === -1) groups.push({ caller, around: size, items: [load], call: NOTHING })
  else groups[known] = { ...groups[known]!, items: [...groups[known]!.items, load] }
  return next
}

/** Begins the next call of a group. Loads that another call has taken are left out. */
export function nextOf(state: State, group: Group, setting: Setting): State {
  const { rules, scenario } = setting
  const queued = group.items.filter((id) =>
    state.loads.some((load) => load.id === id && load.call === NOTHING),
  )
  if (queued.length === 0) return state
  const isAlone = rules.againLoadsFewerRows && group.around > 0 && queued.length >= group.around
  const taken = isAlone ? queued.slice(0, 1) : queued
  const first = state.loads.find(({ id }) => id === taken[0])!
  const [begun, call] = withCall(state, taken, cacheOf(first.row, scenario), group.caller, setting)
  const items = queued.slice(taken.length)
  const next = { ...begun, groups: [...begun.groups, { ...group, items, call }] }
  // The others of the group wait for this call as well.
  return awaitedBy(next, items, call, setting)
}

/** Begins a call for loads that wait. */
export function withCall(
  state: State,
  loads: readonly number[],
  cache: string,
  parent: number,
  setting: Setting,
): [State, number] {
  const id = state.ids
  const rows = state.loads.reduce((bits, load) => (loads.includes(load.id) ? bits | bit(load.row) : bits), 0)
  const hasPermit = parent === NOTHING
  const call: Call = { id, cache, rows, parent, hasPermit, awaited: [], requested: 0, got: 0, hangs: false }
  const begun: State = {
    ...state,
    calls: [...state.calls, call],
    loads: state.loads.map((load) => (loads.includes(load.id) ? { ...load, call: id } : load)),
    ids: id + 1,
    broken: id >= mostIds ? 'endless calls' : state.broken,
  }
  return [awaitedBy(begun, loads, id, setting), id]
}

/** Notes that the callers of loads wait for a call. */
function awaitedBy(state: State, loads: readonly number[], call: number, { rules }: Setting): State {
  if (!rules.contextIsKept) return state
  return state.loads
    .filter(({ id }) => loads.includes(id))
    .flatMap(({ callers }) => (rules.waitsAreNoted === 'of all callers' ? callers : callers.slice(0, 1)))
    .reduce((next, caller) => awaiting(next, caller, call), state)
}

const awaiting = (state: State, caller: number, call: number): State =>
  caller === call
    ? state
    : changeCall(state, caller, ({ awaited }) => ({ awaited: [...new Set([...awaited, call])] }))

function withLoad(state: State, read: Waiting, isListed: boolean): [State, number] {
  const id = state.ids
  const load: Load = { ...read, id, call: NOTHING, isListed }
  return [{ ...state, loads: [...state.loads, load], ids: id + 1 }, id]
}

const merged = (state: State, load: Load, read: Waiting): State => ({
  ...state,
  loads: state.loads.map((one) => (one.id === load.id ? both(one, read) : one)),
})

/** The call that loads a row, of those that a caller is nested in, or is. */
function nearestLoading(state: State, caller: number, row: number): Call | undefined {
  for (let call = callOf(state, caller); call; call = callOf(state, call.parent))
    if (hasAll(call.rows, bit(row))) return call
  return undefined
}

/** Whether a call waits for one of the callers, so that they must not wait for it. */
function isInCircle(state: State, call: number, callers: readonly number[], { rules }: Setting): boolean {
  if (rules.avoidsCircles === 'never') return false
  const known = new Set([call])
  for (const id of known) {
    if (callers.includes(id)) return true
    if (rules.avoidsCircles === 'of two calls' && id !== call) continue
    for (const awaited of callOf(state, id)?.awaited ?? []) known.add(awaited)
  }
  return false
}

function refused(state: State, { callers, outside, row }: Waiting, setting: Setting): State {
  const isRight = needsItself(setting.scenario, row)
  const next: State = isRight ? state : { ...state, broken: 'refused although it does not need itself' }
  return callers.reduce((changed, caller) => failed(changed, caller, setting), withoutRow(next, row, outside))
}

/** Whether somebody still waits for a call. */
export function isWanted(state: State, call: Call, setting: Setting): boolean {
  if (call.parent === NOTHING || !setting.rules.contextIsKept) return true
  const waits = (id: number): boolean => {
    const caller = callOf(state, id)
    return caller ? isWanted(state, caller, setting) : !state.givenUp.includes(id)
  }
  if (setting.rules.readsEnd === 'with the call around') return waits(call.parent)
  return state.loads.some((load) => load.call === call.id && (load.outside !== 0 || load.callers.some(waits)))
}

/** The deadline of a call passes. */
export const givenUp = (state: State, id: number, setting: Setting): State =>
  failed({ ...state, givenUp: [...state.givenUp, id] }, id, setting)

/** A call fails as nobody waits for it, which no read may notice. */
export function abandoned(state: State, id: number, setting: Setting): State {
  const next = failed(state, id, setting)
  const isNoticed = next.reads.some((left, read) => left !== state.reads[read])
  return isNoticed ? { ...next, broken: 'refused with another load' } : next
}

/** A call fails, and with it the reads that wait for it. */
export function failed(state: State, id: number, setting: Setting): State {
  const call = callOf(state, id)
  if (!call) return state
  const loads = state.loads.filter((load) => load.call === id)
  let next = ended(state, call)
  for (const { outside, row } of loads) next = withoutRow(next, row, outside)
  for (const { callers } of loads) for (const caller of callers) next = failed(next, caller, setting)
  return nextGroups(next, id, setting)
}

/** Forgets a call, its loads, and that others wait for it. */
export function ended(state: State, { id }: Call): State {
  return {
    ...state,
    calls: state.calls
      .filter((call) => call.id !== id)
      .map((call) =>
        call.awaited.includes(id) ? { ...call, awaited: call.awaited.filter((other) => other !== id) } : call,
      ),
    loads: state.loads.filter((load) => load.call !== id),
    joined: state.joined.map((read) => (read.call === id ? { ...read, call: NOTHING } : read)),
  }
}

/** Goes on with the group that a call was of. */
export function nextGroups(state: State, call: number, setting: Setting): State {
  const group = state.groups.find((one) => one.call === call)
  if (!group) return state
  const others = { ...state, groups: state.groups.filter((one) => one !== group) }
  return nextOf(others, group, setting)
}

/** Reads get a row, or its error. */
export const withoutRow = (state: State, row: number, outside: Bits): State => ({
  ...state,
  reads: state.reads.map((left, read) => (left !== null && outside & bit(read) ? left & ~bit(row) : left)),
})
