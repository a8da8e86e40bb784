import type { ReadPlan } from './read-plan.js'
import {
  type ResultAlternative,
  always,
  isComposed,
  ResultPreference,
  sampleOf,
} from './result-preference.js'

interface Asked {
  /** Arguments that queries have, each as often as the others. */
  readonly texts: number
  readonly queries: number
  /** The share of queries that find a result which is stored: writes end the others. */
  readonly share?: number
  readonly alternative?: ResultAlternative
}

/** Sends queries of one shape, and counts those that look for a result, and that find one. */
function ask(
  preference: ResultPreference,
  { alternative = 'insteadOfDatabase', queries, share = 1, texts }: Asked,
) {
  const stored = new Set<number>()
  let looked = 0
  let found = 0
  let kept = 0
  for (let n = 0; n < queries; n++) {
    // All of them before one comes again, in another order each time.
    const text = (n * 7_919 + Math.floor(n / texts)) % texts
    const sample = sampleOf(`Item.findMany {"where":{"name":"${text}",},}`)
    if (!preference.prefers(sample, alternative)) continue
    looked++
    const isStored = stored.has(text)
    if (isStored) kept++
    const isFound = isStored && kept * share >= found + 1
    if (isFound) found++
    stored.add(text)
    preference.note(sample, isFound)
  }
  return { looked, found }
}

it.each([1, 7, 50_000])('goes on to look for results if they are found, of %d different queries', (texts) => {
  const preference = new ResultPreference()
  ask(preference, { texts, queries: 4 * texts + 5_000 })
  const { looked } = ask(preference, { texts, queries: 2_000 })
  // The second run begins with nothing stored.
  expect(looked).toBeGreaterThan(texts === 50_000 ? 1_900 : 1_999)
})

it.each([
  [1, 20_000],
  [7, 20_000],
  [1_000, 20_000],
])('hardly looks for results that writes end, of %d different queries', (texts, queries) => {
  const preference = new ResultPreference()
  const { looked } = ask(preference, { texts, queries, share: 0.1 })
  expect(looked).toBeLessThan(queries * 0.2)
  const later = ask(preference, { texts, queries, share: 0.1 })
  expect(later.looked).toBeLessThan(queries * 0.05)
})

it('looks for few results of queries that never come again', () => {
  const preference = new ResultPreference()
  const queries = 100_000
  expect(ask(preference, { texts: queries, queries }).looked).toBeLessThan(queries * 0.05)
  expect(ask(preference, { texts: queries, queries }).looked).toBeLessThan(queries * 0.01)
})

it('finds out that results are found again, of queries with few arguments as of those with many', () => {
  for (const texts of [1, 5_000]) {
    const preference = new ResultPreference()
    ask(preference, { texts, queries: 40_000, share: 0.1 })
    const { found } = ask(preference, { texts, queries: 100_000 })
    expect(found).toBeGreaterThan(50_000)
  }
})

it('asks for more of them where rows would answer', () => {
  const preference = new ResultPreference()
  ask(preference, { texts: 1_000, queries: 20_000, share: 0.6 })
  expect([preference.pays('insteadOfDatabase'), preference.pays('insteadOfRows')]).toEqual([true, false])
  const { looked } = ask(preference, {
    texts: 1_000,
    queries: 5_000,
    share: 0.6,
    alternative: 'insteadOfRows',
  })
  expect(looked).toBeLessThan(1_000)
})

it('always looks for results if that is preferred by hand', () => {
  for (let n = 0; n < 1_000; n++) always.note(n, false)
  expect([always.pays('insteadOfRows'), always.prefers(1, 'insteadOfRows')]).toEqual([true, true])
})

it('draws one of thirty-two queries as a sample, the same ones each time', () => {
  const drawn = Array.from({ length: 10_000 }, (_, n) => sampleOf(`User.count {"where":{"id":${n},},}`))
  const sampled = drawn.filter((sample) => sample % 32 === 0).length
  expect(sampled).toBeGreaterThan(200)
  expect(sampled).toBeLessThan(450)
  expect(sampleOf('a')).toBe(sampleOf('a'))
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
