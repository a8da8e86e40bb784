import { describeSchemaText } from '../schema/describe-schema.js'
import { returnsKeptOut } from './kept-out-fields.js'

const { models } = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model User {
    id     Int    @id
    name   String
    secret String /// @cache(omit)
    posts  Post[]
  }
  model Post {
    id       Int    @id
    author   User   @relation(fields: [authorId], references: [id])
    authorId Int
  }
`)

const isReturned = (
  model: string,
  action: string,
  args: object,
  { omitted = {}, needed = [] }: { readonly omitted?: object; readonly needed?: readonly string[] } = {},
): boolean =>
  returnsKeptOut(
    {
      models,
      omittedOf: (name) => (name === 'User' ? { ...omitted } : undefined),
      neededOf: (name) => (name === 'User' ? needed : []),
    },
    { model, action, args: args as Readonly<Record<string, unknown>> },
  )

it.each<[boolean, string, model: string, args: object]>([
  [true, 'all fields', 'User', {}],
  [true, 'all fields but others', 'User', { omit: { name: true } }],
  [false, 'all fields but this one', 'User', { omit: { secret: true } }],
  [true, 'the field', 'User', { select: { secret: true } }],
  [true, 'the field, with an object for it', 'User', { select: { secret: {} } }],
  [false, 'other fields', 'User', { select: { name: true, secret: false } }],
  [false, 'other fields than one that is undefined', 'User', { select: { name: true, secret: undefined } }],
  [false, 'a condition on it', 'User', { select: { name: true }, where: { secret: 'x' } }],
  [false, 'no such model', 'Post', {}],
  [true, 'a relation', 'Post', { include: { author: true } }],
  [false, 'a relation that is left out', 'Post', { include: { author: false } }],
  [false, 'a part of a relation', 'Post', { include: { author: { omit: { secret: true } } } }],
  [true, 'a relation of a relation', 'User', { select: { posts: { select: { author: true } } } }],
])('says %s of %s', (expected, _, model, args) => {
  expect(isReturned(model, 'findMany', args)).toBe(expected)
})

it('knows what the client omits, and what computed fields need', () => {
  expect(isReturned('User', 'findFirst', {}, { omitted: { secret: true } })).toBe(false)
  for (const secret of [false, undefined, null])
    expect(isReturned('User', 'findFirst', { omit: { secret } }, { omitted: { secret: true } })).toBe(true)
  expect(isReturned('User', 'findFirst', { select: { id: true } }, { needed: ['secret'] })).toBe(true)
  expect(isReturned('User', 'findFirst', { select: { id: true } }, { needed: ['name'] })).toBe(false)
})

it('knows that Prisma returns what the client omits where a query has it undefined', () => {
  const omitted = { secret: true }
  const author = { omit: { secret: undefined } }
  expect(isReturned('User', 'findFirst', author, { omitted })).toBe(true)
  expect(isReturned('Post', 'findMany', { include: { author } }, { omitted })).toBe(true)
  expect(isReturned('User', 'findFirst', { omit: { name: undefined } }, { omitted })).toBe(false)
})

it.each<[boolean, action: string, args: object]>([
  [true, 'groupBy', { by: ['secret'] }],
  [true, 'groupBy', { by: 'secret' }],
  [false, 'groupBy', { by: ['name'], _count: { secret: true } }],
  [true, 'groupBy', { by: ['name'], _max: { secret: true } }],
  [true, 'aggregate', { _min: { secret: true } }],
  [false, 'aggregate', { _min: { name: true } }],
  [false, 'count', { select: { secret: true } }],
])('says %s of %s with %j', (expected, action, args) => {
  expect(isReturned('User', action, args)).toBe(expected)
})
