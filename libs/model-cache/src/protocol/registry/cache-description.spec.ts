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
      fingerprint: 'abc',
      key: [{ name: 'fundraiserId', kind: 'string', folds: false }],
      watched: ['lot'],
      through: undefined,
    },
  ],
  tables: {
    provider: 'postgresql',
    models: [
      {
        model: 'AuctionItem',
        schema: 'public',
        name: 'lots',
        columns: [
          { field: 'fundraiserId', column: 'fundraiser_id', type: 'String Uuid()' },
          { field: 'lot', column: 'lot', type: 'Enum', values: { one: 'ONE' } },
          { field: 'computed', column: undefined, type: '' },
        ],
      },
      { model: 'Item', schema: 'shop', name: 'Item', columns: [] },
      { model: 'Item', schema: 'shop', name: '_ItemToLot', columns: [], isJoin: true },
    ],
    joins: [
      {
        relation: 'tags',
        schema: 'public',
        name: '_ItemToTag',
        columns: ['B'],
        target: { schema: 'public', name: 'tags' },
        key: { field: 'id', column: 'id', type: 'Int' },
      },
    ],
  },
}

const affectedBy = [
  { model: 'AuctionItem', table: { schema: 'public', name: 'lots' } },
  { model: 'Item', table: { schema: 'shop', name: 'Item' } },
  { model: 'Item', table: { schema: 'shop', name: '_ItemToLot' } },
  { model: 'AuctionItem', table: { schema: 'public', name: '_ItemToTag' } },
  { model: 'AuctionItem', table: { schema: 'public', name: 'tags' } },
]

describe('the description of a cache', () => {
  it('survives the round trip through its entry', () => {
    const cache = cacheOf(entryOf(lots, 'print'))
    expect(entryOf(lots, 'print').field).toMatch(/^Lot:print:[\w-]{8}$/)
    expect(cache).toEqual({
      name: 'Lot',
      fingerprint: 'print',
      affectedBy,
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

  it.each([
    ['encrypted', { isEncrypted: true, isCompressed: false, hashedBy: undefined }, 4],
    ['compressed', { isEncrypted: false, isCompressed: true, hashedBy: undefined }, 4],
    ['encrypted, with hashed ids', { isEncrypted: true, isCompressed: true, hashedBy: '2026-11' }, 5],
  ] as const)('says how values are stored, in another layout: %s', (_, atRest, version) => {
    const other = { ...lots, atRest }
    const entry = entryOf(other, 'print')
    expect(cacheOf(entry).description).toEqual(other)
    expect(layoutOf(other)).not.toBe(layoutOf(lots))
    // Older writers go on to know all but those whose keys they could not make.
    expect((JSON.parse(entry.text) as { v: number }).v).toBe(version)
    expect(entryOf(lots, 'print').text).not.toContain('atRest')
  })

  it.each([
    ['no list', 'encrypted'],
    ['too few words', [true, false]],
    ['another word', [true, 'brotli', null]],
    ['another word for encryption', ['rot13', false, null]],
    ['a key that is no text', [true, false, 7]],
    ['hashed ids, in a version that has none', [true, false, '2026-11']],
  ])('has only the tables that affect it if its values are stored in an unknown form: %s', (_, atRest) => {
    const { field, text } = entryOf(lots, 'print')
    const changed = JSON.stringify({ ...(JSON.parse(text) as object), atRest })
    expect(cacheOf({ field, text: changed })).toMatchObject({ description: undefined, affectedBy })
  })

  it('has one layout for all fingerprints', () => {
    expect(cacheOf(entryOf(lots, 'older')).layout).toBe(cacheOf(entryOf(lots, 'newer')).layout)
  })

  it.each([
    ['a newer version', { v: 5 }],
    ['tables that this version does not understand', { tables: { models: 'all' } }],
    ['a model that is no text', { model: 7 }],
    ['dependencies that are no text', { dependsOn: [7] }],
    ['a dependency that is no text', { dependsOn: ['Item', 7] }],
    ['an id of an unknown kind', { id: [['lot', 'uuid']] }],
    [
      'a field of the id of an unknown kind',
      {
        id: [
          ['fundraiserId', 'string'],
          ['lot', 'uuid'],
        ],
      },
    ],
    ['a field of the id that has no name', { id: [[7, 'string']] }],
    ['no id', { id: [] }],
    ['no lookups', { lookups: undefined }],
    ['a number of buckets that is not a power of two', { buckets: 7 }],
    ['a number of buckets below one', { buckets: 0.5 }],
    ['more buckets than there may be', { buckets: 2_048 }],
    ['a number of buckets in another form', { buckets: '4' }],
  ])('has only the tables that affect it if the entry has %s', (_, change) => {
    const { field, text } = entryOf(lots, 'print')
    const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...change })
    expect(cacheOf({ field, text: changed })).toMatchObject({ description: undefined, affectedBy })
  })

  it('has only its models if their tables are unknown', () => {
    const known = cacheOf(entryOf({ ...lots, tables: undefined }, 'print'))
    expect(known.affectedBy).toEqual([
      { model: 'AuctionItem', table: undefined },
      { model: 'Item', table: undefined },
    ])
  })

  it('keeps a lookup that a newer version describes in another way, without its key', () => {
    const { field, text } = entryOf(lots, 'print')
    const { lookups, ...rest } = JSON.parse(text) as { lookups: object[] }
    const changed = JSON.stringify({ ...rest, lookups: [{ ...lookups[0], kind: 'phonetic' }] })
    expect(cacheOf({ field, text: changed }).description?.lookups).toEqual([
      { name: 'place', fingerprint: 'abc', key: undefined, watched: [] },
    ])
  })

  it.each([1, 1_024])('may have %i buckets', (buckets) => {
    expect(cacheOf(entryOf({ ...lots, buckets }, 'print')).description?.buckets).toBe(buckets)
  })

  it.each([
    '',
    'null',
    '[]',
    '{"v":1}',
    '{"affectedBy":[]}',
    '{"affectedBy":["Lot"]}',
    '{"affectedBy":[[]]}',
    '{"affectedBy":[["Lot",7]]}',
    '{"affectedBy":[["Lot","public"]]}',
    '{"affectedBy":[["Lot","public","lots","more"]]}',
  ])('affects every model if the entry is %j', (text) => {
    const { affectedBy, description, name } = cacheOf({ field: 'Lot:print:digest', text })
    expect([description, affectedBy, name]).toEqual([undefined, undefined, 'Lot'])
  })
})
