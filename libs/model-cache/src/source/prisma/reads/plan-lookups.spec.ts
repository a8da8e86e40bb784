import { Decimal } from '@prisma/client/runtime/client'
import type { AnsweringCache, AnsweringLookup, CachedRow } from '../../read-caches.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { planRead } from './plan-read.js'
import type { ReadPlan } from './read-plan.js'
import { readModelsOf } from './readable-cache.js'
import { Selections } from './selections.js'

const schema = (provider: string): string => `
datasource db {
  provider = "${provider}"
}
enum Kind {
  NEW
  OLD @map("old one")
}
model Post {
  id     Int       @id
  email  String    @unique @db.Citext
  handle String?   @unique
  char   String    @unique @db.Char(4)
  token  String    @unique @db.Uuid
  org    BigInt?
  count  Int
  slug   String
  title  String
  kind   Kind
  open   Boolean
  at     DateTime
  stamp  DateTime  @unique @db.Timestamp(3)
  zoned  DateTime  @db.Timestamptz(6)
  whole  DateTime  @db.Timestamptz
  day    DateTime  @db.Date
  price  Decimal   @db.Decimal(6, 2)
  cash   Decimal   @db.Money
  hash   Bytes
  ratio  Float
  tags   String[]

  @@unique([org, slug], name: "address")
  @@unique([slug, count])
  @@unique([title], where: raw("open"))
}`

const facts = new Map(
  ['postgresql', 'mysql', 'sqlite', 'cockroachdb'].map((provider) => [
    provider,
    describeSchemaText(schema(provider)),
  ]),
)
const scalars = [...facts.get('postgresql')!.models.get('Post')!.scalars.keys()]
const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

interface Change {
  readonly provider?: string
  readonly where?: CachedRow
  readonly orderBy?: readonly CachedRow[]
  readonly limit?: number
  readonly incomparable?: boolean
  readonly takesAnyRow?: boolean
}

function lookupOf(kind: AnsweringLookup['kind'], by: readonly string[], change: Change): AnsweringLookup {
  const { incomparable, limit, orderBy = [{ id: 'asc' }], where = {} } = change
  return {
    name: by.join('_'),
    kind,
    by,
    through: undefined,
    where,
    orderBy,
    limit,
    keyOf: (values) =>
      incomparable || by.some((field) => values[field] === undefined)
        ? undefined
        : by.map((field) => textOf(values[field])).join(),
    findMany: () => Promise.reject(new Error('no rows')),
  }
}

function planned(
  lookup: AnsweringLookup,
  query: [string, object],
  { provider = 'postgresql', takesAnyRow = false }: Change,
) {
  const cache = { model: 'Post', idFields: ['id'], fields: scalars, exactFields: scalars, lookups: [lookup] }
  const readable = readModelsOf(facts.get(provider)!).readable(cache as unknown as AnsweringCache)!
  const selections = new Selections({
    scalars,
    relations: new Set(),
    computed: undefined,
    omitted: undefined,
  })
  const [action, args] = query
  const model = { caches: [readable], selections, relations: new Map() }
  const planning = {
    modelOf: () => model,
    isStrict: false,
    composes: () => true,
    takesAnyRow,
    weighsCosts: true,
  }
  return planRead({ model: 'Post', action, args }, planning)
}

const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value).toLowerCase()

const listed = (where: object, args: object, change: Change = {}): ReadPlan | string =>
  planned(lookupOf('list', ['title'], change), ['findMany', { where, ...args }], change)

/** The key that is asked for, or why none is. */
function keyOf(field: string, value: unknown, change: Change = {}): unknown {
  const found = planned(
    lookupOf('list', [field], change),
    ['findMany', { where: { [field]: value, ...change.where } }],
    change,
  )
  return typeof found === 'string' ? found : 'list' in found ? found.listKeys[0]![field] : undefined
}

describe('the key of a lookup', () => {
  const date = new Date('2024-02-29T12:30:00.123Z')
  const price = new Decimal('1.50')

  it('is as the cache has it, and not what the caller may change', () => {
    expect(keyOf('org', 2)).toBe(2n)
    expect(keyOf('price', 2)).toEqual(new Decimal(2))
    expect(keyOf('at', date)).not.toBe(date)
    const bytes = Buffer.from([1])
    expect(keyOf('hash', bytes)).toEqual(new Uint8Array([1]))
    expect(keyOf('hash', bytes)).not.toBe(bytes)
  })

  it.each<[string, unknown]>([
    ['title', null],
    ['title', undefined],
    ['title', 1],
    ['title', Symbol('skip')],
    ['token', uuid.toUpperCase()],
    ['char', 'a'],
    ['count', '1'],
    ['kind', 'old one'],
    ['open', 1],
    ['at', date.toISOString()],
    ['at', new Date(Number.NaN)],
    ['at', new Date('-000001-01-01')],
    ['at', new Date(253_402_300_800_000)],
    ['day', date],
    ['price', 1.5],
    ['price', '1.5'],
    ['hash', [1]],
  ])('is no value of %s that only the database can compare: %p', (field, value) => {
    expect(keyOf(field, value)).toBe('id_value')
  })

  it.each(['zoned', 'whole', 'cash', 'ratio', 'tags'])('is never one of %s', (field) => {
    expect(keyOf(field, 1)).toBe('condition')
    expect(keyOf(field, date)).toBe('condition')
    expect(keyOf(field, price)).toBe('condition')
  })

  it('must be one that the lookup can compare', () => {
    expect(keyOf('title', 'a', { incomparable: true })).toBe('id_value')
  })

  it.each(['mysql', 'sqlite'])('is of fewer types in %s', (provider) => {
    expect(keyOf('count', 1, { provider })).toBe(1)
    expect(keyOf('open', true, { provider })).toBe(true)
    for (const [field, value] of Object.entries({ at: date, price, hash: new Uint8Array() }))
      expect(keyOf(field, value, { provider })).toBe('condition')
    expect(keyOf('title', 'a', { provider })).toBe('a')
  })
})

describe('a unique lookup', () => {
  const find = (by: readonly string[], where: object, change: Change = {}): unknown => {
    const found = planned(lookupOf('unique', by, change), ['findUnique', { where }], change)
    return typeof found === 'string' ? found : 'ids' in found ? found.ids : undefined
  }

  it('is one that the model has, also of rows in which a field is null', () => {
    expect(find(['token'], { token: uuid })).toEqual([uuid])
    expect(find(['handle'], { handle: 'a' })).toEqual(['a'])
    expect(find(['slug', 'org'], { address: { org: 1, slug: 'a' } })).toEqual([{ slug: 'a', org: 1n }])
    expect(find(['org', 'slug'], { org_slug: { org: 1, slug: 'a' } })).toBe('condition')
    expect(find(['slug'], { slug: 'a' })).toBe('condition')
    expect(find(['title'], { title: 'a' })).toBe('condition')
  })

  it('has each key once, as the database compares it', () => {
    const change = {}
    const where = { OR: [{ email: 'A' }, { email: { in: ['a', 'b', 'B'] } }] }
    const found = planned(lookupOf('unique', ['email'], change), ['findMany', { where }], change)
    expect(found).toMatchObject({ ids: ['A', 'b'] })
  })
})

describe('a list', () => {
  const where = { open: true, slug: null, org: { not: null }, kind: { in: ['NEW', 'OLD'] }, at: new Date(5) }

  it.each<[string, object]>([
    ['another constant', { open: false }],
    ['another date', { at: new Date(6) }],
    ['another form of a date', { at: new Date(5).toISOString() }],
    ['undefined', { slug: undefined }],
    ['no null', { org: null }],
    ['undefined for null', { org: { not: undefined } }],
    ['another operator', { org: { not: { equals: null } } }],
    ['an operator as a value', { org: { equals: { not: null } } }],
    ['a further operator', { org: { not: null, gt: 0 } }],
    ['fewer values', { kind: { in: ['NEW'] } }],
    ['one value twice', { kind: { in: ['NEW', 'NEW'] } }],
    ['more values', { kind: { in: ['NEW', 'OLD', 'none'] } }],
    ['one more condition that only the database decides', { ratio: 1 }],
    ['one more condition, of undefined', { count: undefined }],
    ['a condition with another name', { slug: null, at: undefined, day: new Date(5) }],
    ['an operator for the key', { title: { not: 'a' } }],
    ['a mode', { title: { equals: 'a', mode: 'insensitive' } }],
  ])('has no others: %s', (_, changed) => {
    expect(listed({ ...where, title: 'a', ...changed }, {}, { where })).toBe('condition')
  })

  const orderBy = [{ slug: { sort: 'desc', nulls: 'last' } }, { at: 'desc' }, { id: 'asc' }]

  it.each<[unknown, boolean]>([
    [orderBy, true],
    [[{}, ...orderBy], true],
    [orderBy.slice(0, 2), false],
  ])('has its own order: %j', (given, isOrdered) => {
    expect(listed({ title: 'a' }, { orderBy: given }, { orderBy })).toMatchObject({
      selection: { isOrdered },
    })
  })

  it.each<[unknown]>([
    [orderBy.slice(0, 1)],
    [orderBy.slice(1)],
    [orderBy.toReversed()],
    [[...orderBy, { slug: 'asc' }]],
    [[...orderBy.slice(0, 2), { id: 'desc' }]],
    [[{ slug: 'desc' }, ...orderBy.slice(1)]],
    [[{ slug: { sort: 'desc' } }, ...orderBy.slice(1)]],
    [[{ slug: { sort: 'desc', nulls: 'first' } }, ...orderBy.slice(1)]],
    [[{ slug: { sort: 'desc', nulls: 'last', more: 1 } }, ...orderBy.slice(1)]],
    [[orderBy[0], { at: { sort: 'desc' } }, { id: 'asc' }]],
    [{ slug: orderBy[0]!.slug, at: 'desc', id: 'asc' }],
    [[orderBy[0], { 'at desc,id': 'asc' }]],
    [[orderBy[0], { '"at" desc,"id"': 'asc' }]],
    [null],
  ])('has no other order, if it may lack rows: %j', (given) => {
    expect(listed({ title: 'a' }, { orderBy: given, take: 5 }, { orderBy, limit: 5 })).toBe('order')
  })

  it('begins at a cursor only in an order that tells all rows apart', () => {
    const change = { orderBy: [{ at: 'asc' }, { id: 'asc' }] }
    const page = (orderBy: unknown) => listed({ title: 'a' }, { orderBy, cursor: { id: 1 } }, change)
    expect(page(change.orderBy)).toMatchObject({ selection: { isOrdered: true } })
    expect(page({ at: 'asc' })).toBe('paging')
  })

  const byId = { id: 'asc' }

  it.each<[string, number | undefined, object]>([
    ['findMany', undefined, { orderBy: byId }],
    ['findMany', undefined, { orderBy: byId, skip: 0 }],
    ['findMany', 2, { orderBy: byId, take: 2 }],
    ['findMany', undefined, { orderBy: byId, take: 2, skip: 1 }],
    ['findMany', undefined, { orderBy: byId, cursor: { id: 1 }, take: 2 }],
    ['findMany', undefined, { orderBy: [{ at: 'desc' }, byId], take: 2 }],
    ['findMany', 3, { orderBy: byId, take: 2, skip: 1 }],
    ['findMany', undefined, { take: 2 }],
    ['findMany', undefined, { skip: 1 }],
    ['findMany', undefined, { orderBy: [], cursor: { id: 1 } }],
    ['findMany', 3, { take: 2, skip: 1 }],
    ['findFirst', undefined, { orderBy: byId }],
    ['findFirst', 2, { orderBy: byId, skip: 1 }],
    ['findFirst', 1, { orderBy: byId }],
    ['findFirstOrThrow', 1, { orderBy: byId, take: 1 }],
  ])('has the rows of a page: %s, limit %p, %j', (action, limit, args) => {
    const change = limit === undefined ? {} : { limit }
    const query: [string, object] = [action, { where: { title: 'a' }, ...args }]
    expect(planned(lookupOf('list', ['title'], change), query, change)).toMatchObject({
      selection: { isOrdered: true },
    })
  })

  it.each<[string, string, number | undefined, object]>([
    ['paging', 'findMany', undefined, { orderBy: byId, take: -2 }],
    ['paging', 'findMany', undefined, { orderBy: { at: 'asc' }, cursor: { id: 1 } }],
    ['order', 'findMany', undefined, { orderBy: { slug: 'asc' } }],
    ['paging', 'findMany', undefined, { orderBy: byId, take: null }],
    ['paging', 'findMany', 2, { orderBy: byId }],
    ['paging', 'findMany', 2, { orderBy: byId, take: 1, cursor: { id: 1 } }],
    ['paging', 'findMany', 2, { orderBy: byId, take: -2 }],
    ['paging', 'findMany', 2, { orderBy: byId, take: 2, skip: 1 }],
    ['paging', 'findMany', 2, { take: 3 }],
    ['paging', 'findFirst', 1, { orderBy: byId, take: 2 }],
    ['paging', 'findFirst', 1, { orderBy: byId, take: -1 }],
    ['order', 'findFirst', 1, {}],
    ['paging', 'findFirst', 2, { orderBy: byId, skip: 2 }],
    ['argument', 'findUnique', 1, { orderBy: byId }],
    ['condition', 'findUnique', 1, {}],
  ])('is no other part of the rows: %s of %s, limit %p, %j', (reason, action, limit, args) => {
    const change = limit === undefined ? {} : { limit }
    const query: [string, object] = [action, { where: { title: 'a' }, ...args }]
    expect(planned(lookupOf('list', ['title'], change), query, change)).toBe(reason)
  })

  it.each([
    ['postgresql', 'answered'],
    ['mysql', 'paging'],
    ['sqlite', 'paging'],
    ['cockroachdb', 'paging'],
  ])(
    'begins at a cursor where null may stand first only if Prisma finds rows after it: %s',
    (provider, expected) => {
      const orderBy = [{ org: 'asc' }, byId]
      const change = { provider, orderBy }
      const found = (order: readonly object[]): string => {
        const query: [string, object] = [
          'findMany',
          { where: { count: 1 }, orderBy: order, cursor: { id: 1 } },
        ]
        const plan = planned(
          lookupOf('list', ['count'], { ...change, orderBy: order as never }),
          query,
          change,
        )
        return typeof plan === 'string' ? plan : 'answered'
      }
      expect([found(orderBy), found([byId])]).toEqual([expected, 'answered'])
    },
  )

  it.each<[string, by: string, key: unknown, orderBy: unknown, expected: string]>([
    ['by the id', 'title', 'a', byId, 'answered'],
    ['by fields that are never null, and the id', 'title', 'a', [{ at: 'asc' }, byId], 'answered'],
    ['by a field that may be null, and the id', 'title', 'a', [{ org: 'asc' }, byId], 'paging'],
    ['by a part of a key, which tells the rows of the list apart', 'slug', 'a', { count: 'asc' }, 'paging'],
  ])(
    'begins at a cursor that may not fulfil further conditions only where Prisma does: %s',
    (_, by, key, orderBy, expected) => {
      const found = (others: object): string => {
        const query: [string, object] = [
          'findMany',
          { where: { [by]: key, ...others }, orderBy, cursor: { id: 1 } },
        ]
        const plan = planned(lookupOf('list', [by], {}), query, {})
        return typeof plan === 'string' ? plan : 'answered'
      }
      expect([found({}), found({ open: true })]).toEqual(['answered', expected])
    },
  )

  it.each<[string, object, Change, boolean]>([
    ['of a unique key', { orderBy: { stamp: 'asc' } }, {}, true],
    ['of a unique key and other fields', { orderBy: [{ at: 'asc' }, { stamp: 'desc' }] }, {}, true],
    [
      'of the rest of a unique key, of which the list has the others',
      { orderBy: { count: 'asc' } },
      {},
      true,
    ],
    [
      'of the rest of a unique key, in the order of the list',
      { orderBy: { count: 'asc' } },
      { orderBy: [{ count: 'asc' }, { id: 'asc' }] },
      true,
    ],
    [
      'of the rest of a unique key in several lists',
      { orderBy: { count: 'asc' }, where: { slug: { in: ['a', 'b'] } } },
      {},
      false,
    ],
    ['of a key that some rows lack', { orderBy: { org: 'asc' } }, {}, false],
    ['of other fields', { orderBy: { at: 'asc' } }, {}, false],
  ])('has a total order by all fields %s', (_, args, change, isOrdered) => {
    const query: [string, object] = ['findMany', { where: { slug: 'a' }, take: 2, ...args }]
    const { areTied, ...selection } = (planned(lookupOf('list', ['slug'], change), query, change) as ReadPlan)
      .selection
    expect(selection).toMatchObject({ isOrdered })
    expect(areTied === undefined).toBe(isOrdered)
  })

  it('answers at most one of several rows without an order', () => {
    const query: [string, object] = ['findFirst', { where: { title: 'a' } }]
    expect(planned(lookupOf('list', ['title'], {}), query, {})).toMatchObject({
      selection: { take: 1, cutReason: 'order' },
    })
  })

  it.each<[string, object, Change, object | string]>([
    ['findFirst', {}, {}, { take: 1, isOrdered: false, areTied: undefined }],
    ['findFirst', {}, { limit: 2 }, { take: 1, isOrdered: false, areTied: undefined }],
    ['findFirst', { skip: 1 }, { limit: 2 }, { take: 1, skip: 1, isOrdered: true }],
    ['findFirst', { skip: 1 }, { limit: 2, orderBy: [{ at: 'asc' }] }, 'order'],
    ['findMany', {}, { limit: 2 }, 'paging'],
  ])('answers any row where that is allowed: %s %j', (action, args, change, expected) => {
    const query: [string, object] = [action, { where: { title: 'a' }, ...args }]
    const found = planned(lookupOf('list', ['title'], change), query, { ...change, takesAnyRow: true })
    expect(typeof found === 'string' ? found : found.selection).toEqual(
      typeof expected === 'string' ? expected : expect.objectContaining(expected),
    )
  })

  it.each<[string, object, Change]>([
    ['first rows', { take: 2 }, { orderBy: [] }],
    ['other rows', { skip: 1 }, { orderBy: [{ at: 'desc' }, { id: 'asc' }] }],
    ['rows from a cursor on', { cursor: { id: 1 } }, { orderBy: [] }],
  ])('gives its %s by the primary key if nothing else orders them, as Prisma does', (_, args, change) => {
    const found = listed({ title: 'a' }, { ...args, orderBy: {} }, change) as ReadPlan
    const { compare, isOrdered } = found.selection
    expect([{ id: 2 }, { id: 1 }].toSorted(compare)).toEqual([{ id: 1 }, { id: 2 }])
    expect(isOrdered).toBe(true)
  })

  it('is counted below its limit, and its rows are', () => {
    const count = (where: object, change: Change = {}) =>
      planned(lookupOf('list', ['title'], change), ['count', { where }], change)
    expect(count({ title: 'a' })).toMatchObject({ selection: { completeBelow: Infinity } })
    expect(count({ title: 'a', open: true }, { limit: 3 })).toMatchObject({ selection: { completeBelow: 3 } })
    expect(count({ open: true })).toBe('condition')
  })

  it('has several keys for one field of them', () => {
    const several = (where: object, change: Change = {}) => {
      const found = planned(lookupOf('list', ['title', 'count'], change), ['findMany', { where }], change)
      return typeof found === 'string' ? found : 'listKeys' in found && found.listKeys
    }
    expect(several({ title: { in: ['a', 'b', 'a'] }, count: 1 })).toEqual([
      { title: 'a', count: 1 },
      { title: 'b', count: 1 },
    ])
    expect(several({ title: { in: ['a', 'b'] }, count: { in: [1, 2] } })).toBe('condition')
    expect(several({ title: { in: ['a', 'b'] }, count: 1 }, { limit: 2 })).toBe('condition')
    expect(several({ title: { in: 'a' }, count: 1 })).toBe('id_value')
  })
})
