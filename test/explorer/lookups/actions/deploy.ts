import { bit, changeProcess, changeWriter, isDecided, type Bits, type State, type Writer } from '../model.ts'
import type { Rules } from '../rules.ts'
import { processName, writerName, type Action } from './action.ts'
import { fenced } from './guards.ts'

/** A process with lookups comes, describes them in the catalogue, and waits for writers that may not know them. */
const deploy: Action = (state, { rules, scenario }, add) => {
  if (!scenario.isDeployed) return
  const at = state.processes.length - 1
  const label = processName(at)
  const { state: now, awaits } = state.processes[at]!
  if (now === 'absent' && rules.describes === 'before it joins') {
    const joined = changeProcess(state, at, { state: 'joined', awaits: writersWithin(state, rules) })
    add(`${label} describes its lookups, and joins`, { ...joined, isDescribed: true })
  } else if (now === 'absent')
    add(`${label} joins, and stores entries`, changeProcess(state, at, { state: 'serving' }))
  else if (!state.isDescribed) add(`${label} describes its lookups`, { ...state, isDescribed: true })
  else if (now === 'joined' && (awaits & writersWithin(state, rules)) === 0) {
    add(`${label} has waited, and stores entries`, changeProcess(state, at, { state: 'serving', awaits: 0 }))
  }
}

/** The writers that may not know of what is described now, and that are still at work: fenceMs outlasts them. */
const writersWithin = ({ writers }: State, rules: Rules): Bits =>
  writers.reduce((bits, writer, at) => (mayBeIgnorant(writer, rules) ? bits | bit(at) : bits), 0)

function mayBeIgnorant(writer: Writer, { writersAsk }: Rules): boolean {
  const isTimed = writersAsk === 'beside FENCE' ? writer.hasAsked : writer.phase !== 'idle'
  return isTimed && !isDecided(writer)
}

/** Side by side with FENCE, in either order. A writer that learns of lookups fences the whole model. */
const ask: Action = (state, setting, add) => {
  const { rules, scenario } = setting
  if (!scenario.isDeployed) return
  for (const [at, { phase, hasAsked }] of state.writers.entries()) {
    const mayAsk =
      phase === 'idle' || phase === 'read' || (phase === 'fenced' && rules.writersAsk === 'beside FENCE')
    if (hasAsked || !mayAsk) continue
    const label = writerName(at, scenario)
    const asked = changeWriter(state, at, { hasAsked: true })
    if (!state.isDescribed) add(`${label} asks, and learns nothing`, asked)
    else {
      const closed = changeWriter(fenced(asked, at, 0, 'all', setting), at, { scope: 'all' })
      add(`${label} asks, learns of lookups, and fences the model`, closed)
    }
  }
}

export const deployActions: readonly Action[] = [deploy, ask]
