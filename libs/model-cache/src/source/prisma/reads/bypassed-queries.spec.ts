import { describeSchemaText } from '../schema/describe-schema.js'
import { BypassedQueries } from './bypassed-queries.js'
import { queryShapeOf } from './query-shape.js'

const { models } = describeSchemaText(`
datasource db { provider = "postgresql" }
model Post {
  id       Int      @id
  org      String
  slug     String
  title    String
  meta     Json?
  authorId Int
  author   User     @relation(fields: [authorId], references: [id])
  @@unique([org, slug])
}
model User {
  id    Int    @id
  name  String
  posts Post[]
}`)

const secret = 'ada@example.org'

describe('the shape of a query', () => {
  it.each([
    [
      'a key of several fields',
      { where: { org_slug: { org: secret, slug: secret } } },
      { where: { org_slug: { org: '?', slug: '?' } } },
    ],
    [
      'JSON by a value',
      { where: { meta: { path: [secret], equals: { [secret]: secret } } } },
      { where: { meta: { path: ['?'], equals: '?' } } },
    ],
    ['a cursor', { cursor: { id: 7 }, distinct: ['title'] }, { cursor: { id: '?' }, distinct: ['title'] }],
  ])('has %s', (_, args, shape) => {
    expect(queryShapeOf(models, 'Post', args)).toEqual(shape)
  })

  it('has no name that neither the schema nor Prisma has', () => {
    const args = {
      [secret]: true,
      where: { [secret]: 1, title: { [secret]: 1 }, author: { [secret]: 1 } },
      select: { [secret]: true, author: { select: { [secret]: true } } },
      omit: { [secret]: true },
      orderBy: { [secret]: 'asc', title: secret, author: { [secret]: 'asc' } },
      take: secret,
      cursor: { [secret]: 1 },
      distinct: [secret],
      relationLoadStrategy: secret,
    }
    expect(JSON.stringify(queryShapeOf(models, 'Post', args))).not.toContain(secret)
  })
})

describe('counts of bypassed queries', () => {
  const find = { model: 'Post', action: 'findMany', reason: 'condition' } as const

  it('are those of each shape, with their reason', () => {
    const queries = new BypassedQueries(models)
    queries.add({ ...find, args: { where: { title: 'a' } } })
    queries.add({ ...find, args: { where: { title: 'b' } } })
    queries.add({ ...find, reason: 'order', args: { where: { title: 'b' } } })
    expect(queries.all()).toEqual([
      { ...find, args: { where: { title: '?' } }, count: 2 },
      { ...find, reason: 'order', args: { where: { title: '?' } }, count: 1 },
    ])
  })

  it('have no arguments where the reason has nothing to do with them', () => {
    const queries = new BypassedQueries(models)
    queries.add({ ...find, reason: 'transaction', args: { where: { title: 'a' } } })
    queries.add({ ...find, reason: 'argument' })
    expect(queries.all()).toEqual([
      { ...find, reason: 'transaction', count: 1 },
      { ...find, reason: 'argument', count: 1 },
    ])
  })

  it('keep the frequent shapes of any number, and the sum of all', () => {
    const queries = new BypassedQueries(models)
    for (let i = 0; i < 3; i++) queries.add({ ...find, args: { where: { title: 'a' } } })
    for (let i = 0; i < 4_000; i++) {
      const flags = Object.fromEntries(
        ['id', 'org', 'slug', 'title', 'authorId', 'meta'].map((field, bit) => [field, (i & (1 << bit)) > 0]),
      )
      queries.add({ ...find, args: { select: flags, take: i % 25, skip: i % 7 } })
    }
    const all = queries.all()
    expect(all.length).toBeLessThanOrEqual(1_001)
    expect(all).toContainEqual({ ...find, args: { where: { title: '?' } }, count: 3 })
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(4_003)
    expect(all.find(({ args }) => !args)!.count).toBeGreaterThan(0)
  })

  /** Each query of one field has a shape of 976 characters, which has 1,000 with its model, operation and reason. */
  const longNames = Array.from({ length: 501 }, (_, i) => `f${i}_`.padEnd(956, 'x'))
  const shortNames = Array.from({ length: 1_001 }, (_, i) => `s${i}`)
  const long = describeSchemaText(`
    datasource db { provider = "postgresql" }
    model Post {
      id Int @id
      ${[...longNames, ...shortNames].map((name) => `${name} Int`).join('\n')}
      ${'y'.repeat(980)} Int
      ${'z'.repeat(981)} Int
    }`).models
  const shapesOf = (queries: BypassedQueries) => queries.all().filter(({ args }) => args).length
  const select = (...names: readonly string[]) => ({
    ...find,
    args: { select: Object.fromEntries(names.map((name) => [name, true])) },
  })

  it('have shapes of 1,000 characters at most', () => {
    const queries = new BypassedQueries(long)
    queries.add(select('y'.repeat(980)))
    expect(queries.all()).toEqual([{ ...select('y'.repeat(980)), count: 1 }])
    queries.add(select('z'.repeat(981)))
    queries.add(select('z'.repeat(981)))
    expect(queries.all()).toEqual([
      { ...find, count: 2 },
      { ...select('y'.repeat(980)), count: 1 },
    ])
  })

  it('have 400,000 characters at most, of which the rarest are dropped first', () => {
    const queries = new BypassedQueries(long)
    const add = (...numbers: readonly number[]) => {
      for (const number of numbers) queries.add(select(longNames[number]!))
    }
    add(...Array(400).keys(), 399)
    expect(shapesOf(queries)).toBe(400)
    add(400)
    expect(shapesOf(queries)).toBe(301)
    expect(queries.all().slice(0, 2)).toEqual([
      { ...find, count: 100 },
      { ...select(longNames[399]!), count: 2 },
    ])
    add(...Array.from({ length: 99 }, (_, i) => 401 + i))
    expect(shapesOf(queries)).toBe(400)
    add(500)
    expect(shapesOf(queries)).toBe(301)
  })

  it('have 1,000 shapes at most', () => {
    const queries = new BypassedQueries(long)
    for (const name of shortNames.slice(0, 1_000)) queries.add(select(name))
    expect(shapesOf(queries)).toBe(1_000)
    queries.add(select(shortNames[1_000]!))
    expect(shapesOf(queries)).toBe(751)
  })
})
