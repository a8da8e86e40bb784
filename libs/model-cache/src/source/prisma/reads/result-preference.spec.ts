import type { ReadPlan } from './read-plan.js'
import { always, isComposed, ResultPreference } from './result-preference.js'

/** Asks for a number of results, a share of which is found, and returns how many were asked for. */
function ask(preference: ResultPreference, queries: number, share: number): number {
  let asked = 0
  let found = 0
  for (let n = 0; n < queries; n++) {
    if (!preference.prefers()) continue
    asked++
    const isFound = found < asked * share
    if (isFound) found++
    preference.note(isFound)
  }
  return asked
}

it.each([1, 0.75])('goes on to ask for results if %d of the queries find one', (share) => {
  expect(ask(new ResultPreference(), 10_000, share)).toBe(10_000)
})

it('asks for rows if fewer do, and tries results again later', () => {
  const preference = new ResultPreference()
  expect(ask(preference, 256, 0.7)).toBe(256)
  expect(ask(preference, 2_048, 0.7)).toBe(0)
  expect(ask(preference, 256, 0.7)).toBe(256)
  expect(ask(preference, 2_048, 0.7)).toBe(0)
  expect(ask(preference, 5_000, 1)).toBe(5_000)
})

it('tries results less and less often where hardly any are found', () => {
  const preference = new ResultPreference()
  const asked = ask(preference, 1_000_000, 0.1)
  expect(asked).toBeGreaterThan(1_000)
  expect(asked).toBeLessThan(10_000)
  // And no less often than that.
  expect(ask(preference, 2 * 65_536, 0.1)).toBeGreaterThan(0)
})

it('tries them as often as at first once they were found', () => {
  const preference = new ResultPreference()
  ask(preference, 10_000, 0.1)
  while (!preference.prefers()) continue
  for (let n = 0; n < 256; n++) preference.note(true)
  expect(ask(preference, 256, 0)).toBe(256)
  expect(ask(preference, 2_048, 0)).toBe(0)
  expect(ask(preference, 1, 0)).toBe(1)
})

it('always asks for results if that is preferred by hand', () => {
  for (let n = 0; n < 1_000; n++) always.note(false)
  expect(always.prefers()).toBe(true)
})

describe('isComposed', () => {
  const id = {}
  const plan = (of: object): ReadPlan =>
    ({ readable: { id, cache: { holdsRows: false } }, key: id, selection: {}, related: [], ...of }) as never
  const held = { readable: { id, cache: { holdsRows: true } } }

  it.each([
    ['one row', plan({ ids: [1] }), false],
    ['some rows by their ids', plan({ ids: [1, 2] }), false],
    ['a row by another key', plan({ ids: ['a'], key: {} }), true],
    ['a row and those of its relations', plan({ ids: [1], related: [plan({ list: {} })] }), true],
    ['a list', plan({ list: {} }), true],
    ['a list of rows in memory', plan({ list: {}, ...held }), false],
    ['rows in memory with others', plan({ list: {}, ...held, related: [plan({ list: {} })] }), true],
    ['all of them in memory', plan({ list: {}, ...held, related: [plan({ list: {}, ...held })] }), false],
  ])('of %s', (_, read, expected) => {
    expect(isComposed(read)).toBe(expected)
  })
})
