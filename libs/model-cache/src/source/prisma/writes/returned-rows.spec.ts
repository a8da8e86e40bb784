import type { Args } from '../internals.js'
import { follow } from '../follow.js'
import { hideFields, withFields } from './returned-rows.js'

const all = ['id', 'name', 'secret']
const added = (args: Args, fields: readonly string[], omitted?: Args) =>
  withFields(args, fields, all, omitted)

describe('withFields', () => {
  it.each([
    [{}],
    [{ omit: { name: true } }],
    [{ include: { posts: true } }],
    [{ select: { id: true, name: true } }],
    [{ omit: undefined, select: undefined }],
  ])('leaves a query as it is that returns the fields: %j', (args) => {
    const found = added(args, ['id'])
    expect(found).toEqual({ args, added: [] })
  })

  it('selects fields in addition', () => {
    const args = { data: {}, select: { name: true, id: false, posts: { take: 1 } } }
    expect(added(args, ['id', 'name'])).toEqual({
      args: { data: {}, select: { name: true, id: true, posts: { take: 1 } } },
      added: ['id'],
    })
  })

  it('returns fields that the query omits, or the client', () => {
    expect(added({ omit: { id: true, name: true } }, ['id'])).toEqual({
      args: { omit: { id: false, name: true } },
      added: ['id'],
    })
    expect(added({ data: {} }, ['secret', 'id'], { secret: true })).toEqual({
      args: { data: {}, omit: { secret: false } },
      added: ['secret'],
    })
    expect(added({ omit: { secret: false } }, ['secret'], { secret: true }).added).toEqual([])
  })

  it('leaves a query as it is that returns nothing, as Prisma refuses it', () => {
    const everything = { id: true, name: true, secret: true }
    for (const args of [{ select: {} }, { select: { id: false } }, { omit: everything }]) {
      expect(added(args, ['id'])).toEqual({ args, added: [] })
    }
    expect(added({}, ['id'], everything).added).toEqual([])
    expect(added({ include: { posts: false } }, ['id'], everything).added).toEqual([])
    const include = { posts: true, notes: false }
    expect(added({ include }, ['id'], everything)).toEqual({
      args: { include, omit: { id: false } },
      added: ['id'],
    })
  })
})

it('hides fields without removing them', () => {
  const row = { id: 1, name: 'a' }
  hideFields(row, ['id'])
  expect([Object.keys(row), row.id]).toEqual([['name'], 1])
})

it('follows the relations of a fluent call', () => {
  const row = { bids: { bidder: { name: 'a' } }, none: null, select: 'wrong' }
  expect(follow(row, [])).toBe(row)
  expect(follow(row, ['select', 'bids'])).toBe(row.bids)
  expect(follow(row, ['select', 'bids', 'select', 'bidder'])).toBe(row.bids.bidder)
  expect(follow(row, ['select', 'none', 'select', 'bidder'])).toBeNull()
  expect(follow(null, ['select', 'bids'])).toBeNull()
})
