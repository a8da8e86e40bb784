import { advanceClock, bit, changeProcess, spend, type State, type Version } from '../model.ts'
import { processName, type Action } from './action.ts'

const deliver: Action = (state, _setting, add) => {
  for (const [process, version, inbox] of messages(state)) {
    const heard = Math.max(state.processes[process]!.heard, version)
    const received = changeProcess(advanceClock(state, process), process, { inbox, heard })
    add(`${processName(process)} receives the message of row ${version}`, received)
  }
}

const lose: Action = (state, _setting, add) => {
  if (state.faults['lost message'] === 0) return
  for (const [process, version, inbox] of messages(state)) {
    const lost = changeProcess(spend(state, 'lost message'), process, { inbox, isMissing: true })
    add(`the message of row ${version} to ${processName(process)} gets lost`, lost)
  }
}

/** Its own heartbeat reveals that it was not connected. */
const notice: Action = (state, _setting, add) => {
  for (const [process, { isMissing }] of state.processes.entries()) {
    if (!isMissing) continue
    const emptied = changeProcess(advanceClock(state, process), process, { isMissing: false })
    add(`${processName(process)} notices that messages were lost`, emptied)
  }
}

type Message = readonly [process: number, version: Version, rest: number]

function messages({ processes }: State): Message[] {
  const found: Message[] = []
  for (const [process, { inbox }] of processes.entries()) {
    for (let version = 0; inbox >> version > 0; version++) {
      if (inbox & bit(version)) found.push([process, version, inbox & ~bit(version)])
    }
  }
  return found
}

export const messageActions: readonly Action[] = [deliver, lose, notice]
