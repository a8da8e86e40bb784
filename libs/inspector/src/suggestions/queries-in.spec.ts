import { queriesIn } from './queries-in.js'

const lookup = { name: 'slug', by: ['slug'], orderBy: [{ id: 'asc' }] }
const cache = { name: 'Lot', idFields: ['id'], fields: ['id'], exactFields: ['id'], lookups: [lookup] }
const query = { model: 'Lot', action: 'findMany', reason: 'condition', count: 1, args: {} }
const model = { model: 'Lot', answered: 1, omitted: ['secret'], caches: [cache], bypassed: [query] }
const valid = { composed: ['default'], takesAnyRow: false, models: [model] }

describe('queries in JSON', () => {
  const { caches: _, ...withoutCaches } = model
  const { args: __, ...withoutArgs } = query
  it.each<[string, object]>([
    ['with everything', valid],
    ['without models', { ...valid, models: [] }],
    ['of a model without caches', { ...valid, models: [withoutCaches] }],
    ['without arguments', { ...valid, models: [{ ...model, bypassed: [withoutArgs] }] }],
  ])('are those of a client, %s', (_, json) => {
    expect(queriesIn(json)).toEqual([json])
  })

  it('are those of each root in an answer of the inspector', () => {
    expect(queriesIn({ roots: [valid, {}, { ...valid, models: [] }] })).toEqual([
      valid,
      { ...valid, models: [] },
    ])
    expect(queriesIn({ ...valid, roots: [] })).toEqual([])
  })

  const withModel = (change: object): object => ({ ...valid, models: [{ ...model, ...change }] })
  const withCache = (change: object): object => withModel({ caches: [{ ...cache, ...change }] })
  const withLookup = (change: object): object => withCache({ lookups: [{ ...lookup, ...change }] })
  const withQuery = (change: object): object => withModel({ bypassed: [{ ...query, ...change }] })
  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'a'],
    ['a list', [valid]],
    ['an object', {}],
    ['other names of strategies', { ...valid, composed: [1] }],
    ['no list of strategies', { ...valid, composed: 'default' }],
    ['no list of models', { ...valid, models: model }],
    ['no models', { ...valid, models: undefined }],
    ['a model that is none', { ...valid, models: [1] }],
    ['one of two models that is none', { ...valid, models: [model, {}] }],
    ['a name of a model', withModel({ model: 1 })],
    ['a number of answers', withModel({ answered: '1' })],
    ['omitted fields', withModel({ omitted: [1] })],
    ['no omitted fields', withModel({ omitted: undefined })],
    ['caches', withModel({ caches: [1] })],
    ['no list of caches', withModel({ caches: {} })],
    ['queries', withModel({ bypassed: [null] })],
    ['the name of a cache', withCache({ name: 1 })],
    ['the fields of an id', withCache({ idFields: [1] })],
    ['fields', withCache({ fields: 'id' })],
    ['exact fields', withCache({ exactFields: undefined })],
    ['lookups', withCache({ lookups: ['slug'] })],
    ['the name of a lookup', withLookup({ name: 1 })],
    ['the fields of a lookup', withLookup({ by: [1] })],
    ['the order of a lookup', withLookup({ orderBy: ['id'] })],
    ['the model of a query', withQuery({ model: 1 })],
    ['the action of a query', withQuery({ action: 1 })],
    ['the reason of a query', withQuery({ reason: 1 })],
    ['the number of queries', withQuery({ count: '1' })],
    ['the arguments of a query', withQuery({ args: 'a' })],
  ])('are none if they are of another form: %s', (_, json) => {
    expect(queriesIn(json)).toEqual([])
  })
})
