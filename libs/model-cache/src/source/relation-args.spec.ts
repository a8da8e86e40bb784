import { AnyNull, DbNull, JsonNull } from '@prisma/client/runtime/client'
import { relationArgsIn } from './relation-args.js'

describe('relationArgsIn', () => {
  it('returns the arguments of relations at any depth, with their paths, in alphabetical order', () => {
    const bids = { where: { amount: 1 }, include: { bidder: { orderBy: [{ id: 'asc' }, { at: 'desc' }] } } }
    expect(relationArgsIn({ include: { items: { take: 3 }, bids } })).toEqual([
      'bids {"where":{"amount":1}}',
      'bids.bidder {"orderBy":[{"id":"asc"},{"at":"desc"}]}',
      'items {"take":3}',
    ])
  })

  it('leaves out relations without arguments, and what they select', () => {
    expect(relationArgsIn({ select: { id: true, bids: { select: { id: true }, omit: {} } } })).toEqual([])
    expect(relationArgsIn({ include: { bids: true, items: null, users: undefined, lots: false } })).toEqual(
      [],
    )
  })

  it('is the same for arguments in another order', () => {
    const of = (where: object) => relationArgsIn({ include: { bids: { where } } })
    expect(of({ a: 1, b: { c: null, d: 2 } })).toEqual(of({ b: { d: 2, c: null }, a: 1 }))
    expect(of({ in: [1, 2] })).not.toEqual(of({ in: [2, 1] }))
  })

  it('tells values apart that JSON does not know', () => {
    const of = (value: unknown) => relationArgsIn({ include: { bids: { where: { value } } } })[0]
    const values = [1, 1n, '1', null, [1], { 0: 1 }, new Date(0), new Date(1), new Uint8Array([1])]
    const nulls = [DbNull, JsonNull, AnyNull, {}]
    expect(new Set([...values, ...nulls].map(of)).size).toBe(values.length + nulls.length)
  })
})
