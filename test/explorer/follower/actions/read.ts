import { changeProcess, changeRead, NOTHING, type Read, type State, type Version } from '../model.ts'
import { brokenBy, newRead } from '../promises.ts'
import type { Setting } from '../scenario.ts'
import { loadable, processName, versionName, type Action, type Step } from './action.ts'

const begin: Action = (state, setting, add) => {
  if (state.reads.length >= (setting.scenario.readsAtOnce ?? 2)) return
  for (const [process, { readsLeft }] of state.processes.entries()) {
    if (readsLeft === 0) continue
    const begun = changeProcess(state, process, { readsLeft: readsLeft - 1 })
    add(...started(begun, process, setting))
  }
}

function started(state: State, process: number, setting: Setting): Step {
  const [next, read] = newRead(state, process, { phase: 'asked', value: NOTHING }, setting)
  const { l1 } = state.processes[process]!
  const bypassed = read.bypasses ? setting.rules.bypasses : 'nothing'
  if (bypassed === 'L1 and store' || (bypassed === 'store' && l1 === NOTHING))
    return [`${name(read)} bypasses the cache`, changeRead(next, read, { phase: 'uncached' })]
  if (l1 !== NOTHING)
    return [`${name(read)} gets ${versionName(l1)} from L1`, answered(next, read, l1, setting)]
  if (!setting.scenario.processes[process]!.l1) return lookUp(next, read, setting)
  return [`${name(read)} finds nothing in L1`, next]
}

const lookUpValue: Action = (state, setting, add) => {
  for (const read of state.reads) if (read.phase === 'asked') add(...lookUp(state, read, setting))
}

function lookUp(state: State, read: Read, setting: Setting): Step {
  const { isDown, value } = state
  if (isDown) return [`${name(read)} gets no answer`, changeRead(state, read, { phase: 'uncached' })]
  if (value === NOTHING) {
    return [`${name(read)} misses`, changeRead(state, read, { phase: 'missed', hasEpoch: true })]
  }
  return [`${name(read)} gets ${versionName(value)} from the store`, got(state, read, value, setting)]
}

const acquireLease: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'missed') continue
    if (state.isDown || state.fences !== 0 || state.lease !== NOTHING)
      add(`${name(read)} gets no lease`, changeRead(state, read, { phase: 'uncached' }))
    else
      add(`${name(read)} gets the lease`, { ...changeRead(state, read, { phase: 'leased' }), lease: read.id })
  }
}

const load: Action = (state, { scenario }, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'leased') continue
    const value = loadable(state, scenario)
    add(`${name(read)} loads ${versionName(value)}`, changeRead(state, read, { phase: 'loaded', value }))
  }
}

/** FILL: only under its lease. A value that carries another epoch does not count, and is as good as none. */
const fill: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'loaded') continue
    const { hasEpoch, id, value } = read
    if (state.isDown || state.lease !== id) {
      add(
        `${name(read)} may not fill, and returns ${versionName(value)}`,
        answered(state, read, value, setting),
      )
      continue
    }
    const counts = hasEpoch || !setting.rules.fillNamesEpoch
    const filled = { ...state, lease: NOTHING, value: counts ? value : state.value }
    const sentence = counts ? `fills ${versionName(value)}` : 'fills what does not count'
    add(`${name(read)} ${sentence}`, got(filled, read, value, setting))
  }
}

const readUncached: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'uncached') continue
    const value = loadable(state, setting.scenario)
    const sentence = `${name(read)} reads ${versionName(value)} from the database`
    add(sentence, answered(state, read, value, setting))
  }
}

const keepInL1: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'got') continue
    const { moved, process, value } = read
    const done = answered(state, read, value, setting)
    if (moved && setting.rules.l1ChecksClock)
      add(`${name(read)} returns ${versionName(value)}, not into L1`, done)
    else add(`${name(read)} puts ${versionName(value)} into L1`, changeProcess(done, process, { l1: value }))
  }
}

/** Where there is L1, the reply takes a while to get there. */
function got(state: State, read: Read, value: Version, setting: Setting): State {
  if (!setting.scenario.processes[read.process]!.l1) return answered(state, read, value, setting)
  return changeRead(
    state,
    state.reads.find(({ id }) => id === read.id)!,
    { phase: 'got', value },
  )
}

function answered(state: State, read: Read, value: Version, { scenario }: Setting): State {
  const reads = state.reads.filter(({ id }) => id !== read.id)
  return { ...state, reads, broken: brokenBy(read, value, scenario) }
}

const name = ({ id, process }: Read): string => `${processName(process)}: read ${id}`

export const readActions: readonly Action[] = [
  begin,
  lookUpValue,
  acquireLease,
  load,
  fill,
  readUncached,
  keepInL1,
]
