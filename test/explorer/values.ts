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

/** Changes the item at a place of a list of the state. */
export const changing =
  <State, Item>(list: keyof State) =>
  (state: State, place: number, change: Partial<Item>): State => ({
    ...state,
    [list]: patched(state[list] as readonly Item[], place, change),
  })

/** Changes the item with the id of another one, of a list of the state. */
export const changingById =
  <State, Item extends { readonly id: number }>(list: keyof State) =>
  (state: State, { id }: Item, change: Partial<Item>): State => {
    const items = state[list] as readonly Item[]
    const place = items.findIndex((item) => item.id === id)
    return { ...state, [list]: patched(items, place, change) }
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

/** Gives each name a number from 0 on, in the order in which they come: keys of states have numbers in place of names. */
export function numbering<Name extends string>(): (name: Name) => number {
  const numbers = new Map<Name, number>()
  return (name) => {
    const known = numbers.get(name)
    if (known !== undefined) return known
    numbers.set(name, numbers.size)
    return numbers.size - 1
  }
}

/** Up to three conditions as one number. */
export const flags = (first: boolean, second = false, third = false): number =>
  (first ? 1 : 0) | (second ? 2 : 0) | (third ? 4 : 0)

/** Whether a scenario promises that nothing breaks it in this way: in any, unless it names some. */
export const isPromised = <Breach>(
  { promises }: { readonly promises?: readonly Breach[] },
  breach: Breach,
): boolean => promises?.includes(breach) ?? true
