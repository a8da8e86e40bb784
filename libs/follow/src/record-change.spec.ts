import {
  type CacheDescription,
  type DescribedCache,
  type FencedWriteUnit,
  type FieldColumn,
  tableKey,
} from 'model-cache/internal'
import { followedTables } from './followed-tables.js'
import type { LoggedChange, LoggedRow, LoggedTable } from './logged-change.js'
import { recordAll, recordChange } from './record-change.js'

const posts = { schema: 'public', name: 'posts' }
const users = { schema: 'public', name: 'users' }
const tags = { schema: 'public', name: '_PostToTag' }
const column = (field: string, name = field): FieldColumn => ({ field, column: name, type: 'x' })
const id = { name: 'id', kind: 'number' } as const
const numberKey = (name: string) => ({ name, kind: 'number', folds: false }) as const
const lookup = { name: 'a lookup', fingerprint: 'f', watched: [] }

/** A cache of posts by their ids, with lookups by their own fields and by their tags, and rows of users in it. */
const byId: CacheDescription = {
  name: 'Post',
  model: 'Post',
  id: [id],
  buckets: 1,
  dependsOn: ['User'],
  lookups: [
    { ...lookup, key: [numberKey('rating')], watched: ['title'] },
    { ...lookup, key: [{ name: 'price', kind: 'decimal', folds: false }] },
    { ...lookup, key: [{ name: 'at', kind: 'date', folds: false }] },
    { ...lookup, key: [numberKey('tag')], through: 'tags' },
    { ...lookup, key: undefined, through: 'later' },
  ],
  tables: {
    provider: 'postgresql',
    models: [
      {
        model: 'Post',
        ...posts,
        // No lookup of this cache has the tag of a post, and that of the post is computed.
        columns: [
          column('id'),
          column('rating', 'stars'),
          ...['price', 'at', 'title', 'tag'].map((name) => column(name)),
        ],
      },
      { model: 'User', ...users, columns: [] },
    ],
    joins: [
      { relation: 'tags', ...tags, columns: ['B'], target: users, key: column('tag') },
      { relation: 'later', ...tags, columns: ['B'], target: users, key: column('tag') },
      { relation: 'unheard', ...tags, columns: ['A'], target: users, key: column('tag') },
    ],
  },
}

/** One by another unique field. */
const bySlug: CacheDescription = {
  ...byId,
  name: 'PostBySlug',
  id: [{ name: 'slug', kind: 'string' }],
  lookups: [],
  tables: { ...byId.tables!, models: [{ model: 'Post', ...posts, columns: [column('slug')] }], joins: [] },
}

/** One of a view of users and tags, in a partition of which are posts. */
const ofView: CacheDescription = {
  ...bySlug,
  name: 'Author',
  model: 'Author',
  dependsOn: ['Post'],
  tables: {
    provider: 'postgresql',
    models: [
      { model: 'Author', schema: 'public', name: 'authors', columns: [column('slug')], isAlias: true },
      { model: 'Post', schema: 'public', name: 'posts_2026', columns: [], isAlias: true },
      { model: 'Post', ...posts, columns: [] },
      { model: 'Author', ...users, columns: [] },
    ],
    joins: [],
  },
}

/** One of a partition. */
const ofPartition: CacheDescription = {
  ...bySlug,
  model: 'NewPost',
  tables: {
    provider: 'postgresql',
    models: [
      { model: 'NewPost', schema: 'public', name: 'posts_2026', columns: [column('slug')], isAlias: true },
      { model: 'NewPost', ...posts, columns: [column('slug')] },
    ],
    joins: [],
  },
}

const cacheOf = (description: CacheDescription): DescribedCache => ({
  name: description.name,
  fingerprint: 'f',
  affectedBy: [{ model: description.model, table: posts }],
  description,
  layout: JSON.stringify(description),
})
const follow = (caches: readonly DescribedCache[]) => followedTables(caches, new Set(['postgresql']))
const followed = () => follow([cacheOf(byId)])
const followedByBoth = () => follow([cacheOf(byId), cacheOf(bySlug)])

/** What was reported, and of some fields which have changed. */
function recorded(
  record: (unit: FencedWriteUnit) => void,
  fields: readonly string[] = ['id', 'rating', 'price', 'at', 'title'],
): unknown[][] {
  const said: unknown[][] = []
  const unit: Partial<FencedWriteUnit> = {
    markWritten: (model, rows) => void said.push(['written', model, ...rows]),
    markAllWritten: (model, reason, others = []) =>
      void said.push([reason, model, ...others.map((fields) => `not by ${fields.join()}`)]),
    markEverything: (reason) => void said.push([reason]),
    markJoined: (model, rows, changed) =>
      void said.push([
        'joined',
        model,
        ...rows,
        ...(changed ? [fields.filter((one) => changed.has(one)).join()] : []),
      ]),
    markJoinedThrough: (model, relation, rows) => void said.push(['through', model, relation, ...rows]),
  }
  record(unit as FencedWriteUnit)
  return said
}

/** As `written Post id=1; unknown Post`, with `all` for all of the fields, and `any` for an unknown row. */
const textOf = (said: readonly unknown[][]): string =>
  said
    .map((words) =>
      words
        .flatMap((word) => {
          if (typeof word !== 'object') return word === all ? 'all' : word
          const values = Object.entries(word as object).map(
            ([name, value]) => `${name}=${JSON.stringify(value)}`,
          )
          return values.length > 0 ? values : 'any'
        })
        .join(' '),
    )
    .join('; ')

const keyed = (...names: string[]): LoggedTable => ({
  oid: 1,
  ...posts,
  isWhole: false,
  columns: ['id', 'slug', 'stars'].map((name) => ({ name, isKey: names.includes(name), type: 20 })),
})
const whole: LoggedTable = { ...keyed(), isWhole: true }
type Values = Readonly<Record<string, string | null>>
const row = (values: Values): LoggedRow => new Map(Object.entries(values))
const inserted = (table: LoggedTable, now: Values): LoggedChange => ({ kind: 'insert', table, row: row(now) })
const updated = (table: LoggedTable, was: Values | undefined, now: Values): LoggedChange => ({
  kind: 'update',
  table,
  before: was && row(was),
  row: row(now),
})
const deleted = (table: LoggedTable, was: Values) => ({ kind: 'delete' as const, table, before: row(was) })
const truncated = (table: LoggedTable): LoggedChange => ({ kind: 'truncate', tables: [table] })
const all = 'id,rating,price,at,title'

describe('a logged change', () => {
  const both = { id: '1', slug: 'a' }

  it.each<[string, CacheDescription, LoggedTable, string]>([
    ['of a table that a view reads', ofView, { ...keyed('slug'), ...users }, 'dependency Author'],
    ['of a table that its view names', ofView, keyed('slug'), 'written Post any'],
    [
      'of the table of a partition',
      ofPartition,
      keyed('slug'),
      'written NewPost slug="a"; joined NewPost slug="a"',
    ],
  ])('%s is reported under the name of the model', (_, description, table, expected) => {
    const tables = follow([cacheOf(description)])
    expect([...tables.tables.values()].map(({ name }) => name)).not.toContain('posts_2026')
    const change = inserted(table, both)
    expect(textOf(recorded((unit) => recordChange(unit, tables, change)))).toBe(expected)
  })

  it.each<[string, LoggedChange, string]>([
    [
      'of a new row',
      inserted(keyed(), { id: '1', stars: null }),
      'written Post id=1 rating=null; joined Post id=1 rating=null',
    ],
    [
      'of a row that keeps its key',
      updated(keyed('id'), undefined, { id: '1' }),
      'written Post id=1; joined Post id=1 all',
    ],
    [
      'of the key of a row',
      updated(keyed('id'), { id: '1' }, { id: '2' }),
      'written Post id=1 id=2; joined Post id=2 all',
    ],
    ['of a row that is gone', deleted(keyed('id'), { id: '1' }), 'written Post id=1'],
    ['of a row that is gone, by the whole row', deleted(whole, { id: '1' }), 'written Post id=1'],
    ['of a row that is gone, by another key', deleted(keyed('slug'), { slug: 'a' }), 'unknown Post'],
    [
      'of a row of a partition that logs less than its table says',
      updated(whole, undefined, { id: '1' }),
      'unknown Post; joined Post id=1 all',
    ],
    ['of all rows', truncated(keyed()), 'unknown Post'],
    ['of a row that others depend on', inserted({ ...keyed(), ...users }, { id: '1' }), 'written User any'],
    [
      'of a relation',
      deleted({ ...whole, ...tags }, { A: '1', B: '7' }),
      'through Post tags tag=7; through Post later any; through Post unheard any',
    ],
    [
      'of a whole relation',
      truncated({ ...whole, ...tags }),
      'through Post tags any; through Post later any; through Post unheard any',
    ],
  ])('%s is reported to the caches that it concerns', (_, change, said) => {
    expect(textOf(recorded((unit) => recordChange(unit, followed(), change)))).toBe(said)
  })

  it.each<[string, Values, Values, string]>([
    ['a number', { stars: '1.2' }, { stars: '1.4' }, 'rating,title'],
    ['what becomes null', { stars: '0' }, { stars: null }, 'rating,title'],
    ['a decimal that is written otherwise', { price: '1.50' }, { price: '1.5' }, 'title'],
    ['a decimal', { price: '1.5' }, { price: '1.6' }, 'price,title'],
    ['a date that is written otherwise', { at: '2024-01-01' }, { at: '2024-01-01 00:00:00' }, 'title'],
    // Both are in one second.
    ['a date', { at: '2024-01-01 00:00:00.1' }, { at: '2024-01-01 00:00:00.2' }, 'at,title'],
    ['what is not shown after it', { stars: '1' }, {}, 'rating,title'],
    ['what is not shown before it', {}, { stars: '1' }, 'rating,title'],
  ])(
    'of %s in a whole row may move it where the fields are watched that it shows as changed, or not at all',
    (_, old, now, fields) => {
      const rest = { id: '1', stars: '3', price: '3', at: '2024-03-03' }
      const complete = (values: Values, other: Values): Values => ({
        ...Object.fromEntries(Object.entries(rest).filter(([name]) => !(name in other) || name in values)),
        ...values,
      })
      const change = updated(whole, complete(old, now), complete(now, old))
      const said = recorded((unit) => recordChange(unit, followed(), change))
      expect(said.at(-1)!.at(-1)).toBe(fields)
    },
  )

  it.each<[string, 'string' | 'bytes', string | null, string | null, string]>([
    ['the text that NULL is called by, in the place of NULL', 'string', null, 'null', 'tag,title'],
    ['NULL in the place of that text', 'string', 'null', null, 'tag,title'],
    ['bytes that are no text', 'bytes', String.raw`\x00ff`, String.raw`\x00fe`, 'tag,title'],
    ['bytes that stay', 'bytes', String.raw`\x00ff`, String.raw`\x00ff`, 'title'],
  ])('of %s in a whole row may move it exactly if they differ', (_, kind, old, now, fields) => {
    const byTag = { ...lookup, key: [{ name: 'tag', kind, folds: false }] }
    const tables = follow([cacheOf({ ...byId, lookups: [byTag] })])
    const change: LoggedChange = {
      kind: 'update',
      table: whole,
      before: row({ id: '1', tag: old }),
      row: row({ id: '1', tag: now }),
    }
    const said = recorded((unit) => recordChange(unit, tables, change), ['id', 'tag', 'title'])
    expect(said.at(-1)!.at(-1)).toBe(fields)
  })

  it.each<[string, LoggedChange, string]>([
    ['shows both ids of a new row', inserted(keyed('id'), both), 'written Post id=1 slug="a"'],
    [
      'lacks one of them, which is large and has not changed',
      updated(keyed('id', 'slug'), undefined, { id: '1' }),
      'written Post id=1; unknown Post not by id',
    ],
    [
      'lacks one of them after the change alone',
      updated(keyed('id', 'slug'), both, { id: '2' }),
      'written Post id=1 slug="a" id=2; unknown Post not by id',
    ],
    [
      'may lack one of them before the change',
      deleted(keyed('id'), both),
      'written Post id=1 slug="a"; unknown Post not by id',
    ],
    ['may lack both of them', deleted(keyed(), both), 'unknown Post'],
  ])('of a table with two caches that %s', (_, change, said) => {
    const found = recorded((unit) => recordChange(unit, followedByBoth(), change))
    expect(textOf(found.filter(([kind]) => kind === 'written' || kind === 'unknown'))).toBe(said)
  })

  it('of a table that no cache has described concerns those that have described none', () => {
    const change = truncated({ ...whole, name: 'other' })
    const said = (...caches: DescribedCache[]) =>
      recorded((unit) => recordChange(unit, follow([cacheOf(byId), ...caches]), change))
    const unknown = { ...cacheOf(bySlug), description: undefined }
    expect(said()).toEqual([])
    expect(said({ ...unknown, affectedBy: [{ model: 'Tag', table: undefined }] })).toEqual([
      ['unknown', 'Tag'],
    ])
    expect(said({ ...unknown, affectedBy: undefined })).toEqual([['unknown']])
  })

  it('that the log has missed may be of any row of its table', () => {
    const names = [tableKey({ ...posts, name: 'dropped' }), tableKey(posts), tableKey(tags)]
    expect(recorded((unit) => recordAll(unit, followed(), names)).slice(0, 2)).toEqual([
      ['gap', 'Post'],
      ['through', 'Post', 'tags', {}],
    ])
  })
})

describe('the tables of caches', () => {
  const computed = (field: string): FieldColumn => ({ ...column(field), column: undefined })
  const tablesOf = (columns: readonly FieldColumn[], model = 'Post') => ({
    ...bySlug.tables!,
    models: [{ model, ...posts, columns }],
  })
  const facts = (tables: ReturnType<typeof follow>) =>
    Object.fromEntries(
      [...tables.tables.values()].map(({ columns, idColumns, models, name }) => [
        name,
        [
          [...columns].join(),
          [...idColumns].join(),
          models.map(({ ids }) => ids.map(({ fields }) => fields.join()).join(' ')),
        ],
      ]),
    )

  it('are read in the columns of ids and keys alone, once for all caches of a model', () => {
    expect(facts(followedByBoth())).toEqual({
      posts: ['id,stars,price,at,slug', 'id,slug', ['id slug']],
      users: ['', '', ['']],
      _PostToTag: ['B,A', '', []],
    })
  })

  it('are read once for caches that read a field in the same way', () => {
    const other = { ...bySlug, tables: tablesOf([column('slug'), column('rating', 'stars')]) }
    const key = { ...lookup, key: [numberKey('rating')] }
    const caches = [cacheOf(byId), cacheOf({ ...other, lookups: [key] })]
    expect(facts(follow(caches))['posts']![2]).toEqual(['id slug'])
  })

  it('are read twice while two caches read a field differently, as around a migration', () => {
    const texts = {
      ...bySlug,
      lookups: [{ ...lookup, key: [{ name: 'rating', kind: 'string', folds: false } as const] }],
    }
    const other = { ...texts, tables: tablesOf([column('slug'), column('rating', 'stars')]) }
    expect(facts(follow([cacheOf(byId), cacheOf(other)]))['posts']![2]).toEqual(['id', 'slug'])
  })

  it('of two models may be one, as for a view', () => {
    const drafts = { ...bySlug, model: 'Draft', id: [id], tables: tablesOf([column('id')], 'Draft') }
    expect(facts(follow([cacheOf(byId), cacheOf(drafts)]))['posts']![2]).toEqual(['id', 'id'])
  })

  it.each<[string, Partial<CacheDescription> | undefined, boolean]>([
    ['no description that this version reads', undefined, false],
    ['no tables', { tables: undefined }, false],
    ['tables of another database', { tables: { ...bySlug.tables!, provider: 'mysql' } }, false],
    [
      'an id that is computed',
      { id: [id, { name: 'slug', kind: 'string' }], tables: tablesOf([column('id'), computed('slug')]) },
      false,
    ],
    ['another field that is computed', { tables: tablesOf([column('slug'), computed('sum')]) }, true],
  ])('are followed if a cache has %s', (_, change, isFollowed) => {
    const cache = cacheOf({ ...bySlug, ...change })
    const { tables, unknown } = follow([change ? cache : { ...cache, description: undefined }])
    expect([tables.size, unknown.length]).toEqual(isFollowed ? [1, 0] : [0, 1])
  })
})
