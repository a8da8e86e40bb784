import { type } from 'arktype'
import { createCodec } from '../../codec/compile-codec.js'
import { compilePlan } from '../../codec/compile-plan.js'
import { json } from '../../codec/row-types.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import { answeringCacheOf } from './answering-cache.js'

const row = Object.freeze({ id: 'a', at: new Date(5) })
const flat = type({ id: 'string', at: 'Date' })
const list = {
  by: ['at'],
  isCompound: false,
  where: {},
  orderBy: [],
  description: {
    name: 'at',
    fingerprint: '',
    key: [{ name: 'at', kind: 'date', folds: false }],
    watched: [],
  },
}

function described({
  schema = flat as type.Any,
  definition = {},
  source = {},
  lookups = [] as Partial<BoundLookup>[],
}) {
  const observed: unknown[] = []
  const asked: unknown[] = []
  const tell =
    (name: string) =>
    (...args: unknown[]) =>
      void observed.push([name, ...args])
  const answering = answeringCacheOf<object, unknown>(
    {
      get: async (id) => (asked.push(id), id === 'a' ? row : null),
      getMany: async (ids) => (asked.push(...ids), ids.map((id) => (id === 'a' ? row : null))),
    },
    {
      codec: createCodec<object>(compilePlan(schema, 'Lot'), { name: 'Lot' }),
      definition: {
        model: 'Lot',
        load: undefined,
        include: undefined,
        sharesRows: false,
        l1: undefined,
        ...definition,
      },
      idFields: ['id'],
      lookups: lookups.map((bound) => ({ bound: bound as BoundLookup, findMany: async () => [] })),
      model: { name: 'lots', source: source as never },
      telemetry: {
        observer: { prismaReads: tell('reads'), prismaShadow: tell('shadow') } as never,
        log: { warn: tell('warn') } as never,
      },
    },
  )
  return { answering: answering!, asked, observed }
}

describe('a cache that answers queries of Prisma', () => {
  it('is described by its model, its id and its fields', () => {
    const { answering } = described({
      lookups: [list as never],
    })
    expect(answering).toMatchObject({ name: 'lots', model: 'Lot', idFields: ['id'] })
    expect(answering.fields.toSorted()).toEqual(['at', 'id'])
    expect(answering.lookups).toEqual([expect.objectContaining({ by: ['at'] })])
  })

  it.each([
    ['whose rows a function loads', { definition: { load: () => [] } }],
    ['whose rows hold relations', { definition: { include: { bids: true } } }],
    ['whose rows have optional fields', { schema: type({ id: 'string', 'at?': 'Date' }) }],
    [
      'whose rows are of several shapes',
      { schema: type({ kind: "'a'", a: 'Date' }).or({ kind: "'b'", b: 'Date' }) },
    ],
  ])('is none %s', (_, options) => {
    expect(described(options).answering).toBeUndefined()
  })

  it('has exact fields: those whose keys, if they have any, are not ordered by the schema', () => {
    const schema = type({
      id: 'string',
      dates: 'Date[]',
      any: json,
      object: { a: 'Date' },
      objects: type({ a: 'Date' }).array(),
      pair: ['Date', 'Date'],
      open: { '[string]': 'Date' },
      either: type({ kind: "'a'", a: 'Date' }).or({ kind: "'b'", b: 'Date' }),
    })
    const { exactFields, fields } = described({ schema }).answering
    expect(exactFields.toSorted()).toEqual(['any', 'dates', 'id'])
    expect(fields).toHaveLength(8)
  })

  it.each([true, false])(
    'gives the rows of the cache, and says whether others have them (%p)',
    async (sharesRows) => {
      const { answering, asked } = described({ definition: { sharesRows } })
      const [one, none] = [await answering.get('a'), await answering.get('b')]
      const many = await answering.getMany(['a', 'b'])
      expect([one, none, ...many]).toEqual([row, null, row, null])
      expect(asked).toEqual(['a', 'b', 'a', 'b'])
      for (const given of [one, many[0]]) expect(given).toBe(row)
      expect(answering.sharesRows).toBe(sharesRows)
    },
  )

  it('is from the database of a client, as its source says', () => {
    const client = {}
    const isFrom = (source: object) => described({ source }).answering.isFrom(client)
    expect(isFrom({ isOwnTransaction: (given: object) => given === client })).toBe(true)
    expect(isFrom({ isOwnTransaction: () => false })).toBe(false)
    expect(isFrom({})).toBe(true)
  })

  it('passes on what is counted and logged', () => {
    const { answering, observed } = described({})
    answering.countRead('answered', 2)
    answering.countShadow('equal')
    answering.warn('not equal')
    expect(observed).toEqual([
      ['reads', 'answered', 2],
      ['shadow', 'equal'],
      ['warn', 'not equal'],
    ])
  })
})
