import { describeSchemaText } from '../schema/describe-schema.js'
import {
  areExact,
  changesJoinTablesOnly,
  changesOf,
  flattenUnique,
  modelsFilteredBy,
  pinnedBy,
  pinnedRows,
  rowKeyOf,
} from './literals.js'

const { database, models } = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  enum State {
    open
    closed
  }
  model Post {
    id       Int      @id
    slug     String
    title    String   @db.VarChar(80)
    token    String   @db.Uuid
    code     String   @db.Char(4)
    email    String   @db.Citext
    isOpen   Boolean
    state    State
    views    BigInt
    at       DateTime
    day      DateTime @db.Date
    seconds  DateTime @db.Timestamptz(0)
    millis   DateTime @db.Timestamptz(3)
    micros   DateTime @db.Timestamptz
    network  String   @db.Inet
    price    Decimal
    author   Author   @relation(fields: [authorId], references: [id])
    authorId Int
    tags     Tag[]
    @@unique([authorId, slug])
  }
  model Author {
    id    Int    @id
    posts Post[]
    boss  Author?  @relation("bosses", fields: [bossId], references: [id])
    bossId Int?
    staff Author[] @relation("bosses")
  }
  model Tag {
    id    Int    @id
    posts Post[]
  }
  model Setting {
    price Decimal @unique
    name  String  @unique
  }
`)
database.learn({ timeZone: 'UTC', collations: [] })
const post = models.get('Post')!
const scalar = (field: string) => post.scalars.get(field)!
const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'
const date = new Date('2024-10-26T09:12:19.363Z')

describe('literalOf', () => {
  it.each<[string, unknown, unknown]>([
    ['slug', 'a', 'a'],
    ['slug', ' a ', ' a '],
    ['title', ' a', ' a'],
    ['token', uuid.toUpperCase(), uuid],
    ['isOpen', false, false],
    ['state', 'open', 'open'],
    ['id', 7, 7],
    ['id', -0, 0],
    ['views', 7, 7n],
    ['views', 7n, 7n],
    ['at', date, date],
    ['at', '2024-10-26T09:12:19.363Z', date],
    ['at', '2024-10-26T11:12:19.363+02:00', date],
    ['at', '2024-10-26T05:42:19.363-03:30', date],
    ['at', '2024-10-26T09:12:19Z', new Date('2024-10-26T09:12:19.000Z')],
    ['price', null, null],
  ])('returns the value of %s that the database has for %p', (field, value, expected) => {
    expect(scalar(field).literalOf(value)).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['slug', 7],
    ['slug', '\uD800'],
    ['title', 'a '],
    ['code', 'a'],
    ['email', 'a'],
    ['token', `${uuid}0`],
    ['token', `0${uuid}`],
    ['token', uuid.replaceAll('-', '')],
    ['isOpen', 1],
    ['isOpen', 'true'],
    ['state', 7],
    ['id', 0.5],
    ['id', 7n],
    ['views', '7'],
    ['views', 2 ** 53],
    ['at', '2024-10-26'],
    ['at', '2024-10-26T09:12:19.3635Z'],
    ['at', '2024-10-26T09:12:19.363'],
    ['at', '2024-10-26T09:12:19.363Z or so'],
    ['at', '+012024-10-26T09:12:19.363Z'],
    ['at', '2024-13-26T09:12:19.363Z'],
    ['at', new Date(Number.NaN)],
    ['at', date.getTime()],
    ['at', ['2024-10-26T09:12:19.363Z']],
    ['at', { toISOString: () => date.toISOString() }],
    ['day', date],
    ['price', 1],
  ])('returns undefined for %s if only the database knows what it makes of %p', (field, value) => {
    expect(scalar(field).literalOf(value)).toBeUndefined()
  })
})

it('tells which fields a query finds a row by', () => {
  const exact = [...post.scalars].filter(([, each]) => each.isFoundAgain).map(([name]) => name)
  expect(exact).toEqual([
    'id',
    'slug',
    'title',
    'token',
    'code',
    'email',
    'isOpen',
    'state',
    'views',
    'at',
    'day',
    'seconds',
    'millis',
    'authorId',
  ])
  expect(areExact(post, ['id', 'slug'])).toBe(true)
  expect(areExact(post, ['id', 'micros'])).toBe(false)
  expect(areExact(post, ['id', 'missing'])).toBe(false)
})

it('finds rows again by their primary key, or by the first exact key that all rows have', () => {
  expect([post, models.get('Setting')!].map(rowKeyOf)).toEqual([['id'], ['name']])
})

describe('the data of a write', () => {
  it('changes scalars, and foreign keys of relations', () => {
    expect(
      changesOf(post, { id: 1, slug: { set: 'b' }, views: { increment: 1 }, title: undefined }),
    ).toStrictEqual({ id: 1, slug: 'b', views: undefined })
    const changes = changesOf(post, { author: { connect: { id: 1 } }, tags: {} })
    expect(Object.keys(changes)).toEqual(['authorId'])
    expect(changesOf(post, undefined)).toEqual({})
  })

  it('may change join tables only', () => {
    const tags = { connect: { id: 1 } }
    expect(changesJoinTablesOnly(post, { tags, title: undefined })).toBe(true)
    expect(changesJoinTablesOnly(post, { tags, title: 'a' })).toBe(false)
    expect(changesJoinTablesOnly(post, { author: { connect: { id: 1 } } })).toBe(false)
    for (const nothing of [{}, { tags: undefined }, undefined])
      expect(changesJoinTablesOnly(post, nothing)).toBe(false)
  })
})

describe('a unique where', () => {
  const key = { authorId: 1, slug: 'a' }

  it('pins the fields of its keys', () => {
    expect(pinnedBy(post, { authorId_slug: key, title: { equals: 'b' } })).toEqual({ ...key, title: 'b' })
    expect(pinnedBy(post, { id: 1, OR: [{ slug: 'a' }], NOT: { slug: 'b' }, code: 'c' })).toEqual({ id: 1 })
    expect(pinnedBy(post, undefined)).toEqual({})
  })

  it('is flattened to an ordinary one', () => {
    const others = { title: { contains: 'a' }, author: { id: 2 }, AND: { id: 1 }, OR: {}, NOT: { id: 2 } }
    expect(flattenUnique(post, { authorId_slug: key, ...others })).toEqual({ ...key, ...others })
    expect(flattenUnique(post, { authorId_slug: 'no key' })).toEqual({ authorId_slug: 'no key' })
  })
})

describe('pinnedRows', () => {
  it.each<[string, unknown, readonly object[]]>([
    ['a value', { id: 1 }, [{ id: 1 }]],
    ['{ equals }', { id: { equals: 1, mode: undefined } }, [{ id: 1 }]],
    ['the default mode', { slug: { equals: 'a', mode: 'default' } }, [{ slug: 'a' }]],
    ['a list', { id: { in: [1, 2] }, slug: 'a' }, [1, 2].map((id) => ({ id, slug: 'a' }))],
    ['a list beside another that it cannot read', { code: { in: ['a'] }, id: { in: [1] } }, [{ id: 1 }]],
    ['no value', { title: null }, [{ title: null }]],
    [
      'an alternative that does not pin what stands beside it',
      { slug: 'a', OR: [{ slug: { contains: 'a' }, id: 1 }] },
      [{ slug: 'a', id: 1 }],
    ],
    [
      'alternatives',
      { authorId: 1, OR: [{ slug: 'a' }, { slug: 'b', id: 2 }] },
      [
        { authorId: 1, slug: 'a' },
        { authorId: 1, slug: 'b', id: 2 },
      ],
    ],
  ])('returns the rows that %s names', (_, where, rows) => {
    expect(pinnedRows(post, where)).toEqual(rows)
  })

  it.each<[string, unknown]>([
    ['another operator', { id: { gt: 1 } }],
    ['another operator beside it', { id: { in: [1, 2], not: 1 } }],
    ['another mode', { slug: { equals: 'a', mode: 'insensitive' } }],
    ['a mode beside it that is none', { slug: { equals: 'a', case: 'default' } }],
    ['a list of what it cannot read', { id: { in: [1, 'b'] } }],
    ['no list', { id: { in: 1 } }],
    ['alternatives that are not plain', { OR: [{ id: 1 }, new Date()] }],
    ['a single alternative', { OR: { id: 1 } }],
    ['nothing', undefined],
  ])('returns one unknown row for %s', (_, where) => {
    expect(pinnedRows(post, where)).toEqual([{}])
  })

  it('pins no text that a collation compares, except for null', () => {
    const user = describeSchemaText(`
      datasource db {
        provider = "mysql"
      }
      model User {
        id   Int     @id
        name String?
      }
    `).models.get('User')!
    const wheres = [{ id: 1, name: 'a' }, { name: { in: ['a'] } }, { id: 1, name: null }]
    expect(wheres.map((where) => pinnedRows(user, where))).toEqual([
      [{ id: 1 }],
      [{}],
      [{ id: 1, name: null }],
    ])
  })
})

it.each<[unknown, readonly string[]]>([
  [{ id: 1, author: undefined }, ['Author']],
  [{ id: 1, slug: { contains: 'a' } }, []],
  [{ tags: { some: { id: 1 } } }, ['Tag']],
  [{ author: { is: { posts: { some: { tags: { none: {} } } } } } }, ['Author', 'Post', 'Tag']],
  [{ author: { posts: { some: { id: 1 } } } }, ['Author', 'Post']],
  [{ AND: [{ OR: [{ author: {} }] }, { NOT: { tags: {} } }] }, ['Author', 'Tag']],
  [{ author: { AND: { boss: { staff: { some: { posts: {} } } } } } }, ['Author', 'Post']],
  [undefined, []],
])('finds the models that %j filters by', (where, expected) => {
  expect([...modelsFilteredBy(models, post, where)]).toEqual(expected)
})
