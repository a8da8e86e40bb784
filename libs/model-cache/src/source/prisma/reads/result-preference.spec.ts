import type { ReadPlan } from './read-plan.js'
import { always, isComposed, ResultPreference, sampleNumberOf } from './result-preference.js'

/** Queries of one shape, and the results that are stored of them. */
class Queries {
  readonly preference: ResultPreference
  readonly #texts: number
  readonly #stored = new Set<number>()
  #sent = 0

  /** @param texts arguments that queries have, each as often as the others */
  constructor(texts: number, action = 'findMany') {
    this.#texts = texts
    this.preference = new ResultPreference(action)
  }

  /**
   * Sends some of them, and counts those that look for a result, and that find one.
   *
   * @param share of the queries whose result is stored those that find it: writes have ended the others
   */
  send(queries: number, share = 1) {
    let [looked, found, kept] = [0, 0, 0]
    for (let n = 0; n < queries; n++) {
      const text = this.#next()
      const sample = sampleNumberOf(`Item.findMany {"where":{"name":"${text}",},}`)
      if (!this.preference.prefers(sample)) continue
      looked++
      if (this.#stored.has(text)) kept++
      const isFound = this.#stored.has(text) && kept * share >= found + 1
      if (isFound) found++
      this.#stored.add(text)
      this.preference.note(sample, isFound)
    }
    return { looked, found }
  }

  /** All arguments before one comes again, in another order each time. */
  #next(): number {
    const at = this.#sent++
    return (at * 7_919 + Math.floor(at / this.#texts)) % this.#texts
  }
}

it.each([1, 7, 50_000])('goes on to look for results if they are found, of %d different queries', (texts) => {
  const queries = new Queries(texts)
  queries.send(3 * texts + 5_000)
  expect(queries.send(2_000)).toEqual({ looked: 2_000, found: 2_000 })
})

it.each([1, 7, 1_000])('hardly looks for results that writes end, of %d different queries', (texts) => {
  const queries = new Queries(texts)
  expect(queries.send(20_000, 0.1).looked).toBeLessThan(20_000 * 0.2)
  expect(queries.send(60_000, 0.1).looked).toBeLessThan(60_000 * 0.05)
})

it('does not count what the first queries store, of few different ones', () => {
  // None of 64 texts or so is a sample, or several are.
  for (let texts = 40; texts < 160; texts += 5) {
    const queries = new Queries(texts)
    queries.send(3_000)
    expect(queries.send(1_000).looked).toBe(1_000)
  }
})

it('looks for few results of queries that never come again', () => {
  const queries = new Queries(1_000_000)
  expect(queries.send(100_000).looked).toBeLessThan(5_000)
  expect(queries.send(100_000).looked).toBeLessThan(1_000)
})

it.each([1, 5_000])('finds out that results are found again, of %d different queries', (texts) => {
  const queries = new Queries(texts)
  queries.send(40_000, 0.1)
  expect(queries.send(100_000).found).toBeGreaterThan(50_000)
})

it.each([
  ['findMany', 0.7, false],
  ['findMany', 0.8, true],
  ['findUnique', 0.8, false],
  ['findUniqueOrThrow', 0.95, true],
])('decides for %s of which %d find a result: %s', (action, share, isOn) => {
  for (const texts of [3, 1_000]) {
    const queries = new Queries(texts, action)
    queries.send(60_000, share)
    expect(queries.send(1_000, share).looked > 500).toBe(isOn)
  }
})

it('always looks for results if that is preferred by hand', () => {
  for (let n = 0; n < 1_000; n++) always.note(n, false)
  expect([always.isOn, always.prefers(1)]).toEqual([true, true])
})

it('draws one of thirty-two queries as a sample, the same ones each time', () => {
  const drawn = Array.from({ length: 10_000 }, (_, n) => sampleNumberOf(`User.count {"where":{"id":${n},},}`))
  const sampled = drawn.filter((sample) => sample % 32 === 0).length
  expect(sampled).toBeGreaterThan(200)
  expect(sampled).toBeLessThan(450)
  expect(sampleNumberOf('a')).toBe(sampleNumberOf('a'))
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
