import { NOTHING, type Breach, type State, type Writer } from './model.ts'
import type { Setting } from './scenario.ts'
import { isPromised } from '../values.ts'

/** The promise that a state breaks, by its last step or by what it leaves behind, or null. */
export function brokenIn(state: State, { scenario }: Setting): Breach | null {
  if (state.broken) return state.broken
  if (!isPromised(scenario, 'stale until TTL') || !isQuiet(state)) return null
  const isStale = state.rows.some(({ value }) => value !== NOTHING && value !== state.database)
  return isStale ? 'stale until TTL' : null
}

/** Nothing is on the way any more, and no fence is left: what counts now stays until its TTL. */
function isQuiet({ reads, writers, rows, registers }: State): boolean {
  return (
    reads.length === 0 &&
    writers.every(isFinished) &&
    rows.every(({ fences }) => fences === 0) &&
    registers.every(({ fences }) => fences === 0)
  )
}

const isFinished = ({ phase }: Writer): boolean =>
  phase === 'idle' || phase === 'begun' || phase === 'released' || phase === 'dead'
