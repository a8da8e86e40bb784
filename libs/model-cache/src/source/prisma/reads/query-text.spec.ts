import type { ShapedArgs } from './query-shape.js'
import { queryText, sourceOf } from './query-text.js'

describe('the text of a query', () => {
  it.each<[ShapedArgs, string]>([
    [{}, 'findMany({})'],
    [{ where: {} }, 'findMany({ where: {} })'],
    [{ where: { id: '?', name: 'a' } }, "findMany({ where: { id: ?, name: 'a' } })"],
    [{ where: { id: { in: ['?'] } }, take: 5 }, 'findMany({ where: { id: { in: [?] } }, take: 5 })'],
    [{ where: { at: null, '?': '?' } }, 'findMany({ where: { at: null, … } })'],
    [
      { select: { id: true }, distinct: ['id', 'at'] },
      "findMany({ select: { id: true }, distinct: ['id', 'at'] })",
    ],
  ])('of %j has ? for values', (args, text) => {
    expect(queryText('findMany', args)).toBe(text)
  })
})

describe('a value as source', () => {
  it.each<[unknown, string]>([
    ['a', "'a'"],
    [1, '1'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a', 1], "['a', 1]"],
    [{ by: ['a'], orderBy: { at: 'asc' } }, "{ by: ['a'], orderBy: { at: 'asc' } }"],
  ])('%j is %s', (value, source) => {
    expect(sourceOf(value)).toBe(source)
  })
})
