import { bit, NOTHING, type Bits, type Scope, type Slot, type State } from '../model.ts'
import { ABSENT, isNegative } from '../row.ts'
import type { Rules } from '../rules.ts'
import type { Scenario, Setting } from '../scenario.ts'

/** FENCE, as the scripts of the store run it. */
export function fenced(state: State, writer: number, slots: Bits, scope: Scope, setting: Setting): State {
  const guarded = changedSlots(state, slots, ({ fences, marked }) => ({
    fences: fences | bit(writer),
    marked,
  }))
  if (scope === 'none') return guarded
  const { fences, existenceFences, marked } = guarded.register
  const { existenceIsFenced, unknownKeys } = setting.rules
  const next = {
    ...guarded,
    register: {
      marked,
      fences: scope === 'all' ? fences | bit(writer) : fences,
      existenceFences:
        scope === 'existence' && existenceIsFenced ? existenceFences | bit(writer) : existenceFences,
    },
  }
  if (scope === 'existence' && unknownKeys === 'change the epoch at RELEASE') return next
  return withNewEpoch(next, scope, setting)
}

/** RELEASE, as the scripts of the store run it. */
export function released(state: State, writer: number, slots: Bits, scope: Scope, setting: Setting): State {
  const { rules, scenario } = setting
  const guarded = changedSlots(state, slots, (slot, at) => {
    const fences = slot.fences & ~bit(writer)
    const isMarked = remembersWrites(scenario, at) && (fences === 0 || rules.releaseMarksBesideFences)
    return { fences, marked: slot.marked || isMarked }
  })
  if (scope === 'none') return guarded
  const register = withoutFences(guarded.register, writer)
  const isMarked = scenario.primes === true && scope === 'all'
  const next = { ...guarded, register: { ...register, marked: register.marked || isMarked } }
  return withNewEpoch(next, scope, setting)
}

/** Value and lease are gone, and the guard changes. */
function changedSlots(
  state: State,
  slots: Bits,
  change: (slot: Slot, at: number) => Pick<Slot, 'fences' | 'marked'>,
): State {
  return {
    ...state,
    slots: state.slots.map((slot, at) =>
      slots & bit(at) ? { value: NOTHING, lease: NOTHING, ...change(slot, at) } : slot,
    ),
  }
}

/** No value that is stored now, or that a read in flight will store, carries the changed epoch any more. */
function withNewEpoch(state: State, scope: Scope, { rules, scenario }: Setting): State {
  const isOld = (value: number, at: number): boolean =>
    value !== NOTHING && (scope === 'all' || carriesExistenceEpoch(value, at, scenario, rules))
  return {
    ...state,
    slots: state.slots.map((slot, at) => (isOld(slot.value, at) ? { ...slot, value: NOTHING } : slot)),
    reads: state.reads.map((read) => ({
      ...read,
      hasEpoch: read.hasEpoch && scope !== 'all',
      hasExistenceEpoch: false,
    })),
  }
}

/** The writer's fences expire, in the guards and in the register. */
export function expired(state: State, writer: number, { rules, scenario }: Setting): State {
  const { register } = state
  const isMarked = scenario.primes === true && (register.fences & bit(writer)) !== 0
  return {
    ...state,
    slots: state.slots.map((slot, at) => {
      if ((slot.fences & bit(writer)) === 0) return slot
      const marked = slot.marked || (rules.expiredFenceMarks && remembersWrites(scenario, at))
      return { ...slot, fences: slot.fences & ~bit(writer), marked }
    }),
    register: { ...withoutFences(register, writer), marked: register.marked || isMarked },
  }
}

const withoutFences = ({ fences, existenceFences, marked }: State['register'], writer: number) => ({
  fences: fences & ~bit(writer),
  existenceFences: existenceFences & ~bit(writer),
  marked,
})

/** Marks say something only of rows, and only where rows are primed. */
const remembersWrites = ({ primes = false, rows }: Scenario, slot: number): boolean =>
  primes && slot < rows.length

/** Whether what is stored here counts only under the existence epoch. */
export function carriesExistenceEpoch(
  value: number,
  slot: number,
  { rows }: Scenario,
  { absencesCarryEpoch, entriesCarryEpoch }: Rules,
): boolean {
  if (slot < rows.length) return value === ABSENT && absencesCarryEpoch
  return isNegative(value) ? absencesCarryEpoch : entriesCarryEpoch
}

/** Whether a value would count here, and may be stored, as far as fences of the register are concerned. */
export function isOpen(
  { register }: State,
  value: number,
  slot: number,
  { scenario, rules }: Setting,
): boolean {
  if (register.fences !== 0) return false
  return register.existenceFences === 0 || !carriesExistenceEpoch(value, slot, scenario, rules)
}

export const hasFences = ({ register, slots }: State, writer: number): boolean =>
  ((register.fences | register.existenceFences) & bit(writer)) !== 0 ||
  slots.some(({ fences }) => (fences & bit(writer)) !== 0)
