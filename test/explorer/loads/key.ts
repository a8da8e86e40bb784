import type { State } from './model.ts'

/** What distinguishes states. Ids do not: what counts is which of them are the same. */
export function keyOf(state: State): string {
  const { broken, calls, faults, givenUp, groups, joined, loads, reads, stored, tick } = state
  const callNames = new Map(calls.map(({ id }, i) => [id, i]))
  const loadNames = new Map(loads.map(({ id }, i) => [id, i]))
  const called = (id: number): number => callNames.get(id) ?? (givenUp.includes(id) ? -2 : -1)
  const all = (ids: readonly number[]): number[] => ids.map(called)
  return JSON.stringify([
    tick.map(({ callers, outside, row }) => [row, all(callers), outside]),
    stored,
    loads.map(({ call, callers, isListed, outside, row }) => [
      row,
      all(callers),
      outside,
      called(call),
      isListed,
    ]),
    joined.map(({ call, callers, outside, row }) => [row, all(callers), outside, called(call)]),
    groups.map(({ around, call, caller, items }) => [
      called(caller),
      around,
      items.map((id) => loadNames.get(id) ?? -1),
      called(call),
    ]),
    calls.map(({ awaited, cache, got, hangs, hasPermit, parent, requested, rows }) => [
      cache,
      rows,
      called(parent),
      hasPermit,
      all(awaited).toSorted(),
      requested,
      got,
      hangs,
    ]),
    reads,
    faults,
    broken,
  ])
}
