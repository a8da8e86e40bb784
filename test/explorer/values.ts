/** What the states of all models consist of: plain values, which steps copy and never change. */

/** A set of small numbers as bits. */
export type Bits = number

/** No value, no lease. */
export const NOTHING = -1

export const bit = (index: number): Bits => 1 << index

/** Whether `set` has all of `subset`. */
export const hasAll = (set: Bits, subset: Bits): boolean => (subset & ~set) === 0

/** A copy of the list with one item changed. */
export function patched<T>(list: readonly T[], index: number, change: Partial<T>): readonly T[] {
  return list.with(index, { ...list[index]!, ...change })
}

interface Faulty<Fault extends string> {
  /** How often each fault may still happen. */
  readonly faults: Readonly<Record<Fault, number>>
}

/** The state after one of the faults that may happen has been used up. */
export const spend = <Fault extends string, State extends Faulty<Fault>>(
  state: State,
  fault: Fault,
): State => ({
  ...state,
  faults: { ...state.faults, [fault]: state.faults[fault] - 1 },
})
