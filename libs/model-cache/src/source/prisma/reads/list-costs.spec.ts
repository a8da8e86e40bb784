import { CostlyKeys, CostsByShape, ListCosts } from './list-costs.js'
import { costsOfPart } from './plan-selection.js'
import type { ReadArguments } from './read-arguments.js'
import type { ReadableList } from './readable-list.js'

/** What is said of so many queries for the lists of some keys. */
const said = (costs: ListCosts, keys: readonly string[], queries: number): readonly boolean[] =>
  Array.from({ length: queries }, () => costs.areHigh(keys))

describe('the lists of a query', () => {
  it('cost little while they have few rows beside those of the result', () => {
    const [counts, pages] = [new ListCosts(true, false), new ListCosts(false, false)]
    counts.note(['a'], 32, 32)
    pages.note(['a'], 32 + 2 * 20, 20)
    expect([counts.areHigh(['a']), pages.areHigh(['a'])]).toEqual([false, false])
    counts.note(['a'], 33, 33)
    pages.note(['a'], 33 + 2 * 20, 20)
    expect([counts.areHigh(['a']), pages.areHigh(['a'])]).toEqual([true, true])
    expect([counts.areHigh(['b']), pages.areHigh(['b'])]).toEqual([false, false])
  })

  it('cost less if this process has their rows in memory', () => {
    const costs = new CostsByShape(true).of('count', true)
    costs.note(['a'], 250, 250)
    expect(costs.areHigh(['a'])).toBe(false)
    costs.note(['a'], 251, 251)
    expect(costs.areHigh(['a'])).toBe(true)
  })

  it('are asked for again after as many queries as they had rows, and forgotten if they are short', () => {
    const costs = new ListCosts(true, false)
    costs.note(['a'], 40, 40)
    expect(said(costs, ['a'], 41)).toEqual([...Array<boolean>(40).fill(true), false])
    costs.note(['a'], 40, 40)
    costs.note(['a'], 5, 5)
    expect(costs.areHigh(['a'])).toBe(false)
  })

  it('are taken for long where most have been, also those of other keys and of several', () => {
    const costs = new ListCosts(true, false)
    for (let i = 0; i < 20; i++) costs.note([`key ${i}`], 100, 100)
    expect(said(costs, ['other', 'another'], 101)).toEqual([...Array<boolean>(100).fill(true), false])
    for (let i = 0; i < 20; i++) costs.note(['short'], 1, 1)
    expect(costs.areHigh(['other'])).toBe(false)
  })

  it('are remembered for a bounded number of keys', () => {
    const keys = new CostlyKeys()
    for (let i = 0; i <= 1_000; i++) keys.add(i, 5)
    expect([0, 1, 1_000].map((key) => keys.passes(key))).toEqual([false, true, true])
  })
})

it('keeps the costs of each shape', () => {
  const shapes = new CostsByShape(false)
  const counts = shapes.of('count', true)
  expect(shapes.of('count', true)).toBe(counts)
  expect(shapes.of('page', false)).not.toBe(counts)
  for (let i = 0; i < 100; i++) shapes.of(`shape ${i}`, false)
  expect(shapes.of('count', true)).not.toBe(counts)
})

it('keeps the costs of pages together, of which there may be any number', () => {
  const list = { costs: new CostsByShape(false), lookup: {} } as unknown as ReadableList
  const costsOf = (args: ReadArguments) => costsOfPart(list, { action: 'findMany', args, others: [] }, '20')
  const first = costsOf({})
  const pages = Array.from({ length: 200 }, (_, page) => costsOf({ skip: page * 20 }))
  expect(new Set(pages).size).toBe(8)
  expect(pages[0]).toBe(first)
  expect(pages[1]).not.toBe(first)
  expect(costsOf({})).toBe(first)
})
