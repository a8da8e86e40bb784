import type { AnsweringCache, CachedRow } from '../../read-caches.js'
import type { ComputedFields } from '../client-extensions.js'
import { planRead } from './plan-read.js'
import type { KeyPlan, ReadPlan } from './read-plan.js'
import type { ReadableCache } from './readable-cache.js'
import { idKeyOf } from './readable-key.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { Selections } from './selections.js'

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'
const scalars = ['id', 'org', 'slug', 'title', 'body', 'token']

const { scalars: columns } = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Post {
  id    Int    @id
  org   BigInt
  slug  String
  title String
  body  String
  token String @db.Uuid
}`).models.get('Post')!

function readable(
  idFields: readonly string[],
  { fields = scalars, keyNames = [] }: { fields?: readonly string[]; keyNames?: readonly string[] } = {},
): ReadableCache {
  const cache = { name: `Post.${idFields}`, model: 'Post', idFields, fields } as unknown as AnsweringCache
  const id = idKeyOf(cache, {
    fields: idFields.map((field) => columns.get(field) as never),
    names: new Set(keyNames),
    maxKeys: 8,
  })
  return {
    cache,
    id,
    keys: [id],
    lists: [],
    uniqueKeys: [idFields],
    pageOrder: idFields.map((field) => ({ [field]: 'asc' })),
    uniqueNames: new Set(['id', 'token', 'address']),
    fieldOf: (name) => (fields.includes(name) ? columns.get(name) : undefined),
    fields: new Set(fields),
    decimals: new Set(),
    copyDecimal: (decimal) => decimal,
  }
}

const byId = readable(['id'])
const byToken = readable(['token'], { fields: ['token', 'title'] })
const byAddress = readable(['org', 'slug'], { keyNames: ['address'] })
const selections = (computed?: ComputedFields, omitted?: Record<string, boolean>): Selections =>
  new Selections({ scalars, relations: new Set(['bids']), computed, omitted })

interface Change {
  readonly caches?: readonly ReadableCache[]
  readonly selections?: Selections
  readonly isStrict?: boolean
  /** Whether the client takes a strategy for relations. */
  readonly canJoin?: boolean
}

const plan = (action: string, args: unknown, change: Change = {}): ReadPlan | string => {
  const { canJoin = false, isStrict = false, ...model } = change
  const known = { caches: [byId], selections: selections(), relations: new Map(), ...model }
  const composes = (strategy: unknown): boolean | undefined =>
    strategy === undefined || canJoin ? true : undefined
  return planRead(
    { model: 'Post', action, args },
    { modelOf: () => known, isStrict, composes, takesAnyRow: false, weighsCosts: true },
  )
}

/** The keys of the rows that a plan gives. */
const keysOf = (found: ReadPlan | string): readonly string[] | string =>
  typeof found === 'string'
    ? found
    : Object.keys(
        found.form.of(Object.fromEntries(found.readable.cache.fields.map((field) => [field, field])), true),
      )

it('leaves an OR of nothing within AND to Prisma, for which all rows fulfil it', () => {
  expect(plan('findMany', { where: { OR: [] } })).toMatchObject({ ids: [] })
  expect(plan('findMany', { where: { AND: { OR: [] } } })).toBe('condition')
})

it.each([
  { id: { in: Array(9).fill(1) } },
  { OR: Array.from({ length: 9 }, () => ({ id: 1 })) },
  { OR: [{ id: { in: [1, 2, 3, 4, 5, 6, 7] } }, { id: { in: [8, 9] } }] },
])('leaves %j, with more ids than a statement takes, to Prisma', (where) => {
  expect(plan('findMany', { where })).toBe('too_many_ids')
})

it.each<[unknown, readonly unknown[] | string]>([
  [{ address: { slug: 'a', org: 1n } }, [{ org: 1n, slug: 'a' }]],
  [{ address: { slug: 'a', org: 1 } }, [{ org: 1n, slug: 'a' }]],
  [{ address: { slug: 'a' } }, 'id_value'],
  [{ address: { slug: 'a', org: 1n, id: 1 } }, 'id_value'],
  [{ address: 'a' }, 'id_value'],
  [{ org_slug: { slug: 'a', org: 1n } }, 'condition'],
  [{ org: 1n, slug: 'a' }, 'condition'],
])('reads a key of several fields: %#', (where, expected) => {
  const found = plan('findUnique', { where }, { caches: [byAddress] })
  expect(typeof found === 'string' ? found : (found as KeyPlan).ids).toEqual(expected)
})

class Query {
  id = 1
}

it('takes values of other conditions along with as many ids as fit into a statement', () => {
  const ids = [1, 2, 3, 4, 5, 6, 7, 8]
  expect(plan('findMany', { where: { id: { in: ids } } })).toMatchObject({ ids })
  const where = { title: 'a', id: { in: ids.slice(1) } }
  expect(plan('findMany', { where })).toMatchObject({ ids: ids.slice(1) })
  expect(plan('findMany', { where: { ...where, id: { in: ids } } })).toBe('too_many_ids')
})

it.each<[string, unknown]>([
  ['condition', new Query()],
  ['condition', Object.create({ id: 1 })],
  ['condition', [1]],
  ['condition', null],
  ['condition', { id: 1, title: undefined }],
  ['condition', { id: { in: [1], gt: 0 } }],
  ['condition', { NOT: { id: 1 } }],
  ['condition', { id: 1, AND: 1 }],
  ['condition', { id: 1, AND: [{}, null] }],
  ['id_value', { id: Symbol('skip') }],
  ['id_value', { id: Number.NaN }],
  ['id_value', { id: 1n }],
  ['id_value', { id: new Query() }],
])('says %s of a where that is none of an id: %#', (reason, where) => {
  expect(plan('findFirst', { where })).toBe(reason)
})

it('accepts a UUID only as the database spells it', () => {
  const caches = [byToken]
  const select = { title: true }
  expect(plan('findUnique', { where: { token: uuid }, select }, { caches })).toMatchObject({ ids: [uuid] })
  for (const token of [uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`, 'none']) {
    expect(plan('findUnique', { where: { token }, select }, { caches })).toBe('id_value')
  }
})

it('leaves out fields that the cache may give in another form', () => {
  const rebuilt = { ...byId, fields: new Set(['id', 'title']) }
  expect(plan('findUnique', { where: { id: 1 } }, { caches: [rebuilt] })).toBe('fields')
  expect(
    keysOf(plan('findUnique', { where: { id: 1 }, select: { title: true } }, { caches: [rebuilt] })),
  ).toEqual(['title'])
})

describe('the keys of a row', () => {
  const keys = (args: object, change?: Change) =>
    keysOf(plan('findUnique', { where: { id: 1 }, ...args }, change))

  it('are all scalars in the order of the schema', () => {
    expect(keys({}, { caches: [readable(['id'], { fields: scalars.toSorted() })] })).toEqual(scalars)
  })

  it('are in the order of select, and without what is omitted', () => {
    expect(keys({ select: { title: true, body: false, id: true } })).toEqual(['title', 'id'])
    expect(keys({ omit: { body: true, id: false, org: true } })).toEqual(['id', 'slug', 'title', 'token'])
    expect(keys({}, { selections: selections(undefined, { token: true, body: true }) })).toEqual([
      'id',
      'org',
      'slug',
      'title',
    ])
    const omitted = { selections: selections(undefined, { token: true, body: true }) }
    expect(keys({ omit: { body: false } }, omitted)).toEqual(['id', 'org', 'slug', 'title', 'body'])
  })

  it('include what computed fields need', () => {
    const computed = {
      heading: { name: 'heading', needs: ['title', 'slug'] },
      one: { name: 'one', needs: [] },
    }
    const change = { selections: selections(computed, { slug: true }) }
    expect(keys({ select: { heading: true, id: true } }, change)).toEqual(['id', 'title', 'slug'])
    expect(keys({ select: { slug: true, heading: true } }, change)).toEqual(['slug', 'title'])
    expect(keys({ select: { one: true } }, change)).toBe('fields')
    expect(keys({ select: { id: true, constructor: true } }, change)).toBe('relations')
    expect(keys({ omit: { id: true, toString: true } }, change)).toBe('relations')
    expect(keys({}, change)).toEqual(scalars)
    const unknown = { bad: { name: 'bad', needs: ['missing'] } }
    expect(keys({ select: { bad: true } }, { selections: selections(unknown) })).toBe('relations')
    expect(keys({ omit: { heading: true } }, change)).toEqual(scalars.filter((name) => name !== 'slug'))
  })

  it.each<[string, object]>([
    ['relations', { select: { id: true, bids: true } }],
    ['relations', { select: { id: true, none: false } }],
    ['relations', { select: { none: 1 } }],
    ['relations', { omit: { bids: false } }],
    ['relations', { omit: { bids: 1 } }],
    ['relations', { include: { none: true } }],
    ['relations', { include: { bids: true } }],
    ['argument', { include: { bids: 1 } }],
    ['argument', { include: null }],
    ['argument', { include: {}, select: { id: true } }],
    ['argument', { select: { id: {} } }],
    ['argument', { select: { id: 1 } }],
    ['argument', { select: { id: undefined } }],
    ['argument', { select: null }],
    ['argument', { select: { id: true }, omit: { id: true } }],
    ['fields', { select: {} }],
    ['fields', { omit: Object.fromEntries(scalars.map((name) => [name, true])) }],
  ])('are unknown: %s of %j', (reason, args) => {
    expect(keys(args)).toBe(reason)
  })

  it('lack relations that are not included', () => {
    const known = selections()
    for (const bids of [false, true, false])
      expect(known.of({ include: { bids } })).toMatchObject({ relations: bids ? ['bids'] : [] })
    expect(keys({ include: { bids: false } })).toEqual(scalars)
  })

  it('are found once for each form of a query', () => {
    const known = selections()
    expect(known.of({ select: { id: true, title: false } })).toBe(
      known.of({ select: { id: true, title: false } }),
    )
    const first = known.of({ select: { id: true } })
    known.of({ select: { title: true } })
    expect(known.of({ select: { id: true } })).toBe(first)
    for (let i = 0; i < 2 ** scalars.length; i++) {
      known.of({ select: Object.fromEntries(scalars.map((name, n) => [name, (i >> n) % 2 === 1])) })
      known.of({ omit: Object.fromEntries(scalars.map((name, n) => [name, (i >> n) % 2 === 1])) })
      known.of({
        select: Object.fromEntries(scalars.toReversed().map((name, n) => [name, (i >> n) % 2 === 1])),
      })
      known.of({
        select: Object.fromEntries([...scalars.slice(1), 'id'].map((name, n) => [name, (i >> n) % 2 === 1])),
      })
    }
    // Those kept are bounded.
    expect(known.of({ select: { id: true } })).not.toBe(first)
  })
})

describe('arguments', () => {
  it('that are undefined count as left out, unless Prisma refuses them', () => {
    const args = { where: { id: 1 }, select: undefined, cursor: undefined }
    expect(plan('findUnique', args)).toMatchObject({ ids: [1] })
    expect(plan('findUnique', args, { isStrict: true })).toBe('argument')
  })

  it.each<[string, string, object]>([
    ['argument', 'findUnique', { take: 1 }],
    ['argument', 'findUniqueOrThrow', { take: 1 }],
    ['argument', 'findUnique', { skip: 0 }],
    ['argument', 'findUnique', { orderBy: {} }],
    ['paging', 'findMany', { take: -1 }],
    ['paging', 'findFirst', { take: 2 }],
    ['order', 'findMany', { orderBy: [{ id: 'asc' }, { none: 'asc' }] }],
    ['order', 'findMany', { orderBy: { bids: { _count: 'asc' } } }],
    ['paging', 'findMany', { cursor: { none: 1 } }],
    ['paging', 'findMany', { cursor: { id: '1' } }],
    ['paging', 'findMany', { distinct: ['id'] }],
    ['argument', 'count', { select: { _all: true } }],
    ['paging', 'count', { take: 1 }],
    ['paging', 'count', { orderBy: { id: 'asc' } }],
    ['argument', 'findMany', { relationLoadStrategy: 'join' }],
    ['paging', 'findMany', { take: 0.5 }],
    ['paging', 'findMany', { take: null }],
    ['paging', 'findMany', { skip: 2 ** 31 }],
    ['paging', 'findFirst', { take: 0 }],
    ['order', 'findMany', { orderBy: { id: { sort: 'asc' } } }],
    ['order', 'findMany', { orderBy: { id: 'asc', org: 'asc' } }],
    ['order', 'findMany', { orderBy: null }],
    ['order', 'findMany', { orderBy: ['id'] }],
    ['order', 'findMany', { orderBy: { id: 'up' } }],
  ])('are passed on: %s of %s %j', (reason, action, args) => {
    expect(plan(action, { where: { id: 1 }, ...args })).toBe(reason)
  })

  it('have a strategy for relations, but not those of a count', () => {
    const args = { where: { id: 1 }, relationLoadStrategy: 'query' }
    expect(plan('findMany', args, { canJoin: true })).toMatchObject({ ids: [1] })
    expect(plan('count', args, { canJoin: true })).toBe('argument')
  })

  it('that cannot be read are passed on', () => {
    const where = {
      get id(): number {
        throw new Error('no id')
      },
    }
    expect(plan('findUnique', { where })).toBe('argument')
    expect(plan('findUnique', new Query())).toBe('argument')
    expect(plan('findMany', null)).toBe('argument')
    expect(plan('findMany', undefined)).toBe('condition')
  })
})

describe('the order of rows with several ids', () => {
  const uuids = [uuid, uuid.replace('0b', '0c')]
  const where = {
    OR: [2n, 1n].flatMap((org) => [
      { org, token: uuids[1] },
      { org, token: uuids[0] },
    ]),
  }
  const byBoth = readable(['org', 'token'])
  const ordered = (orderBy: unknown, ids: unknown = where, caches = [byBoth]) =>
    plan('findMany', { where: ids, orderBy }, { caches }) as KeyPlan | string

  it('is not certain if rows may be equal in it, and unknown if the database compares their values differently', () => {
    expect(ordered({ org: 'asc' })).toMatchObject({ selection: { isOrdered: false, cutReason: 'paging' } })
    expect(ordered({ token: 'asc' })).toMatchObject({ selection: { isOrdered: false, cutReason: 'paging' } })
    const slugs = { OR: ['a', 'b'].map((slug) => ({ org: 1n, slug })) }
    expect(ordered([{ org: 'asc' }, { slug: 'asc' }], slugs, [byAddress])).toBe('order')
  })

  it('does not matter for one row', () => {
    const one = { org: 1n, slug: 'a' }
    expect(ordered({ slug: 'asc' }, one, [byAddress])).toMatchObject({ selection: { compare: undefined } })
    expect(ordered([], where)).toMatchObject({ selection: { compare: undefined } })
  })

  it('is that of the primary key for a page without another one', () => {
    const page = (args: object, given: object, cache: ReadableCache) =>
      plan('findMany', { where: given, ...args }, { caches: [cache] })
    const ids = { id: { in: [3, 1, 2] } }
    for (const args of [{ take: 3 }, { take: 2, orderBy: [] }, { skip: 1 }, { cursor: { id: 1 } }]) {
      const { selection } = page(args, ids, byId) as KeyPlan
      expect([{ id: 3 }, { id: 1 }].toSorted(selection.compare)).toEqual([{ id: 1 }, { id: 3 }])
    }
    expect(page({ skip: 0 }, ids, byId)).toMatchObject({ selection: { compare: undefined } })
    const slugs = { OR: ['a', 'b'].map((slug) => ({ org: 1n, slug })) }
    expect(page({ take: 2 }, slugs, byAddress)).toBe('order')
    expect(page({ take: 2 }, ids, { ...byId, pageOrder: null })).toBe('order')
    const one = { org: 1n, slug: 'a' }
    expect(page({ take: 2 }, one, byAddress)).toMatchObject({ selection: { compare: undefined } })
  })
})

it.each<[object, string | object]>([
  [{ take: 1 }, { take: 1, skip: 0 }],
  [{ take: 0 }, { take: 0, skip: 0 }],
  [{ take: Number.MAX_SAFE_INTEGER }, { take: Infinity, skip: 0 }],
  [{ skip: 0 }, { take: Infinity, skip: 0 }],
  [{ skip: 1 }, { take: Infinity, skip: 1 }],
])('cuts the list of a single id: %j', (args, expected) => {
  expect(plan('findMany', { where: { id: 1 }, ...args })).toMatchObject({ selection: expected })
})

it.each<[readonly string[], unknown, unknown]>([
  [['id'], 2 ** 31, 'id_value'],
  [['id'], -(2 ** 31), [-(2 ** 31)]],
  [['id'], '1', 'id_value'],
  [['org'], 2n ** 63n - 1n, [2n ** 63n - 1n]],
  [['org'], 2n ** 63n, 'id_value'],
  [['org'], 5, [5n]],
  [['org'], 2 ** 53, 'id_value'],
  [['org'], '5', 'id_value'],
  [['slug'], 5, 'id_value'],
])('an id of %j may be %p', (idFields, value, expected) => {
  const found = plan('findMany', { where: { [idFields[0]!]: value } }, { caches: [readable(idFields)] })
  expect(typeof found === 'string' ? found : (found as KeyPlan).ids).toEqual(expected)
})

describe('a row of the cache', () => {
  const whole = { id: 1, org: 1n, slug: 'a', title: 'A', body: 'B', token: uuid }
  const projected = (row: CachedRow, args: object = {}) =>
    (plan('findUnique', { where: { id: 1 }, ...args }) as KeyPlan).form.of(row, true)

  it('is the result as it is, if it has the fields in their order', () => {
    expect(projected(whole)).toBe(whole)
  })
})
