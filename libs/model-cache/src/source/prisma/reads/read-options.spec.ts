import { describeSchemaText } from '../schema/describe-schema.js'
import { composesFor, type Reads, readSettingsOf } from './read-options.js'

const { models } = describeSchemaText(`
  model Post {
    id Int @id
  }
  model Tag {
    id Int @id
  }
  view Ranking {
    id Int @unique
  }
`)
const post = { name: 'Post', model: 'Post' }
const titles = { name: 'Titles', model: 'Post' }
const tag = { name: 'Tag', model: 'Tag' }
const settingsOf = (reads: unknown) => readSettingsOf(reads as Reads, models)
const plain = {
  names: undefined,
  isShadow: false,
  skipsHooks: false,
  composing: 'queries',
  takesAnyRow: false,
  weighsCosts: true,
  results: new Map(),
}

it.each<[unknown, object]>([
  ['all', plain],
  ['shadow', { ...plain, isShadow: true }],
  [{}, plain],
  [{ caches: 'all' }, plain],
  [{ shadow: true }, { ...plain, isShadow: true }],
  [{ hooks: 'skip' }, { ...plain, skipsHooks: true }],
  [{ hooks: undefined }, plain],
  [{ findFirst: 'any' }, { ...plain, takesAnyRow: true }],
  [{ longLists: 'answer' }, { ...plain, weighsCosts: false }],
  [{ results: {} }, plain],
  [{ results: { Post: '1h' } }, { ...plain, results: new Map([['Post', { ttl: '1h' }]]) }],
  [
    {
      results: {
        Post: { ttl: '1h', prefer: false, by: 'id' },
        Tag: { ttl: 5_000, staleFor: '1m', compress: { above: '2kB' }, follow: 'required' },
      },
    },
    {
      ...plain,
      results: new Map([
        ['Post', { ttl: '1h', prefer: false, by: ['id'] }],
        ['Tag', { ttl: 5_000, staleFor: '1m', compress: { above: '2kB' }, follow: 'required' }],
      ]),
    },
  ],
  [{ compose: 'never' }, { ...plain, composing: 'never' }],
  [
    { compose: 'always', caches: 'all' },
    { ...plain, composing: 'always' },
  ],
])('%j: all caches answer', (reads, settings) => {
  expect(settingsOf(reads)).toEqual(settings)
})

it.each([{ reads: [post, tag, titles] }, { reads: { caches: [post, tag, titles], shadow: false } }])(
  'the caches of a list answer: %#',
  ({ reads }) => {
    const names = new Map([
      ['Post', new Set(['Post', 'Titles'])],
      ['Tag', new Set(['Tag'])],
    ])
    expect(settingsOf(reads)).toEqual({ ...plain, names })
  },
)

it.each<[string, unknown, string]>([
  ['another text', 'some', 'option "reads" '],
  ['nothing', null, 'option "reads" '],
  ['an unknown option', { cache: 'all' }, 'option "reads.cache" '],
  ['a shadow that is not a boolean', { shadow: 'yes' }, 'option "reads.shadow" '],
  ['other hooks', { hooks: 'run' }, 'option "reads.hooks" '],
  ['another way to compose', { compose: true }, 'option "reads.compose" '],
  ['another way to find the first', { findFirst: 'first' }, 'option "reads.findFirst" '],
  ['caches that are no list', { caches: post }, 'option "reads.caches" '],
  ['an entry that is nothing', [undefined], 'as defineModelCache returns them'],
  ['an entry without a model', [{ name: 'Post' }], 'as defineModelCache returns them'],
  ['an entry without a name', [{ model: 'Post' }], 'as defineModelCache returns them'],
  ['a model that the client lacks', { caches: [{ ...post, model: 'Missing' }] }, 'no model "Missing"'],
  ['a cache with a load', [{ ...post, load: () => [] }], 'has a `load`'],
  ['results that are a list', { results: ['Post'] }, 'option "reads.results" '],
  [
    'results of a model that the client lacks',
    { results: { Missing: '1h' } },
    'option "reads.results.Missing" ',
  ],
  ['results of a view', { results: { Ranking: '1h' } }, 'option "reads.results.Ranking" '],
  [
    'a follower that is not required',
    { results: { Post: { ttl: '1h', follow: true } } },
    'option "reads.results.Post.follow" ',
  ],
  [
    'a preference that is none',
    { results: { Post: { ttl: '1h', prefer: 'rows' } } },
    'option "reads.results.Post.prefer" ',
  ],
  [
    'results by an unknown field',
    { results: { Post: { ttl: '1h', by: ['id', 'none'] } } },
    'option "reads.results.Post.by" ',
  ],
  [
    'hot results alone in memory',
    { results: { Post: { ttl: '1h', l1: { hot: 10 } } } },
    'option "reads.results.Post.l1.hot" is 10; expected left out: results are kept whatever reads them',
  ],
  [
    'results in memory that say not how',
    { results: { Post: { ttl: '1h', l1: true } } },
    `option "reads.results.Post.l1" is true; expected an object, as { ttl: '10s' }`,
  ],
  ['results by no field', { results: { Post: { ttl: '1h', by: 7 } } }, 'option "reads.results.Post.by" '],
  ['an unknown option of results', { results: { Post: { as: 'id' } } }, 'option "reads.results.Post.as" '],
  ['a cache with an include', { caches: [{ ...post, include: {} }] }, 'has an `include`'],
])('refuses %s', (_, reads, message) => {
  expect(() => settingsOf(reads)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
  expect(() => settingsOf(reads)).toThrow(message)
})

describe('relations come from caches', () => {
  const strategies = [undefined, 'query', 'join', 'other']

  it('unless the database would return one snapshot, or as `compose` says', () => {
    const decided = (composing: 'queries' | 'always' | 'never') =>
      strategies.map(composesFor(composing, true, () => true))
    expect(decided('queries')).toEqual([false, true, false, undefined])
    expect(decided('always')).toEqual([true, true, true, undefined])
    expect(decided('never')).toEqual([false, false, false, undefined])
  })

  it('of clients without joins in all queries, which have no strategy', () => {
    const decided = (composing: 'queries' | 'never') =>
      strategies.map(composesFor(composing, false, () => true))
    expect(decided('queries')).toEqual([true, undefined, undefined, undefined])
    expect(decided('never')).toEqual([false, undefined, undefined, undefined])
  })

  it('of servers without joins in all queries, which may not ask for them', () => {
    const decided = (composing: 'queries' | 'always' | 'never') =>
      strategies.map(composesFor(composing, true, () => false))
    expect(decided('queries')).toEqual([true, true, undefined, undefined])
    expect(decided('always')).toEqual([true, true, undefined, undefined])
    expect(decided('never')).toEqual([false, false, undefined, undefined])
  })
})
