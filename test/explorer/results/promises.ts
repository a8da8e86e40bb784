import { bit, hasAll, type Bits, type Breach, type Read, type Result, type State } from './model.ts'
import type { Setting } from './scenario.ts'
import { counts, databaseAt, lookedAtOnce, standsOf } from './stands.ts'
import { isPromised } from '../values.ts'

/** The promise that the last step broke, or that the state breaks where all processes are idle; or null. */
export function brokenIn(state: State, setting: Setting): Breach | null {
  const { scenario } = setting
  if (state.broken !== null) return isPromised(scenario, state.broken) ? state.broken : null
  if (!isPromised(scenario, 'stale until TTL') || !isIdle(state)) return null
  return isOutdated(state, setting) ? 'stale until TTL' : null
}

/** All that has begun has ended, and what was left behind has expired. */
function isIdle(state: State): boolean {
  return (
    state.reads.length === 0 &&
    state.registers.every(({ fences }) => fences === 0) &&
    state.markers.every(({ fences }) => fences === 0) &&
    state.writers.every(({ phase }) => phase === 'idle' || phase === 'ended')
  )
}

function isOutdated(state: State, setting: Setting): boolean {
  const { result } = state
  if (result === null || !counts(result, standsOf(lookedAtOnce(state, setting), setting), setting.rules))
    return false
  const database = databaseAt(state, state.commits.length, setting.scenario)
  return result.rows.some((rows, part) => rows !== database[part])
}

/** What is wrong with a result that a read gets, whatever writes outside have done that had not been noticed when it looked. */
export function judge(
  state: State,
  { floor, noticed }: Read,
  { rows }: Result,
  setting: Setting,
): Breach | null {
  const unnoticed = outsideIn(setting) & ~noticed
  const first = databaseAt(state, floor, setting.scenario)
  if (!rows.every((seen, part) => hasAll(seen | unnoticed, first[part]!))) return 'stale result'
  for (let moment = floor; moment <= state.commits.length; moment++) {
    const database = databaseAt(state, moment, setting.scenario)
    if (
      rows.every((seen, part) => hasAll(database[part]!, seen) && hasAll(seen | unnoticed, database[part]!))
    )
      return null
  }
  return 'result of no moment'
}

/** The writes outside whose results have been ended. */
export const noticedIn = ({ writers }: State, setting: Setting): Bits =>
  outsideIn(setting) & writers.reduce((bits, { phase }, at) => (phase === 'ended' ? bits | bit(at) : bits), 0)

const outsideIn = ({ scenario }: Setting): Bits =>
  scenario.writers.reduce((bits, { isOutside }, at) => (isOutside ? bits | bit(at) : bits), 0)
