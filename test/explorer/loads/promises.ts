import { stepsInTime, stepsTooLate } from './actions/all.ts'
import type { Breach, State } from './model.ts'
import { needsOf, rowNames, type Setting } from './scenario.ts'
import { isPromised } from '../values.ts'

/** The promise that a state breaks, or null. */
export function brokenIn(state: State, setting: Setting): Breach | null {
  const breaches = state.broken === null ? stuckIn(state, setting) : [state.broken]
  return breaches.find((breach) => isPromised(setting.scenario, breach)) ?? null
}

function stuckIn(state: State, setting: Setting): readonly Breach[] {
  if (state.reads.every((left) => left === 0) || stepsInTime(state, setting).length > 0) return []
  const isHanging = state.calls.some(({ hangs }) => hangs)
  return [
    ...(isHanging ? [] : (['stuck'] as const)),
    ...(isHanging && isStuckBeside(state, setting) ? (['stuck beside a source that hangs'] as const) : []),
    ...(stepsTooLate(state, setting).length === 0 ? (['stuck for ever'] as const) : []),
  ]
}

/** Whether a read waits that needs no row of a cache whose source hangs. */
function isStuckBeside({ calls, reads }: State, { scenario }: Setting): boolean {
  const hanging = new Set(calls.filter(({ hangs }) => hangs).map(({ cache }) => cache))
  const ofHanging = rowNames(scenario).reduce(
    (bits, name, row) => (hanging.has(name[0]!) ? bits | (1 << row) : bits),
    0,
  )
  return reads.some((left) => {
    let needed = left ?? 0
    for (let before = 0; before !== needed;) {
      before = needed
      needed |= needsOf(scenario, needed)
    }
    return needed !== 0 && (needed & ofHanging) === 0
  })
}
