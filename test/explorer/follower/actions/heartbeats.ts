import { advanceClock, bit, changeProcess, isPublished, NOTHING, spend } from '../model.ts'
import type { Follower, Process, State, Version } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { followerName, loadable, processName, type Action } from './action.ts'

/** A healthy follower sends heartbeats all the time. One that says nothing new is no step. */
const beat: Action = (state, { rules, scenario }, add) => {
  for (const [at, follower] of state.followers.entries()) {
    const isLate = follower.phase === 'zombie' && !rules.heartbeatNeedsStream
    if (!isLate && !beats(follower, rules)) continue
    for (const [process, { beats: sent, hears, lateBeats }] of state.processes.entries()) {
      const isKnown = rules.heartbeatsExpire && hears === at
      const isOnItsWay = sent[at] !== NOTHING || (lateBeats & bit(at)) !== 0
      if (!scenario.processes[process]!.isStrict || isKnown || isOnItsWay) continue
      const next = isLate ? { lateBeats: lateBeats | bit(at) } : { beats: sent.with(at, follower.closes) }
      add(
        `${followerName(at)} sends a heartbeat to ${processName(process)}`,
        changeProcess(state, process, next),
      )
    }
  }
}

const beats = ({ gap, phase, publication }: Follower, { healthy }: Setting['rules']): boolean =>
  (phase === 'streaming' || phase === 'deaf') &&
  isPublished(publication) &&
  (gap === 'closed' || healthy === 'when it streams')

const hear: Action = (state, setting, add) => {
  for (const [process, { beats: sent, lateBeats }] of state.processes.entries()) {
    for (const [at, closes] of sent.entries()) {
      const sentence = `${processName(process)} hears ${followerName(at)}`
      if (closes !== NOTHING) {
        // From then on it is promised what the gap was closed with, whatever it has read meanwhile.
        const closed = Math.min(closes, state.database.visible)
        add(sentence, heard(state, process, at, { beats: sent.with(at, NOTHING), closed }, setting))
      }
      if (lateBeats & bit(at))
        add(sentence, heard(state, process, at, { lateBeats: lateBeats & ~bit(at) }, setting))
    }
  }
}

function heard(state: State, process: number, at: number, change: Partial<Process>, setting: Setting): State {
  if (!setting.scenario.processes[process]!.l1) return changeProcess(state, process, { ...change, hears: at })
  const isOther = state.processes[process]!.trusted !== at && setting.rules.heartbeatEmptiesL1
  const next = isOther ? advanceClock(state, process) : state
  return changeProcess(next, process, { ...change, hears: at, trusted: at })
}

/** No heartbeat has come for a while: the follower is gone, or its heartbeats are late. */
const miss: Action = (state, { rules, scenario }, add) => {
  for (const [process, { beats: sent, closed, hears, lateBeats }] of state.processes.entries()) {
    if (!scenario.processes[process]!.isStrict || hears === NOTHING) continue
    const isGap = !beats(state.followers[hears]!, rules)
    if (!isGap && state.faults['late heartbeats'] === 0) continue
    const overdue = sent.reduce((bits, beat, at) => (beat === NOTHING ? bits : bits | bit(at)), 0)
    const read: Version = isGap ? loadable(state, scenario) : 0
    const change = {
      hears: NOTHING,
      beats: sent.map(() => NOTHING),
      lateBeats: rules.heartbeatsExpire ? lateBeats : lateBeats | overdue,
      closed: Math.max(closed, read),
    }
    add(
      `${processName(process)} misses the heartbeats`,
      changeProcess(isGap ? state : spend(state, 'late heartbeats'), process, change),
    )
  }
}

export const heartbeatActions: readonly Action[] = [beat, hear, miss]
