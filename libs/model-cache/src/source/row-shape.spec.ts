import { describeSchemaText } from './prisma/schema/describe-schema.js'
import { deriveRowShape, selectOf, type Selection, UnderivableRow } from './row-shape.js'

const facts = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  enum State {
    open
    closed
  }
  model Post {
    id       Int       @id
    title    String
    ratio    Float?
    isOpen   Boolean
    at       DateTime
    price    Decimal
    views    BigInt
    image    Bytes
    notes    Json[]
    state    State
    token    String /// @cache(omit)
    author   Author    @relation(fields: [authorId], references: [id])
    authorId Int
    tags     Tag[]
    comments Comment[]
  }
  model Author {
    id    Int    @id
    posts Post[]
  }
  model Tag {
    id    Int    @id
    posts Post[]
  }
  model Comment {
    id     Int  @id
    post   Post @relation(fields: [postId], references: [id])
    postId Int
  }
  model Broken {
    id Int @id @@
  }
`)
const shapeOf = (selection: Selection, model = 'Post') => deriveRowShape(facts, model, selection)
const single = { isList: false, isNullable: false }

describe('deriveRowShape', () => {
  it('returns all scalars of the model in their order, without those that are kept out of caches', () => {
    const kinds = shapeOf({}).map(({ name, kind, isList, isNullable }) => [name, kind, isList, isNullable])
    expect(kinds).toEqual([
      ['id', 'number', false, false],
      ['title', 'string', false, false],
      ['ratio', 'number', false, true],
      ['isOpen', 'boolean', false, false],
      ['at', 'date', false, false],
      ['price', 'decimal', false, false],
      ['views', 'bigint', false, false],
      ['image', 'bytes', false, false],
      ['notes', 'json', true, false],
      ['state', 'enum', false, false],
      ['authorId', 'number', false, false],
    ])
  })

  it('leaves out fields that are omitted, and takes null and undefined for nothing', () => {
    const names = (selection: Selection) => shapeOf(selection).map(({ name }) => name)
    const all = names({ include: null, omit: undefined } as never)
    expect(all).toEqual(names({}))
    expect(names({ omit: { title: true, ratio: false, at: undefined } })).toEqual(
      all.filter((name) => name !== 'title'),
    )
    expect(names({ select: { id: true, title: undefined } })).toEqual(['id'])
    expect(names({ select: { id: true }, include: null, omit: null } as never)).toEqual(['id'])
  })

  it('returns the values of an enum', () => {
    expect(shapeOf({ select: { state: true } })).toEqual([
      { name: 'state', ...single, kind: 'enum', values: ['open', 'closed'] },
    ])
  })

  it('returns the rows of relations after the scalars, and counts last', () => {
    const select = { _count: true, author: { select: { id: true } }, id: true, title: false }
    expect(shapeOf({ select }).map(({ name }) => name)).toEqual(['id', 'author', '_count'])
  })

  it('counts all relations that are lists, or the selected ones', () => {
    const counts = (given: unknown) => shapeOf({ select: { _count: given } })
    const count = (name: string) => ({ name, kind: 'number', ...single })
    const field = { name: '_count', kind: 'rows', ...single }
    expect(counts(true)).toEqual([{ ...field, fields: [count('tags'), count('comments')], args: {} }])
    const select = { tags: true, comments: false }
    expect(counts({ select })).toEqual([{ ...field, fields: [count('tags')], args: select }])
    const where = { where: { id: 1 } }
    expect(counts({ select: { comments: where } })).toEqual([
      { ...field, fields: [count('comments')], args: { comments: where } },
    ])
  })

  it.each<[string, Selection, string]>([
    ['a model that the schema lacks', {}, 'Missing'],
    ['a model that cannot be read', {}, 'Broken'],
    ['a field that the model lacks', { omit: { missing: true } }, 'Post'],
    ['a field that is kept out of caches', { select: { token: true } }, 'Post'],
    ['a field that is kept out of caches', { omit: { token: false } }, 'Post'],
    [
      'an object of a class',
      {
        select: new (class {
          id = true
        })(),
      },
      'Post',
    ],
    [
      'an object of a class for a relation',
      {
        include: {
          author: new (class {
            select = { id: true }
          })(),
        },
      },
      'Post',
    ],
    [
      'an object of a class within a relation',
      { include: { author: { include: { posts: new Map() } } } },
      'Post',
    ],
    ['a number', { select: { id: 1 } }, 'Post'],
    ['`select` beside `include`', { select: { id: true }, include: { tags: true } }, 'Post'],
    ['`select` beside `omit`', { select: { id: true, title: true }, omit: { title: true } }, 'Post'],
    [
      'both of a relation',
      { include: { author: { select: { id: true }, include: { posts: true } } } },
      'Post',
    ],
  ])('refuses %s', (_, selection, model) => {
    expect(() => shapeOf(selection, model)).toThrow(UnderivableRow)
  })

  it('refuses a field of an unknown type', () => {
    const post = facts.models.get('Post')!
    const scalars = new Map([['area', { ...post.scalars.get('title')!, type: 'Polygon' }]])
    const models = new Map([['Post', { ...post, scalars }]])
    expect(() => deriveRowShape({ ...facts, models }, 'Post', {})).toThrow(/area is of type Polygon/)
  })
})

describe('selectOf', () => {
  it.each([
    { id: true },
    { id: true, author: { select: { id: true } } },
    { tags: { where: { id: 1 }, select: { id: true } } },
    { _count: { select: { tags: true, comments: { where: { id: 1 } } } } },
  ])('returns the select of a shape: %j', (select) => {
    expect(selectOf(shapeOf({ select }))).toEqual(select)
  })
})
