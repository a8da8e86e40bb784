import { describeSchemaText } from '../schema/describe-schema.js'
import { queryShapeOf } from './query-shape.js'

const { models } = describeSchemaText(`
datasource db { provider = "postgresql" }
model Post {
  id       Int     @id
  org      String
  slug     String
  alias    String?
  title    String
  authorId Int?
  author   User?   @relation(fields: [authorId], references: [id])
  @@unique([org, slug])
  @@unique([org, alias])
}
model User {
  id    Int    @id
  name  String
  posts Post[]
}`)
const shapeOf = (args: object): object | undefined => queryShapeOf(models, 'Post', args)
const unknown = { '?': '?' }

it.each<[string, object, object]>([
  ['AND', { AND: [{ id: 1 }, { title: 'a' }] }, { AND: [{ id: '?' }, { title: '?' }] }],
  ['AND of one object', { AND: { id: 1 } }, { AND: { id: '?' } }],
  ['NOT', { NOT: [{ id: 1 }, { id: 2 }] }, { NOT: [{ id: '?' }] }],
  ['OR', { OR: [{ id: 1 }, { id: 2 }] }, { OR: [{ id: '?' }] }],
  ['null', { alias: null }, { alias: null }],
  ['not', { id: { not: 1 } }, { id: { not: '?' } }],
  ['operators in not', { id: { not: { in: [1] } } }, { id: { not: { in: ['?'] } } }],
  ['null of an operator', { id: { equals: null } }, { id: { equals: null } }],
  ['an operator that is unknown', { id: { other: 1 } }, { id: unknown }],
  ['no row at the other side', { author: null }, { author: null }],
  ['no row at the other side, by a filter', { author: { is: null } }, { author: { is: null } }],
  [
    'each filter of a relation',
    { author: { isNot: { id: 1 }, is: { name: 'a' } } },
    { author: { isNot: { id: '?' }, is: { name: '?' } } },
  ],
  [
    'filters of a list',
    { author: { posts: { some: { id: 1 }, every: { id: 1 }, none: { title: 'a' } } } },
    { author: { posts: { some: { id: '?' }, every: { id: '?' }, none: { title: '?' } } } },
  ],
  ['conditions of the row at the other side', { author: { name: 'a' } }, { author: { name: '?' } }],
  [
    'a filter beside a name that is none',
    { author: { is: { id: 1 }, name: 'a' } },
    { author: { ...unknown, name: '?' } },
  ],
  [
    'a key that rows may lack',
    { org_alias: { org: 'a', alias: 'b' } },
    { org_alias: { org: '?', alias: '?' } },
  ],
  ['undefined', { id: undefined, title: 'a' }, { title: '?' }],
  ['a name that is unknown', { other: 1 }, unknown],
])('has conditions with %s', (_, where, shape) => {
  expect(shapeOf({ where })).toEqual({ where: shape })
  expect(shapeOf({ cursor: where })).toEqual({ cursor: shape })
})

it.each<[string, object, object]>([
  ['fields', { select: { id: true, title: false } }, { select: { id: true, title: false } }],
  ['a field of a value that is no flag', { select: { id: 1 } }, { select: unknown }],
  ['relations by a flag', { include: { author: true } }, { include: { author: true } }],
  ['relations by false', { include: { author: false } }, { include: { author: false } }],
  ['counts of all relations', { include: { _count: true } }, { include: { _count: true } }],
  ['no counts', { include: { _count: false } }, { include: { _count: false } }],
  [
    'counts of some relations',
    { select: { author: { select: { _count: { select: { posts: true } } } } } },
    { select: { author: { select: { _count: { select: { posts: true } } } } } },
  ],
  [
    'counts of some rows',
    { include: { _count: { select: { author: { where: { name: 'a' } } } } } },
    { include: { _count: { select: { author: { where: { name: '?' } } } } } },
  ],
  ['an unknown name', { select: { other: true } }, { select: unknown }],
  ['omitted fields', { omit: { id: true, title: false } }, { omit: { id: true, title: false } }],
  ['an unknown name that is omitted', { omit: { other: true } }, { omit: unknown }],
  ['what is omitted without a flag', { omit: { id: 1 } }, { omit: unknown }],
])('has a selection of %s', (_, args, shape) => {
  expect(shapeOf(args)).toEqual(shape)
})

it.each<[string, object, object]>([
  ['asc', { title: 'asc' }, { title: 'asc' }],
  ['a list', [{ title: 'asc' }], [{ title: 'asc' }]],
  ['desc', { title: 'desc' }, { title: 'desc' }],
  ['nulls', { alias: { sort: 'asc', nulls: 'last' } }, { alias: { sort: 'asc', nulls: 'last' } }],
  ['nulls first', { alias: { sort: 'desc', nulls: 'first' } }, { alias: { sort: 'desc', nulls: 'first' } }],
  ['another direction', { title: 'up' }, unknown],
  ['another part', { alias: { other: 'asc' } }, { alias: unknown }],
  ['a relation', { author: { name: 'asc' } }, { author: { name: 'asc' } }],
  ['a count', { author: { posts: { _count: 'desc' } } }, { author: { posts: { _count: 'desc' } } }],
  ['an unknown field', { other: 'asc' }, unknown],
])('has an order of %s', (_, orderBy, shape) => {
  expect(shapeOf({ orderBy })).toEqual({ orderBy: shape })
})

it.each([
  [0, 0],
  [1, 1],
  [2, 5],
  [5, 5],
  [6, 10],
  [11, 20],
  [21, 50],
  [51, 100],
  [101, 200],
  [201, 500],
  [501, 1_000],
  [1_001, '?'],
  [-1, '?'],
  ['5', '?'],
])('rounds a size of %j to %j', (size, shape) => {
  expect(shapeOf({ take: size, skip: size })).toEqual({ take: shape, skip: shape })
})

it('knows a `take` that lets all rows through, whatever its number', () => {
  expect(shapeOf({ take: 2 ** 31 })).toEqual({ take: Number.MAX_SAFE_INTEGER })
  expect(shapeOf({ take: 2 ** 32 })).toEqual({ take: '?' })
})

it('names the strategy of relations', () => {
  for (const relationLoadStrategy of ['join', 'query'])
    expect(shapeOf({ relationLoadStrategy })).toEqual({ relationLoadStrategy })
  expect(shapeOf({ relationLoadStrategy: 'other' })).toEqual({ relationLoadStrategy: '?' })
})

it('has no names of arguments that are no objects', () => {
  expect(shapeOf({ where: 'abc', select: ['id'], orderBy: 'id' })).toEqual({
    where: {},
    select: {},
    orderBy: {},
  })
})

it('has no name of an unknown model', () => {
  const args = {
    where: { id: 1, author: { id: 1 } },
    select: { id: true, author: true },
    orderBy: { id: 'asc' },
  }
  const shape = { where: unknown, select: unknown, orderBy: unknown }
  expect(queryShapeOf(models, 'Missing', args)).toEqual(shape)
})

it('takes a query of 100 names, and none of 101', () => {
  const argsOf = (names: number): object => ({
    where: Object.fromEntries(Array.from({ length: names - 1 }, (_, i) => [`field${i}`, 1])),
  })
  expect(shapeOf(argsOf(100))).toEqual({ where: unknown })
  expect(shapeOf(argsOf(101))).toBeUndefined()
})
