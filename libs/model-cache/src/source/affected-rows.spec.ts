import { AffectedRows } from './affected-rows.js'
import type { WatchedLookup, WriteCoordinator, WriteUnit, WrittenRow } from './write-coordinator.js'

const caches: Record<string, string[][]> = {
  User: [['id']],
  Seat: [['id'], ['row', 'number']],
  Shop: [['id'], []],
  Tag: [[]],
}
const lookups: Record<string, WatchedLookup[]> = {
  User: [
    { key: ['email'], fields: ['email'], through: undefined },
    { key: ['org', 'team'], fields: ['org', 'team', 'joinedAt'], through: undefined },
    { key: ['groupId'], fields: ['name'], through: 'groups' },
    { key: ['clubId'], fields: undefined, through: 'clubs' },
  ],
  Seat: [{ key: ['hallId'], fields: undefined, through: 'halls' }],
  Shop: [{ key: undefined, fields: undefined, through: undefined }],
}
const coordinator = {
  idFieldsOf: (model: string) => caches[model] ?? [],
  lookupsOf: (model: string) => lookups[model] ?? [],
} as Partial<WriteCoordinator> as WriteCoordinator

/** What is announced after something was added. */
function announced(add: (affected: AffectedRows) => void): unknown[] {
  const found: unknown[] = []
  const affected = new AffectedRows(coordinator, 2)
  add(affected)
  affected.markIn({
    markWritten: (model, rows) => found.push([model, ...rows]),
    markAllWritten: (model, reason) => found.push(`${model}: ${reason}`),
    markCreated: (model, reason) => found.push(`${model} created: ${reason}`),
    markJoined: (model, rows, changed) =>
      found.push([`${model} entered`, rows, changed ? [...changed] : 'new']),
    markJoinedThrough: (model, relation, rows) => found.push([`${model}.${relation}`, ...rows]),
  } as Partial<WriteUnit> as WriteUnit)
  if (found.length > 0) expect(affected.isEmpty).toBe(false)
  return found
}
it('takes more rows than the stack has room for as arguments of one call', () => {
  const many = Array.from({ length: 150_000 }, (_, id) => ({ id, email: 'a', org: 1, team: 1 }))
  const affected = new AffectedRows(coordinator, many.length)
  for (const rows of [[{ id: -1 }], many]) {
    affected.addRows('User', rows, 'unknown')
    affected.addJoined('User', rows)
    affected.addJoinedThrough('User', 'groups', rows)
  }
  const counts: number[] = []
  affected.markIn({
    markWritten: (_, rows) => void counts.push(rows.length),
    markJoined: (_, rows) => void counts.push(rows.length),
    markJoinedThrough: (_, __, rows) => void counts.push(rows.length),
  } as Partial<WriteUnit> as WriteUnit)
  expect(counts).toEqual([150_001, 150_001, 150_001])
})

const seat = { id: 1, row: 2, number: 3 }

describe('written rows', () => {
  it('are announced by the ids of all caches', () => {
    expect(announced((all) => all.addRows('Seat', [{ ...seat, colour: 'red' }], 'unknown'))).toEqual([
      ['Seat', seat],
    ])
    expect(announced((all) => all.addRows('Seat', [{ ...seat, row: null }], 'unknown'))).toEqual([
      ['Seat', { id: 1 }],
    ])
  })

  it('are announced once if a write names a row twice in succession', () => {
    const twice = announced((all) => {
      all.addRows('User', [{ id: 1 }], 'unknown')
      all.addRows('User', [{ id: 1 }], 'unknown')
      all.addRows('User', [{ id: 2 }], 'unknown')
    })
    expect(twice).toEqual([['User', { id: 1 }, { id: 2 }]])
  })

  it('are all rows of the model if one lacks an id, or there are more than the limit', () => {
    const rows = (...given: readonly WrittenRow[]) =>
      announced((all) => all.addRows('Seat', given, 'cascade'))
    expect(rows(seat, { ...seat, id: 2 })).toHaveLength(1)
    expect(rows(seat, seat, seat)).toEqual(['Seat: unbounded'])
    for (const part of [{ id: 1 }, { row: 2, number: 3 }, { id: 1, row: 2 }]) {
      expect(rows(part)).toEqual(['Seat: cascade'])
      expect(rows(seat, part)).toEqual(['Seat: cascade'])
    }
  })

  it('are none without a cache, without rows, and without an id', () => {
    const nothing = new AffectedRows(coordinator, 2)
    nothing.addRows('Other', [{ id: 1 }], 'unknown')
    nothing.addRows('User', [], 'unknown')
    nothing.addCreated('User', [], 'unknown')
    nothing.addCreated('Other', [{}], 'unknown')
    nothing.addCreated('Other', [{}, {}, {}], 'unknown')
    nothing.addModel('Other', 'unknown')
    nothing.addDependents('User')
    nothing.addJoined('Other', [{}])
    nothing.addJoinedThrough('User', 'groups', [])
    nothing.addJoinedThrough('User', 'others', [{}])
    nothing.addRows('User', [{ id: null }], 'unknown')
    expect(nothing.isEmpty).toBe(true)
  })

  it('are announced to caches that depend on the model, whichever they are', () => {
    expect(announced((all) => all.addDependents('Shop'))).toEqual([['Shop', {}]])
    expect(announced((all) => all.addRows('Tag', [{ id: 1 }], 'unknown'))).toEqual([['Tag', {}]])
  })

  it('are not announced beside all rows of their model', () => {
    const all = announced((all) => {
      all.addModel('User', 'cascade')
      all.addModel('User', 'cascade')
      all.addRows('User', [{ id: 1 }], 'unknown')
      all.addCreated('User', [{}], 'unknown')
      all.addJoined('User', [{ email: 'a' }])
      all.addJoinedThrough('User', 'groups', [{ groupId: 1 }])
    })
    expect(all).toEqual(['User: cascade'])
  })
})

describe('created rows', () => {
  const created = (...rows: readonly WrittenRow[]) =>
    announced((all) => all.addCreated('Seat', rows, 'cascade'))

  it('are announced by their ids, or as unknown new rows', () => {
    expect(created(seat, { ...seat, id: 2 })).toEqual([['Seat', seat, { ...seat, id: 2 }]])
    expect(created(seat, { id: 1 })).toEqual(['Seat created: cascade'])
    expect(created({ row: 1, number: 2 })).toEqual(['Seat created: cascade'])
    expect(created(seat, seat, seat)).toEqual(['Seat created: unbounded'])
  })

  it('with given ids may be named by entries through relations already', () => {
    const given = (...rows: readonly WrittenRow[]) => announced((all) => all.addGivenIds('User', rows))
    expect(given({ name: 'a' }, { id: 1 })).toEqual([
      ['User.groups', {}],
      ['User.clubs', {}],
    ])
    expect(given({ name: 'a' })).toEqual([])
    expect(announced((all) => all.addGivenIds('Seat', [{ row: 1 }]))).toEqual([['Seat.halls', {}]])
    expect(announced((all) => all.addGivenIds('Shop', [{ id: 1 }]))).toEqual([])
  })
})

describe('entries', () => {
  const entered = (rows: readonly WrittenRow[], changed?: readonly string[], model = 'User') =>
    announced((all) => all.addJoined(model, rows, changed && new Set(changed)))
  const user = { id: 1, email: 'a', org: 2, team: 3, name: 'A' }

  it('of new rows are announced by the keys of all lookups', () => {
    expect(entered([user])).toEqual([['User entered', [{ email: 'a', org: 2, team: 3 }], 'new']])
    expect(entered([{ email: 'a', org: undefined }])).toStrictEqual([
      ['User entered', [{ email: 'a' }], 'new'],
    ])
  })

  it('of changed rows are announced by the keys of the lookups that watch a changed field', () => {
    expect(entered([user], ['email', 'id'])).toEqual([['User entered', [{ email: 'a' }], ['email']]])
    expect(entered([user], ['joinedAt'])).toEqual([['User entered', [{ org: 2, team: 3 }], ['joinedAt']]])
    expect(entered([user], ['id'])).toEqual([])
  })

  it('of rows in no entry are not announced: null is no key', () => {
    expect(entered([{ ...user, org: null }], ['team'])).toEqual([])
    expect(entered([{ email: null, org: null }])).toEqual([])
    expect(entered([{ email: 'a', org: null }])).toHaveLength(1)
  })

  it('of lookups through relations are announced without rows', () => {
    expect(entered([], ['name'])).toEqual([['User entered', [], ['name']]])
    expect(entered([user], ['name'])).toEqual([['User entered', [], ['name']]])
    expect(entered([])).toEqual([])
  })

  it('of lookups that cannot be followed are affected by every change', () => {
    expect(entered([{ name: 'a' }], ['name'], 'Shop')).toEqual([['Shop entered', [{}], []]])
    expect(announced((all) => all.addJoinedThrough('Shop', 'tags', [{ id: 1 }]))).toEqual([['Shop.tags', {}]])
  })

  it('are announced together if the same fields change', () => {
    const found = announced((all) => {
      for (const email of ['a', 'b']) all.addJoined('User', [{ email }], new Set(['email']))
      all.addJoined('User', [{ email: 'c' }])
      all.addJoined('User', [{ email: 'd' }])
      for (const groupId of [1, 2]) all.addJoinedThrough('User', 'groups', [{ groupId, name: 'a' }])
      all.addJoinedThrough('User', 'clubs', [{ clubId: undefined }])
    })
    expect(found).toEqual([
      ['User entered', [{ email: 'a' }, { email: 'b' }], ['email']],
      ['User entered', [{ email: 'c' }, { email: 'd' }], 'new'],
      ['User.groups', { groupId: 1 }, { groupId: 2 }],
      ['User.clubs', {}],
    ])
  })

  it('end with the negative entries if rows with unknown ids are created', () => {
    const found = announced((all) => {
      all.addCreated('User', [{}], 'unknown')
      all.addJoined('User', [{ email: 'a' }])
      all.addJoinedThrough('User', 'groups', [{ groupId: 1 }])
    })
    expect(found).toEqual(['User created: unknown'])
  })
})
