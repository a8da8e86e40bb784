import { changeCall, hasAll, NOTHING, spend, type State } from '../model.ts'
import { needsOf, rowNames } from '../scenario.ts'
import { cacheOf, callName, type Action } from './action.ts'
import { delivered } from './read.ts'
import { ended, givenUp, nextGroups, withCall } from './wait.ts'

/** What waits for a permit of a cache is one call. */
const begin: Action = (state, setting, add) => {
  const { rules, scenario } = setting
  const { permits } = scenario
  const share = rules.cachesSharePermits ? Math.max(1, Math.floor((permits * 3) / 4)) : permits
  const held = state.calls.filter(({ hasPermit }) => hasPermit)
  if (held.length >= permits) return
  for (const cache of new Set(rowNames(scenario).map((name) => name[0]!))) {
    const queued = state.loads.filter((load) => load.call === NOTHING && isInQueue(state, load.id))
    const ofCache = queued.filter(({ row }) => cacheOf(row, scenario) === cache).map(({ id }) => id)
    if (ofCache.length === 0 || held.filter((call) => call.cache === cache).length >= share) continue
    const [next] = withCall(state, ofCache, cache, NOTHING, setting)
    add(`loads of cache ${cache} get a permit`, next)
  }
}

/** Loads of a group wait for the call before them, not for a permit. */
const isInQueue = ({ groups }: State, load: number): boolean =>
  !groups.some(({ items }) => items.includes(load))

const end: Action = (state, setting, add) => {
  for (const call of state.calls) {
    if (call.hangs || !hasAll(call.got, needsOf(setting.scenario, call.rows))) continue
    const loads = state.loads.filter((load) => load.call === call.id)
    const stored: State = { ...ended(state, call), stored: state.stored | call.rows }
    add(
      `${callName(call, setting.scenario)} ends`,
      nextGroups(loads.reduce(delivered, stored), call.id, setting),
    )
  }
}

const hang: Action = (state, { scenario }, add) => {
  if (state.faults['hanging source'] === 0) return
  for (const call of state.calls) {
    if (call.hangs) continue
    const hanging = changeCall(spend(state, 'hanging source'), call.id, () => ({ hangs: true }))
    add(`the source of ${callName(call, scenario)} hangs`, hanging)
  }
}

export const callActions: readonly Action[] = [begin, end, hang]

/** Deadlines are so long that they pass only where nothing else happens, but for a fault. */
export const passDeadline: Action = (state, setting, add) => {
  if (!setting.rules.loadsHaveDeadline) return
  for (const call of state.calls)
    add(`the deadline of ${callName(call, setting.scenario)} passes`, givenUp(state, call.id, setting))
}

export const passDeadlineEarly: Action = (state, setting, add) => {
  if (state.faults['early deadline'] > 0) passDeadline(spend(state, 'early deadline'), setting, add)
}
