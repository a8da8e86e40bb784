import { type CacheDescription, cacheOf, entryOf, layoutOf, ownFieldsOf } from './cache-description.js'

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

/** The entry of a cache that says everything, with another value at a path. */
function changed(path: readonly (string | number)[], value: unknown): { field: string; text: string } {
  const atRest = { isEncrypted: true, isCompressed: false, hashedBy: '2026-11' }
  const { field, text } = entryOf({ ...lots, atRest }, 'print')
  const json = JSON.parse(text) as Record<string, unknown>
  let part: Record<string | number, unknown> = json
  for (const key of path.slice(0, -1)) part = part[key] as Record<string, unknown>
  part[path.at(-1)!] = value
  return { field, text: JSON.stringify(json) }
}

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
    ['encrypted', { isEncrypted: true, isCompressed: false, hashedBy: undefined }],
    ['compressed', { isEncrypted: false, isCompressed: true, hashedBy: undefined }],
    ['encrypted, with hashed ids', { isEncrypted: true, isCompressed: true, hashedBy: '2026-11' }],
  ] as const)('says how values are stored, in another layout: %s', (_, atRest) => {
    const other = { ...lots, atRest }
    const entry = entryOf(other, 'print')
    expect(cacheOf(entry).description).toEqual(other)
    expect(layoutOf(other)).not.toBe(layoutOf(lots))
  })

  it('has one layout for all fingerprints', () => {
    expect(cacheOf(entryOf(lots, 'older')).layout).toBe(cacheOf(entryOf(lots, 'newer')).layout)
  })

  it.each<[path: (string | number)[], value: unknown]>([
    [['v'], 7],
    [['model'], 7],
    [['dependsOn'], 'Item'],
    [['dependsOn', 0], 7],
    [['id'], []],
    [['id'], { 0: { name: 'lot', kind: 'number' } }],
    [['id', 0], 'lot'],
    [['id', 1, 'kind'], 'uuid'],
    [['id', 0, 'name'], 7],
    [['buckets'], 7],
    [['buckets'], 0.5],
    [['buckets'], 2_048],
    [['buckets'], '4'],
    [['lookups'], undefined],
    [['lookups', 0], null],
    [['lookups', 0], 'ofSale'],
    [['lookups', 0, 'name'], undefined],
    [['lookups', 0, 'fingerprint'], undefined],
    [['tables'], { models: 'all' }],
    [['tables', 'provider'], null],
    [['tables', 'models'], {}],
    [['tables', 'models'], []],
    [['tables', 'joins'], {}],
    [['tables', 'models', 0], null],
    [['tables', 'models', 0, 'model'], 7],
    [['tables', 'models', 0, 'schema'], 7],
    [['tables', 'models', 0, 'name'], 7],
    [['tables', 'models', 0, 'columns'], {}],
    [['tables', 'models', 0, 'columns', 0], 'id'],
    [['tables', 'models', 0, 'columns', 0, 'field'], 7],
    [['tables', 'models', 0, 'columns', 0, 'column'], 7],
    [['tables', 'models', 0, 'columns', 0, 'type'], 7],
    [['tables', 'models', 0, 'columns', 1, 'values'], 'open'],
    [['tables', 'models', 0, 'columns', 1, 'values'], null],
    [['tables', 'models', 0, 'columns', 1, 'values'], { open: 7, closed: 'CLOSED' }],
    [['tables', 'models', 2, 'isJoin'], 'yes'],
    [['tables', 'models', 2, 'isAlias'], 'yes'],
    [['tables', 'joins', 0], null],
    [['tables', 'joins', 0, 'relation'], 7],
    [['tables', 'joins', 0, 'schema'], 7],
    [['tables', 'joins', 0, 'name'], 7],
    [['tables', 'joins', 0, 'target'], 'tags'],
    [['tables', 'joins', 0, 'key'], 'id'],
    [['tables', 'joins', 0, 'columns'], 'B'],
    [['tables', 'joins', 0, 'columns', 0], 7],
    [['atRest'], 'encrypted'],
    [['atRest', 'isEncrypted'], 'rot13'],
    [['atRest', 'isCompressed'], 'brotli'],
    [['atRest', 'hashedBy'], 7],
  ])('has only the tables that affect it if a newer version writes %j as %j', (path, value) => {
    expect(cacheOf(changed(path, value))).toMatchObject({ description: undefined, affectedBy })
  })

  it('has only its models if their tables are unknown', () => {
    const known = cacheOf(entryOf({ ...lots, tables: undefined }, 'print'))
    expect(known.affectedBy).toEqual([
      { model: 'AuctionItem', table: undefined },
      { model: 'Item', table: undefined },
    ])
  })

  it.each<[path: (string | number)[], value: unknown]>([
    [['key'], undefined],
    [['key'], 'phonetic'],
    [['key', 0, 'kind'], 'soundex'],
    [['key', 0, 'folds'], 1],
    [['key', 0, 'name'], 7],
    [['watched'], 'number'],
    [['watched', 0], 7],
    [['through'], 7],
  ])('keeps a lookup whose %j a newer version writes as %j, without its key', (path, value) => {
    expect(cacheOf(changed(['lookups', 0, ...path], value)).description?.lookups).toEqual([
      { name: 'place', fingerprint: 'abc', key: undefined, watched: [] },
    ])
  })

  it('says which fields of a row its lookups watch', () => {
    const [place] = lots.lookups
    expect(ownFieldsOf(place!)).toEqual(['fundraiserId', 'lot'])
    expect(ownFieldsOf({ ...place!, through: 'tags' })).toEqual(['lot'])
    expect(ownFieldsOf({ ...place!, key: undefined, watched: [] })).toStrictEqual([])
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
