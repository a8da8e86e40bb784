import { NOTHING, bit, changePod, isDecided, spend, type State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { podName, type Action } from './action.ts'

/** A pod comes, and announces its fingerprint. If that is new, it joins first. */
const announce: Action = (state, { scenario, rules }, add) => {
  for (const [pod, { state: podState }] of state.pods.entries()) {
    if (podState !== 'absent' || state.pods[pod]!.readsLeft === 0) continue
    const fingerprint = bit(scenario.pods[pod]!.fingerprint)
    const isNew = (state.live & fingerprint) === 0
    const announced = changePod({ ...state, live: state.live | fingerprint }, pod, {
      state: isNew && rules.joinWindow ? 'joining' : 'live',
      awaits: isNew ? writersWithin(state) : 0,
    })
    add(`${podName(pod)} announces fingerprint ${scenario.pods[pod]!.fingerprint + 1}`, announced)
  }
}

/** The join window is longer than fenceMs: a writer that did not know the fingerprint has committed, or never will. */
const join: Action = (state, _setting, add) => {
  for (const [pod, { state: podState, awaits }] of state.pods.entries()) {
    if (podState !== 'joining' || (awaits & writersWithin(state)) !== 0) continue
    add(`the join window of ${podName(pod)} is over`, changePod(state, pod, { state: 'live', awaits: 0 }))
  }
}

const stop: Action = (state, { scenario }, add) => {
  if (state.faults.stop === 0) return
  for (const [pod, { state: podState }] of state.pods.entries()) {
    const writes = scenario.writers.some((on, i) => on === pod && state.writers[i]!.phase !== 'released')
    if (podState === 'absent' || writes) continue
    const reads = state.reads.filter((read) => read.pod !== pod)
    const stopped = changePod({ ...spend(state, 'stop'), reads }, pod, {
      state: 'absent',
      knows: 0,
      awaits: 0,
    })
    add(`${podName(pod)} stops`, stopped)
  }
}

/** A fingerprint is retired when nothing of it can be alive. */
const retire: Action = (state, setting, add) => {
  for (const [fingerprint, { value }] of state.rows.entries()) {
    const announced = (state.live & bit(fingerprint)) !== 0
    if (!announced || hasPod(state, fingerprint, setting)) continue
    if (setting.rules.retiringAwaitsValues && value !== NOTHING) continue
    add(`fingerprint ${fingerprint + 1} is retired`, { ...state, live: state.live & ~bit(fingerprint) })
  }
}

const hasPod = ({ pods }: State, fingerprint: number, { scenario }: Setting): boolean =>
  pods.some(({ state }, pod) => state !== 'absent' && scenario.pods[pod]!.fingerprint === fingerprint)

/** The writers that know which fingerprints are live, and whose transactions the database has not decided. */
const writersWithin = ({ writers }: State): number =>
  writers.reduce((bits, writer, i) => {
    const within = writer.phase !== 'open' && !isDecided(writer)
    return within ? bits | bit(i) : bits
  }, 0)

export const deployActions: readonly Action[] = [announce, join, stop, retire]
