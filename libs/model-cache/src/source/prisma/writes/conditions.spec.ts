import {
  areFew,
  both,
  isPlainlyNested,
  keysAround,
  keysIn,
  rowKeyTextOf,
  selecting,
  whereOf,
} from './conditions.js'
import type { Args } from '../internals.js'
import type { Row } from './literals.js'
import type { WritePlanning } from './planning.js'

const planning = { groupsPerQuery: 2 } as WritePlanning
const key = ['org', 'slug']
const rows = (count: number, row: (index: number) => Row): readonly Row[] =>
  Array.from({ length: count }, (_, index) => row(index))
const ids = (count: number) => rows(count, (id) => ({ id }))
/** No two of these have a value in common. */
const apart = (count: number) => rows(count, (index) => ({ org: index, slug: `s${index}` }))
const ofOneOrg = (count: number) => rows(count, (index) => ({ org: 1, slug: `s${index}` }))

/** How many keys each condition names. */
const sizes = (conditions: readonly object[]): readonly number[] =>
  conditions.map((condition) => {
    const groups = 'OR' in condition ? (condition.OR as object[]) : [condition]
    return groups.flatMap((group) =>
      Object.values(group).reduce<unknown[]>((all, value) => {
        const list = (value as { in?: unknown[] }).in ?? [value]
        return all.length > list.length ? all : list
      }, []),
    ).length
  })

describe('keysIn', () => {
  it('matches rows by one field', () => {
    expect(keysIn(planning, ['id'], ids(3))).toEqual([{ id: { in: [0, 1, 2] } }])
    expect(keysIn(planning, ['id'], ids(1))).toEqual([{ id: 0 }])
    expect(keysIn(planning, ['id'], [])).toEqual([])
  })

  it('names each value once, and dates by their time', () => {
    const at = [new Date(1), new Date(2), new Date(1)]
    expect(
      keysIn(
        planning,
        ['at'],
        at.map((at) => ({ at })),
      ),
    ).toEqual([{ at: { in: [at[2], at[1]] } }])
  })

  it('leaves out rows without a key', () => {
    expect(keysIn(planning, ['id'], [{ id: null }, { id: 1 }])).toEqual([{ id: 1 }])
    expect(
      keysIn(planning, key, [
        { org: 1, slug: null },
        { org: null, slug: 'b' },
        { org: 1, slug: 'a' },
      ]),
    ).toEqual([{ org: 1, slug: 'a' }])
  })

  it('groups compound keys by the field that they have in common', () => {
    const slugs = { org: 1, slug: { in: ['s0', 's1', 's2'] } }
    expect(keysIn(planning, key, ofOneOrg(3))).toEqual([slugs])
    expect(keysIn(planning, key, [...ofOneOrg(3), { org: 2, slug: 's9' }])).toEqual([
      { OR: [slugs, { org: 2, slug: 's9' }] },
    ])
    const ofOneSlug = rows(3, (org) => ({ org, slug: 'a' }))
    expect(keysIn(planning, key, ofOneSlug)).toEqual([{ org: { in: [0, 1, 2] }, slug: 'a' }])
  })

  it('never matches a row that has the values of two others', () => {
    const crossed = [
      { org: 1, slug: 'a' },
      { org: 2, slug: 'b' },
    ]
    expect(keysIn(planning, key, crossed)).toEqual([{ OR: crossed }])
  })

  it('sends at most 1,000 keys, and the maximum of groups, in one query', () => {
    expect(sizes(keysIn(planning, ['id'], ids(1_000)))).toEqual([1_000])
    expect(sizes(keysIn(planning, ['id'], ids(2_001)))).toEqual([1_000, 1_000, 1])
    expect(sizes(keysIn(planning, key, apart(5)))).toEqual([2, 2, 1])
    const many = [...ofOneOrg(600), ...rows(600, (index) => ({ org: 2, slug: `s${index}` }))]
    expect(sizes(keysIn(planning, key, many))).toEqual([600, 600])
    const few = [...ofOneOrg(600), ...rows(400, (index) => ({ org: 2, slug: `s${index}` }))]
    expect(sizes(keysIn(planning, key, few))).toEqual([1_000])
    expect(sizes(keysIn(planning, key, ofOneOrg(1_500)))).toEqual([1_000, 500])
  })
})

describe('keysAround', () => {
  it('matches exactly the rows where one query has few groups', () => {
    expect(keysAround(planning, key, apart(2))).toEqual({ conditions: [{ OR: apart(2) }], areExact: true })
    expect(keysAround(planning, ['id'], ids(3))).toEqual({
      conditions: [{ id: { in: [0, 1, 2] } }],
      areExact: true,
    })
    expect(keysAround(planning, key, ofOneOrg(1_500)).areExact).toBe(true)
  })

  it('matches more rows with fewer conditions where it has many', () => {
    expect(keysAround(planning, key, apart(3))).toEqual({
      conditions: [{ org: { in: [0, 1, 2] }, slug: { in: ['s0', 's1', 's2'] } }],
      areExact: false,
    })
    const { conditions, areExact } = keysAround(planning, key, apart(1_001))
    expect([areExact, sizes(conditions)]).toEqual([false, [1_000, 1]])
  })
})

it('tells whether one query names all keys', () => {
  expect(areFew(planning, key, apart(2))).toBe(true)
  expect(areFew(planning, key, apart(3))).toBe(false)
  expect(areFew(planning, ['id'], ids(1_000))).toBe(true)
  expect(areFew(planning, ['id'], ids(1_001))).toBe(false)
  expect(areFew({ groupsPerQuery: 50 } as WritePlanning, key, ofOneOrg(1_001))).toBe(false)
})

it('writes a condition at the end of a path as one of the rows at its start', () => {
  const path = [
    { field: 'shop', isList: false },
    { field: 'owners', isList: true },
  ]
  expect(whereOf(path, { id: 1 })).toEqual({ shop: { owners: { some: { id: 1 } } } })
  expect(whereOf([], { id: 1 })).toEqual({ id: 1 })
})

it('adds a condition to a where', () => {
  expect(both({ a: 1 }, { b: 2 })).toEqual({ a: 1, AND: [{ b: 2 }] })
  expect(both({ AND: { a: 1 } }, { b: 2 })).toEqual({ AND: [{ a: 1 }, { b: 2 }] })
  expect(both({ AND: [{ a: 1 }, { c: 3 }] }, { b: 2 })).toEqual({ AND: [{ a: 1 }, { c: 3 }, { b: 2 }] })
})

it.each<[boolean, Args]>([
  [true, { id: 1, shop: { OR: [] } }],
  [false, { AND: [] }],
  [false, { id: 1, OR: [] }],
  [false, { NOT: {} }],
])('%p: a where that filters by a relation alone, %j', (expected, where) => {
  expect(isPlainlyNested(where)).toBe(expected)
})

it('names a row by its key', () => {
  const name = (id: unknown, at: unknown) => rowKeyTextOf(['id', 'at'], { id, at, other: Math.random() })
  expect(name(1n, new Date(5))).toBe(name(1n, new Date(5)))
  expect(name(1n, new Date(5))).not.toBe(name(1n, new Date(6)))
  expect(name(1n, new Date(5))).not.toBe(name(2n, new Date(5)))
  expect(name('1,2', '3')).not.toBe(name('1', '2,3'))
})

it('selects fields', () => {
  expect(selecting(['a', 'b'])).toEqual({ a: true, b: true })
})
