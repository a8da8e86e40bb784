import type { AnsweringLookup, CachedRow } from '../../read-caches.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { readableListOf } from './readable-list.js'
import { keysOfList } from './requested-list.js'
import { membersOf } from './where.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Post {
  id  Int @id
  org Int
}`)
const org = facts.models.get('Post')!.scalars.get('org') as never

interface Lookup {
  readonly where?: CachedRow
  readonly through?: string
  /** The key as text; null for one of which only the database knows what it equals. */
  readonly keyOf?: (values: CachedRow) => string | null
}

const requested = (where: object, lookup: Lookup = {}) => {
  const { keyOf = (values) => JSON.stringify(values) } = lookup
  const given = { orderBy: [], where: {}, through: undefined, ...lookup, keyOf } as unknown as AnsweringLookup
  const found = keysOfList(
    membersOf(where)!,
    readableListOf(given, [org], { idFields: ['id'], holdsRows: false }),
  )
  return typeof found === 'string' ? found : [found.keys, found.others.map(({ name }) => name)]
}

it.each<[object, unknown]>([
  [{ org: 1 }, [[{ org: 1 }], []]],
  [{ org: 1, title: 'a' }, [[{ org: 1 }], ['title']]],
  [{ org: { in: [1, 2, 1] } }, [[{ org: 1 }, { org: 2 }], []]],
  [{ org: 'a' }, 'id_value'],
  [{ title: 'a' }, 'condition'],
])('reads the key of a list in %j', (where, expected) => {
  expect(requested(where)).toEqual(expected)
})

it('leaves a key of which only the database knows what it equals', () => {
  expect(requested({ org: 1 }, { keyOf: () => null })).toBe('id_value')
})

describe('the conditions of a list', () => {
  const at = new Date(7)
  it.each<[string, CachedRow, object, boolean]>([
    ['null', { deletedAt: null }, { deletedAt: null }, true],
    ['null by `equals`', { deletedAt: null }, { deletedAt: { equals: null } }, true],
    ['a value', { open: true }, { open: true }, true],
    ['another value', { open: true }, { open: false }, false],
    ['the value of another field', { open: true }, { shown: true }, false],
    ['all of several', { open: true, shown: true }, { shown: true, open: true }, true],
    ['some of several', { open: true, shown: true }, { open: true }, false],
    ['a date', { at }, { at: new Date(7) }, true],
    ['another date', { at }, { at: new Date(8) }, false],
    ['a date as text', { at }, { at: at.toISOString() }, false],
    ['an operator', { kind: { in: ['a', 'b'] } }, { kind: { in: ['b', 'a'] } }, true],
    ['other values of an operator', { kind: { in: ['a', 'b'] } }, { kind: { in: ['a', 'c'] } }, false],
    ['more values of an operator', { kind: { in: ['a'] } }, { kind: { in: ['a', 'b'] } }, false],
    ['fewer values of an operator', { kind: { in: ['a', 'b'] } }, { kind: { in: ['a'] } }, false],
    ['one value instead of several', { kind: { in: ['a'] } }, { kind: { in: 'a' } }, false],
    ['operators in another order', { rank: { gt: 1, lt: 5 } }, { rank: { lt: 5, gt: 1 } }, true],
    ['another operand of several', { rank: { gt: 1, lt: 5 } }, { rank: { gt: 1, lt: 6 } }, false],
    ['another operator', { rank: { gt: 1 } }, { rank: { gte: 1 } }, false],
    ['further operators', { rank: { gt: 1 } }, { rank: { gt: 1, lt: 5 } }, false],
    ['no operator', { rank: { gt: 1 } }, { rank: 1 }, false],
  ])('may be those of a query with %s', (_, declared, given, isSame) => {
    const found = requested({ org: 1, ...given }, { where: declared })
    expect(found).toEqual(isSame ? [[{ org: 1 }], []] : 'condition')
  })

  it('are not among the others', () => {
    expect(requested({ open: true, org: 1, title: 'a' }, { where: { open: true } })).toEqual([
      [{ org: 1 }],
      ['title'],
    ])
  })
})

it.each<[object, unknown]>([
  [{ tags: { some: { org: 1 } } }, [[{ org: 1 }], []]],
  [{ title: 'a', tags: { some: { org: 1 } } }, [[{ org: 1 }], ['title']]],
  [{ tags: { some: { org: { in: [1, 2] } } } }, 'condition'],
  [{ tags: { some: { org: 1, title: 'a' } } }, 'condition'],
  [{ tags: { some: { org: 1 }, none: { org: 2 } } }, 'condition'],
  [{ tags: { every: { org: 1 } } }, 'condition'],
  [{ tags: { some: 'a' } }, 'condition'],
  [{ tags: 'a' }, 'condition'],
  [{ tags: { some: { org: 'a' } } }, 'id_value'],
  [{ others: { some: { org: 1 } } }, 'condition'],
  [{ org: 1 }, 'condition'],
])('reads the key of a list through a relation in %j', (where, expected) => {
  expect(requested(where, { through: 'tags' })).toEqual(expected)
})
