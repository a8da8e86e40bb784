import { lookupFromJson, lookupToJson, ownFieldsOf } from './lookup-description.js'
import { tablesFromJson, tablesToJson } from './table-description.js'
import type { Tables } from '../../source/tables.js'

const tables: Tables = {
  provider: 'postgresql',
  models: [
    {
      model: 'Lot',
      schema: 'public',
      name: 'lots',
      columns: [
        { field: 'id', column: 'id', type: 'Int' },
        { field: 'state', column: 'state', type: 'Enum', values: { open: 'OPEN' } },
        { field: 'computed', column: undefined, type: '' },
      ],
    },
    { model: 'Tag', schema: 'public', name: '_LotToTag', columns: [], isJoin: true },
  ],
  joins: [
    {
      relation: 'tags',
      schema: 'public',
      name: '_LotToTag',
      columns: ['B'],
      target: { schema: 'public', name: 'tags' },
      key: { field: 'id', column: 'id', type: 'Int' },
    },
  ],
}

/** The JSON of the tables with another value at a path. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const json = JSON.parse(JSON.stringify(tablesToJson(tables))) as Record<string, unknown>
  let part: Record<string | number, unknown> = json
  for (const key of path.slice(0, -1)) part = part[key] as Record<string, unknown>
  part[path.at(-1)!] = value
  return json
}

describe('the tables of an entry', () => {
  it('survive the round trip, also if there are none', () => {
    expect(tablesFromJson(JSON.parse(JSON.stringify(tablesToJson(tables))))).toEqual(tables)
    expect([tablesToJson(undefined), tablesFromJson(null), tablesFromJson(undefined)]).toEqual([
      null,
      undefined,
      undefined,
    ])
  })

  it.each<[path: (string | number)[], value: unknown]>([
    [['provider'], null],
    [['models'], {}],
    [['models'], []],
    [['joins'], {}],
    [['models', 0], null],
    [['models', 0, 'model'], 7],
    [['models', 0, 'table'], 'lots'],
    [
      ['models', 0, 'table'],
      [7, 'lots'],
    ],
    [
      ['models', 0, 'table'],
      ['public', 7],
    ],
    [['models', 0, 'columns'], {}],
    [['models', 0, 'columns', 0], { 0: 'id', 1: 'id' }],
    [
      ['models', 0, 'columns', 0],
      [7, 'id', 'Int'],
    ],
    [
      ['models', 0, 'columns', 0],
      ['id', 7, 'Int'],
    ],
    [['models', 0, 'columns', 0, 2], 7],
    [['models', 0, 'columns', 1, 3], 'open'],
    [['models', 0, 'columns', 1, 3], null],
    [['models', 0, 'columns', 1, 3], { open: 7, closed: 'CLOSED' }],
    [['models', 1, 'isJoin'], 'yes'],
    [['joins', 0, 'key'], 'id'],
    [['joins', 0, 'target'], 'tags'],
    [['joins', 0], null],
    [['joins', 0, 'relation'], 7],
    [['joins', 0, 'table'], { 0: 'public', 1: 'x' }],
    [['joins', 0, 'columns'], 'B'],
    [
      ['joins', 0, 'columns'],
      ['B', 7],
    ],
  ])('are unknown if a newer version writes %j as %j', (path, value) => {
    expect(tablesFromJson(changed(path, value))).toBeUndefined()
  })
})

describe('a lookup of an entry', () => {
  const key = [{ name: 'saleId', kind: 'uuid', folds: true }] as const
  const ofSale = { name: 'ofSale', fingerprint: 'p', key, watched: ['number', 'saleId'] }
  const withTag = { ...ofSale, name: 'withTag', through: 'tags' }

  it('survives the round trip, and says which fields of a row it watches', () => {
    for (const lookup of [ofSale, withTag])
      expect(lookupFromJson(JSON.parse(JSON.stringify(lookupToJson(lookup))))).toEqual(lookup)
    expect(ownFieldsOf(ofSale)).toEqual(['saleId', 'number'])
    expect(ownFieldsOf(withTag)).toEqual(['number', 'saleId'])
    expect(ownFieldsOf({ ...ofSale, key: undefined, watched: [] })).toStrictEqual([])
    expect(lookupFromJson(lookupToJson({ ...ofSale, key: undefined }))).toEqual({
      name: 'ofSale',
      fingerprint: 'p',
      key: undefined,
      watched: [],
    })
  })

  it('keeps its text: digests of entries are of it, and other versions read it', () => {
    expect(JSON.stringify([ofSale, withTag].map(lookupToJson))).toBe(
      '[{"kind":"fields","name":"ofSale","print":"p","key":[["saleId","uuid",true]],"watched":["number","saleId"]},' +
        '{"kind":"relation","name":"withTag","print":"p","key":[["saleId","uuid",true]],"watched":["number","saleId"],"through":"tags"}]',
    )
  })

  it.each([
    [{ kind: 'phonetic' }],
    [{ kind: 'relation' }],
    [{ kind: 'phonetic', through: 'tags' }],
    [
      {
        key: [
          ['saleId', 'uuid', true],
          ['state', 'soundex', true],
        ],
      },
    ],
    [{ key: undefined }],
    [{ key: [['saleId', 'soundex', true]] }],
    [{ key: [['saleId', 'uuid', 1]] }],
    [{ key: [[7, 'uuid', true]] }],
    [{ key: [{ 0: 'saleId', 1: 'uuid', 2: true }] }],
    [{ watched: 'number' }],
    [{ watched: [7] }],
  ])('has no key if a newer version writes %j', (change) => {
    const json = { ...(lookupToJson(ofSale) as object), ...change }
    expect(lookupFromJson(json)).toEqual({ name: 'ofSale', fingerprint: 'p', key: undefined, watched: [] })
  })

  it('through a relation has no key if its relation is no text', () => {
    const json = { ...(lookupToJson(withTag) as object), through: 7 }
    expect(lookupFromJson(json).key).toBeUndefined()
  })

  it.each([null, {}, { name: 'ofSale' }, { print: 'p' }, 'ofSale'])('is none if it is %j', (json) => {
    expect(() => lookupFromJson(json)).toThrow(TypeError)
  })
})
