import type { QueryParams } from '../internals.js'
import { keyedQueryOf, KnownPlans } from './known-plans.js'
import type { PlannedRead } from './planned-read.js'
import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan } from './read-plan.js'
import { ListCosts } from './list-costs.js'
import { allRows } from './row-selection.js'

describe('a query by one value', () => {
  const textOf = (args: object): string | undefined => keyedQueryOf(args as never)?.text

  it('is like another one with another value', () => {
    const select = { id: true, bids: { orderBy: [{ amount: 'desc' }], take: 2 } }
    expect(textOf({ where: { id: 'a' }, select })).toBe(textOf({ where: { id: 'b' }, select: { ...select } }))
    expect(textOf({ where: { id: 1 } })).toBe(textOf({ where: { id: 2n } }))
    expect(textOf({ where: { id: 1 }, select: { cursor: true } })).toBeDefined()
  })

  it.each<[string, object, object]>([
    ['field', { where: { id: 1 } }, { where: { name: 1 } }],
    ['selection', { where: { id: 1 }, select: { a: true } }, { where: { id: 1 }, select: { a: false } }],
    ['argument', { where: { id: 1 }, select: { a: true } }, { where: { id: 1 }, omit: { a: true } }],
    ['type', { where: { id: 1 }, take: '1' }, { where: { id: 1 }, take: 1 }],
    ['list', { where: { id: 1 }, orderBy: [{ a: 'asc' }] }, { where: { id: 1 }, orderBy: { a: 'asc' } }],
    [
      'field that looks like arguments',
      { where: { id: 1 }, select: { a: true } },
      { where: { '{"select":{"a":true,},}id': 1 } },
    ],
    [
      'argument that looks like several',
      { where: { id: 1 }, select: { a: true }, omit: { b: true } },
      { where: { id: 1 }, 'select":{"a":true,},"omit': { b: true } },
    ],
  ])('is not like one with another %s', (_, one, other) => {
    const known = keyedQueryOf(one as never)!
    const text = keyedQueryOf(other as never)
    expect([known.text, known.field]).not.toEqual([text?.text, text?.field])
  })

  it.each<[string, object]>([
    ['without a condition', {}],
    ['with two conditions', { where: { id: 1, name: 'a' } }],
    ['with a condition that is no value', { where: { id: { in: [1] } } }],
    ['by null', { where: { id: null } }],
    ['with a date', { where: { id: 1 }, select: { bids: { where: { at: new Date() } } } }],
    ['with a cursor', { where: { id: 1 }, cursor: { id: 2 } }],
    ['with a cursor of a relation', { where: { id: 1 }, include: { bids: { cursor: { id: 2 } } } }],
    ['with a list that lacks a place', { where: { id: 1 }, orderBy: Object.assign([], { 1: 'a' }) }],
    ['with a fraction', { where: { id: 1 }, take: 1.5 }],
    ['with undefined', { where: { id: 1 }, select: undefined }],
  ])('is planned as a whole %s', (_, args) => {
    expect(keyedQueryOf(args as never)).toBeUndefined()
  })
})

describe('known plans', () => {
  const params = { model: 'Lot', action: 'findUnique', clientMethod: 'lot.findUnique', dataPath: [] }
  const isId = (value: unknown): unknown => (typeof value === 'string' ? value : undefined)
  const key = { fields: [{ name: 'id', read: isId, takesLists: true }], identify: isId }
  const planned = (change: Partial<KeyPlan> = {}, args: object = {}): PlannedRead => {
    const readable = { cache: { sharesRows: false } }
    const plan = {
      key,
      ids: ['a'],
      selection: allRows,
      readable,
      related: [],
      ...change,
    } as unknown as KeyPlan
    const given = { where: { id: 'a' }, ...args }
    return {
      plan,
      caches: [],
      args: given,
      params,
      answer: async () => null,
      leave: () => undefined,
      stay: () => {},
      preferred: undefined,
    }
  }
  const keyed = (args: object = {}) => keyedQueryOf({ where: { id: 'a' }, ...args })!
  const find = (plans: KnownPlans, args: object, change: Partial<QueryParams> = {}) => {
    const given = { where: { id: 'b' }, ...args }
    return plans.find({ args: given, params: { ...params, ...change } }, keyedQueryOf(given)!)
  }

  it('are used with the value of each query, and with the caches of the plan', async () => {
    const plans = new KnownPlans()
    const stored = { ...key, get: async (id: string) => ({ id }), isOf: () => true }
    const first = planned({ key: stored as never, form: { of: (row: CachedRow) => row } as never })
    plans.keep(first, keyed())
    const found = find(plans, {}) as PlannedRead
    expect(found).toMatchObject({ plan: { key: stored, ids: ['b'] }, args: { where: { id: 'b' } } })
    expect(found.caches).toBe(first.caches)
    expect(await found.answer()).toEqual({ id: 'b' })
    found.leave!()
    expect(find(plans, {})).toMatchObject({ reason: 'costs', args: { where: { id: 'b' } } })
    expect(find(plans, { where: { id: 'c' } })).toMatchObject({ plan: { ids: ['c'] } })
  })

  const listOf = (change: object = {}) => ({
    fields: key.fields,
    lookup: {
      keyOf: ({ id }: CachedRow) => (id === 'none' ? null : String(id)),
      findMany: async (keys: readonly CachedRow[]) => keys.map((each) => [{ ...each }]),
      ...change,
    },
  })
  const plannedList = (change: object = {}): PlannedRead => {
    const readable = { cache: { sharesRows: false } }
    const form = { of: (row: CachedRow) => row }
    const plan = {
      list: listOf(),
      listKeys: [{ id: 'a' }],
      selection: allRows,
      readable,
      form,
      related: [],
      ...change,
    }
    return { ...planned(), plan: plan as never }
  }

  it('are of lists by one field as well, and leave those to the database that cost more', async () => {
    const plans = new KnownPlans()
    const costs = new ListCosts(true, false)
    plans.keep(plannedList({ selection: { ...allRows, costs } }), keyed())
    const found = find(plans, {}) as PlannedRead
    expect(found.plan).toMatchObject({ listKeys: [{ id: 'b' }] })
    found.leave!()
    expect(await found.answer()).toEqual({ id: 'b' })
    for (const id of ['none', 1]) expect(find(plans, { where: { id } })).toBeUndefined()
    costs.note(['b'], 100, 100)
    expect(find(plans, {})).toMatchObject({ reason: 'costs', refusal: {} })
    expect(find(plans, { where: { id: 'c' } })).toMatchObject({ plan: { listKeys: [{ id: 'c' }] } })
  })

  it.each<[string, object, Partial<QueryParams>]>([
    ['another model', {}, { model: 'Bid' }],
    ['another operation', {}, { action: 'findFirst' }],
    ['another method', {}, { clientMethod: 'lot.findFirst' }],
    ['other arguments', { select: { id: true } }, {}],
    ['a value that is no id', { where: { id: 1 } }, {}],
    ['a field with the text of other arguments', { where: { 'id,"take":1': 'b' } }, {}],
  ])('are not used for %s', (_, args, change) => {
    const plans = new KnownPlans()
    for (const kept of [{}, { take: 1 }]) plans.keep(planned({}, kept), keyed(kept))
    expect(find(plans, args, change)).toBeUndefined()
  })

  it.each<[string, Partial<typeof key>]>([
    ['the field does not take', { fields: [{ ...key.fields[0]!, read: () => undefined }], identify: String }],
    ['the key does not take', { fields: [{ ...key.fields[0]!, read: String }], identify: () => undefined }],
  ])('are not used for a value that %s', (_, change) => {
    const plans = new KnownPlans()
    plans.keep(planned({ key: { ...key, ...change } as never }), keyed())
    expect(find(plans, {})).toBeUndefined()
  })

  it('are those of one key without other conditions', () => {
    const plans = new KnownPlans()
    plans.keep(planned({ selection: { ...allRows } }), keyed())
    plans.keep(planned({ key: { ...key, fields: [...key.fields, ...key.fields] } as never }), keyed())
    plans.keep({ ...planned(), plan: { origin: {} } as never }, keyed())
    for (const change of [
      { list: listOf({ through: 'tags' }) },
      { list: { ...listOf(), fields: [key.fields[0], key.fields[0]] } },
      { listKeys: [{}, {}] },
      { selection: { ...allRows, test: {} } },
    ])
      plans.keep(plannedList(change), keyed())
    expect(find(plans, {})).toBeUndefined()
  })

  it('are limited in number, and stay as long as they are used', () => {
    const plans = new KnownPlans()
    const keep = (take: number): void => plans.keep(planned({}, { take }), keyed({ take }))
    const isKnown = (take: number): boolean => find(plans, { take }) !== undefined
    const takes = Array.from({ length: 200 }, (_, take) => take)
    takes.forEach(keep)
    expect(takes.every(isKnown)).toBe(true)
    for (let take = 200; take < 800; take++) {
      keep(take)
      expect(isKnown(0)).toBe(true)
    }
    expect(takes.filter(isKnown)).toEqual([0])
  })
})
