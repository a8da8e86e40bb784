import { type CacheDescription, cacheOf, entryOf, layoutOf } from './cache-description.js'

const lots: CacheDescription = {
  name: 'Lot',
  model: 'AuctionItem',
  id: [
    { name: 'fundraiserId', kind: 'string' },
    { name: 'lot', kind: 'number' },
  ],
  buckets: 64,
  dependsOn: ['Item'],
  lookups: [
    {
      name: 'place',
      print: 'abc',
      key: [{ name: 'fundraiserId', kind: 'string', folds: false }],
      watched: ['lot'],
      through: undefined,
    },
  ],
  tables: {
    models: [
      {
        model: 'AuctionItem',
        schema: 'public',
        name: 'lots',
        columns: [
          { field: 'fundraiserId', column: 'fundraiser_id' },
          { field: 'lot', column: 'lot', values: { one: 'ONE' } },
        ],
      },
      { model: 'Item', schema: 'shop', name: 'Item', columns: [] },
    ],
    joins: [{ relation: 'tags', schema: 'public', name: '_ItemToTag', columns: ['B'] }],
  },
}

describe('the description of a cache', () => {
  it('survives the round trip through its entry', () => {
    const cache = cacheOf(entryOf(lots, 'print'))
    expect(cache).toEqual({
      name: 'Lot',
      fingerprint: 'print',
      models: ['AuctionItem', 'Item'],
      description: lots,
      layout: layoutOf(lots),
    })
  })

  it.each([
    ['its id', { id: [{ name: 'lot', kind: 'number' }] }],
    ['its buckets', { buckets: 16 }],
    ['its dependencies', { dependsOn: [] }],
    ['its lookups', { lookups: [] }],
    ['its tables', { tables: undefined }],
  ] as const)('has a different entry and layout for another value of %s', (_, change) => {
    const other = { ...lots, ...change }
    expect(entryOf(other, 'print').field).not.toBe(entryOf(lots, 'print').field)
    expect(layoutOf(other)).not.toBe(layoutOf(lots))
  })

  it('has one layout for all fingerprints', () => {
    expect(cacheOf(entryOf(lots, 'older')).layout).toBe(cacheOf(entryOf(lots, 'newer')).layout)
  })

  it.each([
    ['a newer version', { v: 4 }],
    ['an id of an unknown kind', { id: [['lot', 'uuid']] }],
    ['no id', { id: [] }],
    ['no lookups', { lookups: undefined }],
    ['a number of buckets that is not a power of two', { buckets: 7 }],
  ])('has only its models if the entry has %s', (_, change) => {
    const { field, text } = entryOf(lots, 'print')
    const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...change })
    const { description, models } = cacheOf({ field, text: changed })
    expect([description, models]).toEqual([undefined, ['AuctionItem', 'Item']])
  })

  it('keeps a lookup that a newer version describes in another way, without its key', () => {
    const { field, text } = entryOf(lots, 'print')
    const { lookups, ...rest } = JSON.parse(text) as { lookups: object[] }
    const changed = JSON.stringify({ ...rest, lookups: [{ ...lookups[0], kind: 'phonetic' }] })
    expect(cacheOf({ field, text: changed }).description?.lookups).toEqual([
      { name: 'place', print: 'abc', key: undefined, watched: [] },
    ])
  })

  it.each(['', 'null', '[]', '{"v":1}', '{"model":7,"dependsOn":[]}'])(
    'affects every model if the entry is %j',
    (text) => {
      const { description, models, name } = cacheOf({ field: 'Lot:print:digest', text })
      expect([description, models, name]).toEqual([undefined, undefined, 'Lot'])
    },
  )
})
