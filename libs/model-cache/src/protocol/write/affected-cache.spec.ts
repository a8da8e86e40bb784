import { affectedCache, type WrittenCache } from './affected-cache.js'
import { affectingTables, type CacheDescription } from '../registry/cache-description.js'
import type { FieldColumn, JoinTable, ModelTable, WriterSchema, WriterTable } from '../../source/tables.js'

const table = (name: string, schema = 'public') => ({ schema, name })
const column = (field: string, column: string | undefined = field, type = 'Int'): FieldColumn => ({
  field,
  column,
  type,
})
const joinOf = (relation: string, columns: string[], target: string): JoinTable => ({
  relation,
  ...table('_LotTags'),
  columns,
  target: table(target),
  key: column('id'),
})
const key = (name: string) => ({ name, kind: 'number', folds: false }) as const

const lots: CacheDescription = {
  name: 'Lot',
  model: 'Lot',
  id: [{ name: 'id', kind: 'number' }],
  buckets: 1,
  dependsOn: ['Sale', 'Owner'],
  lookups: [
    { name: 'ofSale', fingerprint: 'p', key: [key('saleId'), key('state')], watched: ['rank'] },
    { name: 'withTag', fingerprint: 'p', key: [key('id')], watched: ['rank'], through: 'tags' },
    { name: 'newer', fingerprint: 'p', key: undefined, watched: [] },
  ],
  tables: {
    provider: 'postgresql',
    models: [
      {
        model: 'Lot',
        ...table('lots'),
        columns: [
          column('id'),
          column('saleId', 'sale_id'),
          { ...column('state', 'state', 'Enum'), values: { OPEN: 'open', SHUT: 'shut' } },
          column('rank'),
        ],
      },
      { model: 'Sale', ...table('sales'), columns: [] },
      { model: 'Owner', ...table('owners'), columns: [] },
      { model: 'Owner', ...table('_LotOwners'), columns: [], isJoin: true },
    ],
    joins: [joinOf('tags', ['B'], 'tags')],
  },
}

const ofState = {
  name: 'ofState',
  fingerprint: 'p',
  key: [{ ...key('state'), kind: 'string' }],
  watched: [],
} as const

const cacheOf = (
  description: CacheDescription | undefined,
  affectedBy = affectingTables(lots),
): WrittenCache => ({
  affectedBy,
  description,
  rowIdOf: ({ id }) => id as number,
  layout: 'Lot',
  fences: {} as never,
  onAllWritten: () => {},
})

const schemaOf = (own: Partial<WriterTable>, ignoresCase = false): WriterSchema => ({
  ignoresCase,
  models: new Map([['Item', { model: 'Item', ...table('lots'), columns: [], joins: [], ...own }]]),
})

const columns = [
  column('key', 'id'),
  column('sale', 'sale_id'),
  { ...column('status', 'state', 'Enum'), values: { OPEN: 'running', SHUT: 'ended' } },
  column('position', 'rank'),
]
const joins = [joinOf('labels', ['B'], 'tags')]

/** How writes to the model `Item` of a schema affect the cache: `'all'` of its rows, or none of them, or those that it says. */
function affected(schema: WriterSchema | undefined, cache = cacheOf(lots), model = 'Item') {
  const found = affectedCache(cache, model, schema)
  return found?.idFields.length === 0 ? 'all' : found
}

describe('a cache, for a writer with other names of the same table', () => {
  it('is described by the names of the writer, and reads its rows', () => {
    const found = affectedCache(cacheOf(lots), 'Item', schemaOf({ columns, joins }))!
    expect(found.idFields).toEqual(['key'])
    expect(found.rowIdOf({ key: 7 })).toBe(7)
    expect(found.lookups).toEqual([
      {
        name: 'ofSale',
        key: ['sale', 'status'],
        fields: ['sale', 'status', 'position'],
        through: undefined,
        keyOf: expect.any(Function),
      },
      { name: 'withTag', key: ['id'], fields: ['position'], through: 'labels', keyOf: expect.any(Function) },
      { name: 'newer', key: undefined, fields: undefined, through: undefined, keyOf: expect.any(Function) },
    ])
  })

  it('has the values of enums by its own names', () => {
    const description = { ...lots, lookups: [ofState] }
    const keyOf = (values: object) => {
      const status = { ...column('status', 'state', 'Enum'), ...values }
      return affectedCache(cacheOf(description), 'Item', schemaOf({ columns: [...columns, status] }))!
        .lookups[0]!.keyOf
    }
    const renamed = keyOf({ values: { OPEN: 'running', SHUT: 'ended' } })
    expect(['running', 'ended', null, undefined].map((status) => renamed({ status }))).toEqual([
      'open',
      'shut',
      null,
      undefined,
    ])
    const plain = keyOf({ values: undefined })
    expect(['OPEN', 'SHUT', 'LATER'].map((status) => plain({ status }))).toEqual(['open', 'shut', 'LATER'])
    const same = keyOf({ values: { OPEN: 'open', SHUT: 'shut' } })
    expect(same({ status: 'open' })).toBe('open')
  })

  it('is affected as a whole if the writer has no column of its id, or spells it in another way', () => {
    expect(affected(schemaOf({ columns: columns.slice(1), joins }))).toBe('all')
    expect(affected(schemaOf({ columns: [column('key', 'id', 'BigInt'), ...columns.slice(1)], joins }))).toBe(
      'all',
    )
    const computed = { ...lots.tables!.models[0]!, columns: [{ ...column('id'), column: undefined }] }
    const tables = { ...lots.tables!, models: [computed] }
    expect(affected(schemaOf({ columns, joins }), cacheOf({ ...lots, lookups: [], tables }))).toBe('all')
  })

  it.each<readonly [string, FieldColumn[], string[]]>([
    ['lacks a field of their key', [columns[0]!, columns[1]!, columns[3]!], ['sale', 'state', 'position']],
    [
      'spells one in another way',
      [columns[0]!, column('sale', 'sale_id', 'BigInt'), ...columns.slice(2)],
      ['sale', 'status', 'position'],
    ],
  ])('has lookups whose entries are unknown if the writer %s', (_, some, fields) => {
    const { lookups } = affectedCache(cacheOf(lots), 'Item', schemaOf({ columns: some, joins }))!
    expect(lookups[0]).toMatchObject({ key: undefined, fields })
    expect(lookups[0]!.keyOf({ sale: 1, status: 'running' })).toBeUndefined()
  })

  it('has lookups that watch a column of which the writer has no field', () => {
    const schema = schemaOf({ columns: columns.slice(0, 3), joins })
    const { lookups } = affectedCache(cacheOf(lots), 'Item', schema)!
    expect(lookups.map(({ fields, key }) => ({ fields, key }))).toEqual([
      { fields: ['sale', 'status', 'rank'], key: ['sale', 'status'] },
      { fields: ['rank'], key: ['id'] },
      { fields: undefined, key: undefined },
    ])
  })

  it('is affected as a whole if the writer has no column of one field of its id', () => {
    const composite = { ...lots, id: [...lots.id, { name: 'rank', kind: 'number' as const }], lookups: [] }
    expect(affected(schemaOf({ columns, joins }), cacheOf(composite))).toMatchObject({
      idFields: ['key', 'position'],
    })
    expect(affected(schemaOf({ columns: columns.slice(0, 3), joins }), cacheOf(composite))).toBe('all')
  })

  it('is not read by computed fields, which have no column', () => {
    const [own] = lots.tables!.models as [ModelTable]
    const computedAs = (field: string): FieldColumn => ({ field, column: undefined, type: 'Int' })
    const computed = [computedAs('total'), computedAs('sum')]
    const models = [{ ...own, columns: [...own.columns, computed[0]!] }, ...lots.tables!.models.slice(1)]
    const cache = cacheOf({ ...lots, tables: { ...lots.tables!, models } })
    for (const ignoresCase of [false, true])
      expect(
        affected(schemaOf({ columns: [computed[1]!, ...columns], joins }, ignoresCase), cache),
      ).toMatchObject({ idFields: ['key'] })
    const ofComputed = { ...lots, id: [{ name: 'total', kind: 'number' as const }], lookups: [] }
    const identified = cacheOf({ ...ofComputed, tables: { ...lots.tables!, models } })
    expect(affected(schemaOf({ columns: [computed[1]!, ...columns], joins }), identified)).toBe('all')
  })

  it.each<readonly [string, FieldColumn[], object, string]>([
    [
      'that has some of its names',
      [column('saleId', 'sale_id'), column('status', 'state', 'Enum')],
      { saleId: 1, status: 'open' },
      '1:open',
    ],
    [
      'that has its names, and other names of values',
      [column('saleId', 'sale_id'), { ...column('state', 'state', 'Enum'), values: { OPEN: 'running' } }],
      { saleId: 1, state: 'running' },
      '1:open',
    ],
    [
      'that has all of its names',
      [column('saleId', 'sale_id'), lots.tables!.models[0]!.columns[2]!],
      { saleId: 1, state: 'open' },
      '1:open',
    ],
  ])('reads keys from the rows of a writer %s', (_, own, row, expected) => {
    const description = { ...lots, lookups: [{ ...ofState, key: [key('saleId'), ...ofState.key] }] }
    const writer = schemaOf({ columns: [columns[0]!, ...own], joins })
    expect(affectedCache(cacheOf(description), 'Item', writer)!.lookups[0]!.keyOf(row as never)).toBe(
      expected,
    )
  })

  it('has the values of the database where it has no names of its own', () => {
    const [own, ...others] = lots.tables!.models as [ModelTable, ...ModelTable[]]
    const plain = own.columns.map((each) => ({ ...each, values: undefined }))
    const description = {
      ...lots,
      lookups: [ofState],
      tables: { ...lots.tables!, models: [{ ...own, columns: plain as never }, ...others] },
    }
    const { keyOf } = affectedCache(cacheOf(description), 'Item', schemaOf({ columns, joins }))!.lookups[0]!
    expect(keyOf({ status: 'running' })).toBe('OPEN')
    const sameField = [columns[0]!, { ...columns[2]!, field: 'state' }]
    const same = affectedCache(cacheOf(description), 'Item', schemaOf({ columns: sameField, joins }))!
    expect(same.lookups[0]!.keyOf({ state: 'running' })).toBe('OPEN')
  })

  it('is not affected by a model of the same name in another table, or in another schema', () => {
    const writer = schemaOf({ columns, joins, ...table('lots', 'archive') })
    expect(
      affected({ ...writer, models: new Map([['Lot', writer.models.get('Item')!]]) }, cacheOf(lots), 'Lot'),
    ).toBeUndefined()
  })
})

describe('a cache, for a writer with another table', () => {
  it.each([
    ['that its rows depend on', table('sales'), [], 'all'],
    ['of a relation of its lookups', table('_LotTags'), [], 'all'],
    ['of a relation of its rows', table('_LotOwners'), [], 'all'],
    ['at the other side of a relation that the writer does not know', table('tags'), [], 'all'],
    [
      'at the other side of a relation that the writer knows',
      table('tags'),
      [joinOf('lots', ['A'], 'lots')],
      undefined,
    ],
    ['that its rows depend on as a relation', table('others'), [{ ...joins[0]!, ...table('sales') }], 'all'],
    ['whose relation has its rows', table('others'), [{ ...joins[0]!, ...table('lots') }], 'all'],
    [
      'whose relation is that of a model it depends on',
      table('owners2'),
      [{ ...joins[0]!, ...table('_LotOwners') }],
      undefined,
    ],
    ['of something else', table('others'), [], undefined],
  ])('%s is affected as a whole, or not', (_, name, ownJoins, expected) => {
    expect(affected(schemaOf({ ...name, columns, joins: ownJoins }))).toBe(expected)
  })

  it('whose relation has the columns of the other direction is no relation of the lookup', () => {
    const turned = [joinOf('labels', ['A'], 'tags')]
    const { lookups } = affectedCache(cacheOf(lots), 'Item', schemaOf({ columns, joins: turned }))!
    expect(lookups[1]).toMatchObject({ through: '' })
  })
})

describe('a cache with several relations', () => {
  const tables = {
    ...lots.tables!,
    joins: [{ ...joinOf('owners', ['A'], 'people'), name: '_LotPeople' }, joinOf('tags', ['A', 'B'], 'tags')],
  }
  const cache = cacheOf({ ...lots, tables })
  const own = [{ ...joinOf('persons', ['A'], 'people'), name: '_LotPeople' }, ...joins]

  it('is affected as a whole by the table of each', () => {
    for (const name of ['_LotPeople', '_LotTags', 'people', 'tags'])
      expect(affected(schemaOf({ ...table(name), columns }), cache)).toBe('all')
  })

  it('has lookups through that of each, in one direction or both', () => {
    const { lookups } = affectedCache(cache, 'Item', schemaOf({ columns, joins: own }))!
    expect(lookups[1]).toMatchObject({ name: 'withTag', through: 'labels' })
  })
})

describe('a cache that is not understood', () => {
  it('is affected by its tables, and by relations that write to them', () => {
    const unknown = cacheOf(undefined)
    expect(affected(schemaOf({}), unknown)).toBe('all')
    expect(affected(schemaOf({ ...table('sales') }), unknown)).toBe('all')
    expect(affected(schemaOf({ ...table('others'), joins }), unknown)).toBe('all')
    expect(affected(schemaOf({ ...table('others') }), unknown)).toBeUndefined()
  })

  it('is affected by the names of its models where their tables are unknown, and by every write if these are unknown, too', () => {
    const named = cacheOf(undefined, [{ model: 'Item', table: undefined }])
    expect(affected(schemaOf({ ...table('any') }), named)).toBe('all')
    expect(affected(schemaOf({}), named, 'Other')).toBeUndefined()
    expect(affectedCache({ ...named, affectedBy: undefined }, 'Other', schemaOf({}))!.idFields).toEqual([])
  })
})

describe('a cache whose tables are unknown', () => {
  it('is compared by the names of models and fields', () => {
    const { tables: _, ...rest } = lots
    const named = cacheOf({ ...rest, tables: undefined })
    for (const schema of [undefined, schemaOf({})]) {
      expect(affected(schema, named, 'Lot')).toMatchObject({ idFields: ['id'] })
      expect(affected(schema, named, 'Sale')).toBe('all')
      expect(affected(schema, named, 'Item')).toBeUndefined()
    }
  })
})

describe('a cache, for a writer whose table shares rows', () => {
  const rowsOf = (kind: 'view' | 'partition' | 'child', ...tables: string[]): WriterTable['shared'] => ({
    kind,
    tables: tables.map((name) => table(name)),
    isMaterialized: false,
    isOpaque: false,
  })
  /** As of a cache of a partition. */
  const [own, ...others] = lots.tables!.models
  const ofPart = cacheOf({
    ...lots,
    tables: { ...lots.tables!, models: [{ ...own!, ...table('lots_1'), isAlias: true }, own!, ...others] },
  })
  /** Of a table elsewhere. */
  const sharing = (...shared: Parameters<typeof rowsOf>): Partial<WriterTable> => ({
    ...table('elsewhere'),
    columns,
    joins,
    shared: rowsOf(...shared),
  })

  it.each<[string, Partial<WriterTable>, WrittenCache, 'all' | 'rows' | undefined]>([
    ['a partition of its table', sharing('partition', 'lots'), cacheOf(lots), 'rows'],
    ['a child of its table', sharing('child', 'lots'), cacheOf(lots), 'rows'],
    ['another partition', sharing('partition', 'lots'), ofPart, 'rows'],
    ['the table of its partition', { columns, joins }, ofPart, 'rows'],
    ['a view of its table', sharing('view', 'x', 'lots'), cacheOf(lots), 'all'],
    ['a view of a table it depends on', sharing('view', 'sales'), cacheOf(lots), 'all'],
    ['a view of the table of a relation', sharing('view', 'tags'), cacheOf(lots), 'all'],
    ['a view of its join table', sharing('view', '_LotTags'), cacheOf(lots), 'all'],
    ['a view that may be of any table', { ...table('elsewhere'), shared: 'unknown' }, cacheOf(lots), 'all'],
    [
      'a view of other tables',
      { ...table('elsewhere'), shared: rowsOf('view', 'x') },
      cacheOf(lots),
      undefined,
    ],
    ['a partition, where it is not described', sharing('partition', 'lots'), cacheOf(undefined), 'all'],
  ])('is affected as its rows are: %s', (_, writer, cache, expected) => {
    const found = affected(schemaOf(writer), cache)
    expect(typeof found === 'object' ? 'rows' : found).toBe(expected)
    if (typeof found === 'object') expect(found.idFields).toEqual(['key'])
  })
})
