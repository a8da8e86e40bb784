import { bit, changeMarker, changeRegister, NOTHING, spend, undecided, type State } from '../model.ts'
import type { Action } from './action.ts'

/** Fences expire when the database has decided: `fenceMs` outlasts any COMMIT. */
const expireFences: Action = (state, _setting, add) => {
  for (const [at, { phase }] of state.writers.entries()) {
    if (phase !== 'ended' && phase !== 'committed') continue
    const without = <Guard extends { readonly fences: number }>(guard: Guard): Guard =>
      (guard.fences & bit(at)) === 0 ? guard : { ...guard, fences: guard.fences & ~bit(at) }
    const registers = state.registers.map(without)
    const markers = state.markers.map(without)
    if (
      [...registers, ...markers].every((guard) =>
        [...state.registers, ...state.markers].includes(guard as never),
      )
    )
      continue
    add(`the fences of write ${at + 1} expire`, { ...state, registers, markers })
  }
}

const evict: Action = (state, { scenario }, add) => {
  const { faults } = state
  for (const [part, { fences, nonce }] of state.markers.entries()) {
    const { name } = scenario.parts[part]!
    if (nonce !== NOTHING && faults['eviction of a marker'] > 0)
      add(
        `the marker of ${name} is evicted`,
        changeMarker(spend(state, 'eviction of a marker'), part, { nonce: NOTHING, epoch: NOTHING }),
      )
    if (fences !== 0 && faults['eviction of fences'] > 0)
      add(
        `the guard of the marker of ${name} is evicted`,
        changeMarker(spend(state, 'eviction of fences'), part, { fences: 0 }),
      )
  }
  if (faults['eviction of a register'] === 0) return
  for (const register of state.registers.keys())
    add(`register ${register + 1} is evicted`, lost(spend(state, 'eviction of a register'), register))
}

const lost = (state: State, register: number): State =>
  changeRegister({ ...state, ids: state.ids + 1 }, register, { epoch: state.ids, fences: 0 })

const lose: Action = (state, _setting, add) => {
  if (state.faults['loss of the store'] === 0) return
  const spent = spend(state, 'loss of the store')
  const empty = {
    ...spent,
    result: null,
    markers: state.markers.map(() => ({ nonce: NOTHING, epoch: NOTHING, fences: 0 })),
    awaits: undecided(state),
  }
  add('the store restarts empty', [...state.registers.keys()].reduce<State>(lost, empty))
}

export const storeActions: readonly Action[] = [expireFences, evict, lose]
