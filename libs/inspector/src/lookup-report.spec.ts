import type { BoundLookup } from 'model-cache/internal'
import { lookupDefinitionOf } from './lookup-report.js'

const definitionOf = (lookup: Partial<BoundLookup>) =>
  lookupDefinitionOf({ kind: 'list', where: {}, orderBy: [], maxRows: 1_000, ...lookup } as BoundLookup)

describe('the definition of a lookup', () => {
  it('of a list has its conditions, order and limits', () => {
    const orderBy = [
      { at: 'desc', price: 'asc' },
      { name: { sort: 'asc' } },
      { end: { sort: 'desc', nulls: 'last' } },
    ]
    expect(definitionOf({ through: 'tags', where: { open: true }, orderBy })).toEqual({
      through: 'tags',
      where: '{"open":true}',
      orderBy: ['at desc', 'price asc', 'name asc', 'end desc nulls last'],
      limit: null,
      maxRows: 1_000,
    })
    expect(definitionOf({ limit: 5 })).toEqual({
      through: null,
      where: null,
      orderBy: [],
      limit: 5,
      maxRows: null,
    })
  })

  it('of a unique key has neither order nor limits', () => {
    expect(definitionOf({ kind: 'unique', orderBy: [{ id: 'asc' }] })).toEqual({
      through: null,
      where: null,
      orderBy: [],
      limit: null,
      maxRows: null,
    })
  })
})
