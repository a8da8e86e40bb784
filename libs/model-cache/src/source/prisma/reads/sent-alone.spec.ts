import type { QueryParams } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { sentAlone } from './sent-alone.js'

const sending = (provider: string) => {
  const facts = describeSchemaText(`
datasource db { provider = "${provider}" }
model Post {
  id    Int    @id
  code  Int
  rank  Int
  slug  String @unique
  title String
  shelf String?
  notes Note[]
  tags  Tag[]
  @@unique([code, slug])
  @@unique([code, rank])
  @@unique([shelf, code])
}
model Note {
  id   Int    @id
  post Post   @relation(fields: [of], references: [id])
  of   Int
  marks Mark[]
}
model Mark {
  id   Int  @id
  note Note @relation(fields: [of], references: [id])
  of   Int
}
model Tag {
  slug  String @id
  posts Post[]
}`)
  return (params: QueryParams) => sentAlone(facts, params)
}
const send = sending('mysql')
const query = (where: unknown, change: Partial<QueryParams> = {}): QueryParams =>
  ({
    model: 'Post',
    action: 'findUnique',
    dataPath: [],
    args: { where, select: { id: true } },
    ...change,
  }) as QueryParams

it.each([
  ['findUnique', 'findFirst'],
  ['findUniqueOrThrow', 'findFirstOrThrow'],
])('sends %s by collated text as %s', (action, sent) => {
  const params = query({ slug: 'a' }, { action })
  expect(send(params)).toEqual({ ...params, action: sent })
})

it.each<[string, object, object]>([
  ['a key', { slug: 'a' }, { slug: 'a' }],
  ['a key and a condition', { id: 1, title: 'a' }, { id: 1, title: 'a' }],
  ['a key of several fields', { code_slug: { code: 1, slug: 'a' } }, { AND: [{ code: 1, slug: 'a' }, {}] }],
  [
    'a key of several fields that may be null',
    { shelf_code: { shelf: 'a', code: 1 }, shelf: { not: null } },
    { AND: [{ shelf: 'a', code: 1 }, { shelf: { not: null } }] },
  ],
  [
    'a key of several fields and a condition',
    { code_rank: { code: 1, rank: 2 }, title: 'a' },
    { AND: [{ code: 1, rank: 2 }, { title: 'a' }] },
  ],
  [
    'several keys of several fields',
    { code_rank: { code: 1, rank: 2 }, code_slug: { code: 1, slug: 'a' } },
    { AND: [{ code: 1, rank: 2 }, { code: 1, slug: 'a' }, {}] },
  ],
  ['a condition beside other conditions', { NOT: { id: 1 }, slug: 'a' }, { NOT: { id: 1 }, slug: 'a' }],
])('sends collated text in %s', (_, where, sent) => {
  expect(send(query(where))).toEqual({
    ...query(where),
    action: 'findFirst',
    args: { where: sent, select: { id: true } },
  })
})

it.each<[string, QueryParams]>([
  ['a key that no collation compares', query({ id: 1 })],
  ['a key of several fields that no collation compares', query({ code_rank: { code: 1, rank: 2 } })],
  ['a key that is no object', query({ code_slug: 'a' })],
  ['a key that is no object beside another', query({ code_slug: 'a', slug: 'a' })],
  ['an operation that Prisma does not put together', query({ slug: 'a' }, { action: 'findMany' })],
  ['an unknown model', query({ slug: 'a' }, { model: 'Missing' })],
  ['no arguments', query({}, { args: null })],
  ['a condition that is no object', query('a')],
])('leaves a query with %s', (_, params) => {
  expect(send(params)).toBe(params)
})

it.each(['postgresql', 'sqlite'])('leaves all queries of %s, which compares text exactly', (provider) => {
  const params = query({ slug: 'a' })
  expect(sending(provider)(params)).toBe(params)
})

it.each([
  [true, { include: { notes: { cursor: { id: 1 } } } }],
  [true, { select: { notes: { select: { post: { include: { notes: { cursor: { id: 1 } } } } } } } }],
  [false, { select: { cursor: true } }],
  [false, { include: { notes: { take: 1, include: { marks: { take: 1 } } } } }],
  [true, { include: { tags: { take: 1 } } }],
  [true, { include: { notes: { include: { post: { include: { tags: { skip: 1 } } } } } } }],
  [false, { include: { tags: { orderBy: { slug: 'asc' } } } }],
])(
  'leaves a query as it is if a relation begins at a cursor, or a part of it is joined by text: %s',
  (isLeft, selection) => {
    const params = query({ slug: 'a' }, { args: { where: { slug: 'a' }, ...selection } })
    expect(send(params).action).toBe(isLeft ? 'findUnique' : 'findFirst')
  },
)
