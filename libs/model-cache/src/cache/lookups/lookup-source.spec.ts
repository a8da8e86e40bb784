import { createKeySpace } from '../../protocol/index.js'
import type { RowQuery, Source } from '../../source/source.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import { createEntryKeys } from './entry-keys.js'
import { createLookupSource } from './lookup-source.js'
import { compileMatcher } from './matcher.js'

interface Post {
  readonly id: number
  readonly author: string | null
  readonly org?: number
  readonly state?: string
}

const text = (name: string, folds = false) => ({ name, kind: 'string', folds }) as const
const number = (name: string) => ({ name, kind: 'number', folds: false }) as const

const byAuthor: BoundLookup = {
  name: 'byAuthor',
  kind: 'list',
  by: ['author'],
  isCompound: false,
  through: undefined,
  where: {},
  orderBy: [{ id: 'asc' }],
  limit: undefined,
  maxRows: 3,
  comparesText: undefined,
  conditions: [],
  orderedBy: [],
  description: { name: 'byAuthor', fingerprint: 'p', key: [text('author')], watched: [] },
}

/** A source of entries that finds these rows, whatever the query is, and what it has asked for. */
function open(change: Partial<BoundLookup>, found: (query: RowQuery) => readonly Post[], base = {}) {
  const lookup: BoundLookup = { ...byAuthor, ...change }
  const rows = createKeySpace<Post, never>({
    namespace: 'mc',
    name: 'Post',
    buckets: 1,
    id: [{ name: 'id', kind: 'number' }],
    fingerprint: 'p',
  })
  const queries: RowQuery[] = []
  const clients: unknown[] = []
  const tooLong: number[] = []
  const source: Source<Post, never> = {
    load: async () => [],
    find: async (query, client) => {
      queries.push(query)
      clients.push(client)
      return found(query)
    },
    mayBlameOneId: (error) => error === 'one id',
    ...base,
  }
  const entries = createLookupSource<Post, never>({
    lookup,
    matcher: compileMatcher(lookup),
    keys: createEntryKeys('Post', lookup, rows),
    source,
    idOf: ({ id }) => id,
    onTooLong: (lists) => tooLong.push(lists),
  })
  return { entries, queries, clients, tooLong }
}

const posts: readonly Post[] = [
  { id: 1, author: 'a' },
  { id: 2, author: 'a' },
  { id: 3, author: 'b' },
]

describe('the source of a list', () => {
  it('loads the entries of several keys with one query, and of one with its own condition', async () => {
    const { entries, queries, clients } = open({}, () => posts)
    const client = {}
    const loaded = await entries.load(['a', 'b', 'c'], client)
    expect(loaded.map(({ key, ids, isStorable }) => [key, ids, isStorable])).toEqual([
      ['a', [1, 2], true],
      ['b', [3], true],
      ['c', [], true],
    ])
    await entries.load(['a'])
    expect(queries).toStrictEqual([
      { where: { author: { in: ['a', 'b', 'c'] } }, orderBy: [{ id: 'asc' }] },
      { where: { author: 'a' }, orderBy: [{ id: 'asc' }] },
    ])
    expect(clients).toEqual([client, undefined])
  })

  it('asks for rows that fulfil its conditions and have the key', async () => {
    const { entries, queries } = open({ where: { state: 'open' } }, () => [])
    await entries.load(['a'])
    await entries.load(['a', 'b'])
    expect(queries.map(({ where }) => where)).toEqual([
      { AND: [{ state: 'open' }, { author: 'a' }] },
      { AND: [{ state: 'open' }, { author: { in: ['a', 'b'] } }] },
    ])
  })

  it('asks for keys of several fields, and of relations', async () => {
    const key = [text('author'), number('org')]
    const several = { by: ['author', 'org'], isCompound: true, description: { ...byAuthor.description, key } }
    const compound = open(several, () => [])
    await compound.entries.load([{ author: 'a', org: 1, more: 2 }])
    await compound.entries.load([
      { author: 'a', org: 1 },
      { author: 'b', org: 1 },
    ])
    expect(compound.queries.map(({ where }) => where)).toEqual([
      { author: 'a', org: 1 },
      {
        OR: [
          { author: 'a', org: 1 },
          { author: 'b', org: 1 },
        ],
      },
    ])
    expect([compound.entries.maxIds, open({}, () => []).entries.maxIds]).toEqual([50, 500])
    const through = open(
      { through: 'tags', description: { ...byAuthor.description, key: [text('id')], through: 'tags' } },
      () => [],
    )
    await through.entries.load(['t'])
    expect(through.queries[0]!.where).toEqual({ tags: { some: { id: 't' } } })
  })

  it('asks for several truth values as Prisma takes them', async () => {
    const key = [{ name: 'open', kind: 'boolean', folds: false }] as const
    const change = { by: ['open'], description: { ...byAuthor.description, key } }
    const { entries, queries } = open(change, () => [])
    await entries.load([true, false])
    expect(queries[0]!.where).toEqual({ OR: [{ open: true }, { open: false }] })
  })

  it('loads each key by itself if its rows are limited, or do not show their key', () => {
    const relation = { through: 'tags', description: { ...byAuthor.description, through: 'tags' } }
    expect([open({ limit: 2 }, () => []).entries.maxIds, open(relation, () => []).entries.maxIds]).toEqual([
      1, 1,
    ])
    expect(open({}, () => [], { maxIds: 7 }).entries.maxIds).toBe(7)
  })

  it('asks for as many rows as the limit, and stores a list of them however long', async () => {
    const rows = Array.from({ length: 5 }, (_, id) => ({ id, author: 'a' }))
    const { entries, queries, tooLong } = open({ limit: 5 }, () => rows)
    const [entry] = await entries.load(['a'])
    expect([queries[0]!.take, entry!.isStorable, tooLong]).toEqual([5, true, []])
  })

  it('stores no rows that do not have the key, or do not fulfil the conditions, as this process compares', async () => {
    const mixed = open({}, () => [
      { id: 1, author: 'a' },
      { id: 2, author: 'A' },
    ])
    expect((await mixed.entries.load(['a']))[0]!.isStorable).toBe(false)
    const other = open({}, () => [{ id: 1, author: 'A' }])
    expect((await other.entries.load(['a']))[0]!.isStorable).toBe(false)
    const conditions = [{ name: 'state', is: 'one of', field: text('state'), values: ['open'] }] as const
    const closed = open({ conditions }, () => [{ id: 1, author: 'a', state: 'OPEN' }])
    expect((await closed.entries.load(['a']))[0]!.isStorable).toBe(false)
    const folded = { description: { ...byAuthor.description, key: [text('author', true)] } }
    expect((await open(folded, () => []).entries.load(['ä']))[0]!.isStorable).toBe(false)
  })

  it('stores rows of a relation, which do not have the key', async () => {
    const through = { through: 'tags', description: { ...byAuthor.description, through: 'tags' } }
    const { entries } = open(through, () => [{ id: 1, author: null }])
    expect((await entries.load(['t']))[0]).toMatchObject({ key: 't', ids: [1], isStorable: true })
  })

  it('loads each key by itself if a row of several has another key than the database says', async () => {
    const { entries, queries } = open({}, ({ where }) =>
      'in' in Object((where as { author: unknown }).author) ? [{ id: 1, author: 'A' }] : [],
    )
    expect((await entries.load(['a', 'b'])).map(({ key }) => key)).toEqual(['a', 'b'])
    expect(queries).toHaveLength(3)
  })

  it('loads keys by themselves of which only the database knows what they equal, also if a row shows another one', async () => {
    const folded = { description: { ...byAuthor.description, key: [text('author', true)] } }
    // As a collation without accents finds the row by both keys.
    const { entries, queries } = open(folded, () => [{ id: 1, author: 'Zurich' }])
    const loaded = await entries.load(['zurich', 'Zürich', 'bern'])
    expect(loaded.map(({ ids, isStorable, key }) => [key, ids, isStorable])).toEqual([
      ['zurich', [1], true],
      ['bern', [], true],
      ['%=["Zürich"]', [1], false],
    ])
    expect(queries.map(({ where }) => where)).toEqual([
      { author: { in: ['zurich', 'bern'] } },
      { author: 'Zürich' },
    ])
  })
})

it('a unique key that no row has gets no entry, and a list without rows has one', async () => {
  expect(await open({ kind: 'unique' }, () => []).entries.load(['a'])).toEqual([])
  expect(await open({ kind: 'unique' }, () => posts.slice(0, 2)).entries.load(['a', 'c'])).toHaveLength(1)
  expect(await open({}, () => []).entries.load(['a'])).toHaveLength(1)
})

it('a source of entries belongs to the transactions, and blames ids for the errors, of the source of rows', () => {
  const own = {}
  const { entries } = open({}, () => [], { isOwnTransaction: (client: object) => client === own })
  expect([entries.isOwnTransaction!(own), entries.isOwnTransaction!({})]).toEqual([true, false])
  expect(open({}, () => []).entries.isOwnTransaction!({})).toBe(true)
  expect([entries.mayBlameOneId('one id'), entries.mayBlameOneId('all ids')]).toEqual([true, false])
  const folded = open({ description: { ...byAuthor.description, key: [text('author', true)] } }, () => [])
  expect([folded.entries.isCanonical!('a'), folded.entries.isCanonical!('ä')]).toEqual([true, false])
  expect([folded.entries.canonicalOf!('a'), folded.entries.canonicalOf!('ä')]).toEqual(['a', undefined])
})

it('an entry may lag behind what was written if it is of a standby', async () => {
  const mayLag = async (base: object, client?: object): Promise<boolean | undefined> =>
    (await open({}, () => posts, base).entries.load(['a'], client))[0]!.mayLag
  const primary = {}
  expect([await mayLag({ primary }), await mayLag({ primary }, primary), await mayLag({})]).toEqual([
    true,
    false,
    false,
  ])
})
