import { loadable, nextEvent, noticesChange } from './actions/action.ts'
import { isPublished, NOTHING } from './model.ts'
import type { Breach, Follower, Read, State, Version } from './model.ts'
import { hasL1, type Scenario, type Setting } from './scenario.ts'
import { isPromised } from '../values.ts'

/** The state with a read that begins, which must see what is promised by then. */
export function newRead(
  state: State,
  process: number,
  { phase, value }: Pick<Read, 'phase' | 'value'>,
  { scenario }: Setting,
): [state: State, read: Read] {
  const { l1 = false, isStrict = false } = scenario.processes[process]!
  const { closed, heard, hears } = state.processes[process]!
  const bypasses = isStrict && hears === NOTHING
  const isPrimary = (scenario.replica ?? 'none') === 'none'
  const committed = l1 || !isPrimary ? 0 : state.committed
  const read: Read = {
    id: state.readsBegun + 1,
    process,
    phase,
    value,
    hasEpoch: false,
    moved: false,
    bypasses,
    acknowledged: l1 ? heard : state.acknowledged,
    closed,
    committed: bypasses ? loadable(state, scenario) : committed,
  }
  return [{ ...state, reads: [...state.reads, read], readsBegun: read.id }, read]
}

/** The promise that is broken when the read answers with this version, or null. */
export function brokenBy(read: Read, value: Version, scenario: Scenario): Breach | null {
  const broken: Breach[] = []
  if (value < read.committed) broken.push(read.bypasses ? 'stale while bypassing' : 'stale after COMMIT')
  if (value < read.closed) broken.push('stale after a gap')
  if (value < read.acknowledged) broken.push('stale although acknowledged')
  return broken.find((breach) => isPromised(scenario, breach)) ?? null
}

/** The promise that a state breaks, by its last step or by what it leaves behind, or null. */
export function brokenIn(state: State, setting: Setting): Breach | null {
  const { scenario } = setting
  if (state.broken) return state.broken
  const breach = residueIn(state, setting)
  return breach !== null && isPromised(scenario, breach) ? breach : null
}

/** Nothing is on the way any more, and the follower has caught up: what is in the layers now stays until its TTL. */
function residueIn(state: State, setting: Setting): Breach | null {
  const { scenario } = setting
  const { visible } = state.database
  const at = state.followers.findIndex((follower) => isCaughtUp(state, follower, setting))
  if (at < 0 || !isQuiet(state)) return null
  if (state.value !== NOTHING && state.value < visible) return 'stale until TTL'
  const isStale = state.processes.some(({ hears, l1 }, process) => {
    const isUsed = !scenario.processes[process]!.isStrict || hears === at
    return isUsed && l1 !== NOTHING && l1 < visible
  })
  return isStale ? 'stale in L1 until TTL' : null
}

const isQuiet = ({ fences, processes, reads, writers }: State): boolean =>
  reads.length === 0 &&
  fences === 0 &&
  writers.every(({ phase }) => phase === 'idle' || phase === 'released') &&
  processes.every(({ inbox, isMissing }) => inbox === 0 && !isMissing)

function isCaughtUp({ database }: State, follower: Follower, { rules, scenario }: Setting): boolean {
  const { gap, isAnnounced, notified, phase, publication, read, taken } = follower
  // It believes so.
  if (phase === 'deaf' && !rules.noticesDeletion) return gap === 'closed' && taken === read
  if (phase !== 'streaming' || gap !== 'closed' || nextEvent(database, taken) !== NOTHING) return false
  if (!isPublished(publication) || noticesChange(database, follower, rules)) return false
  return !hasL1(scenario) || (isAnnounced && nextEvent(database, notified) === NOTHING)
}
