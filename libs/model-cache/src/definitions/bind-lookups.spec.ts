import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { carSchema, nativeSchema } from '../../../../test/support/lookup-schemas.js'
import { defineModelCache } from '../cache/policy/definition.js'
import type { BoundLookup } from '../cache/policy/lookup-options.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { bindDefinition } from './bind-definition.js'
import { modelCaches } from './model-caches.js'

const postgres = describeSchemaText(carSchema('postgresql'))
const mysql = describeSchemaText(carSchema('mysql'))
const natives = describeSchemaText(nativeSchema)

// eslint-disable-next-line typescript/no-explicit-any -- any model, and any options, as JavaScript would give them
const define = modelCaches<any>().defineModelCache as (model: string, options: object) => any
const boundIn = (model: string, facts: SchemaFacts, options: object): readonly BoundLookup[] =>
  bindDefinition(define(model, { ttl: '1m', ...options }), facts).lookups
const bind = (options: object, facts: SchemaFacts = postgres) => boundIn('Car', facts, options)
const list = (options: object, facts?: SchemaFacts) => bind({ lists: { some: options } }, facts)[0]!
const listOfNatives = (options: object) => boundIn('Native', natives, { lists: { some: options } })[0]!
const ofMaker = (options: object) => list({ by: 'makerId', ...options })
const withoutSchema = (options: object) =>
  bindDefinition(
    define('Row', {
      schema: type({ id: 'string', at: 'number', kind: "'a' | 'b'", note: 'string | null' }),
      id: ['id'],
      ttl: '1m',
      ...options,
    }),
  )
const kindOf = (field: string) => listOfNatives({ by: field }).description.key[0]

describe('bound lookups', () => {
  it('know their key, their order and what enters them', () => {
    const [place, open] = bind({
      unique: { place: ['plate', 'makerId'] },
      lists: {
        open: {
          by: 'colour',
          where: { price: null, vin: { not: null }, doors: { in: [3n, 5n] } },
          orderBy: { vin: { sort: 'desc', nulls: 'last' } },
          limit: 5,
        },
      },
    })
    expect(place).toMatchObject({
      name: 'place',
      kind: 'unique',
      isCompound: true,
      orderBy: [{ id: 'asc' }],
      conditions: [],
      description: {
        name: 'place',
        key: [
          { name: 'plate', kind: 'string', folds: false },
          { name: 'makerId', kind: 'number', folds: false },
        ],
        watched: ['id'],
      },
    })
    expect(open).toMatchObject({
      orderBy: [{ vin: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }],
      limit: 5,
      maxRows: 1_000,
      conditions: [
        { name: 'price', is: 'null' },
        { name: 'vin', is: 'not null' },
        {
          name: 'doors',
          is: 'one of',
          field: { name: 'doors', kind: 'bigint', folds: false },
          values: [3n, 5n],
        },
      ],
      description: {
        key: [{ name: 'colour', kind: 'string', folds: false }],
        watched: ['price', 'vin', 'doors', 'id'],
      },
    })
    expect(open!.description).not.toHaveProperty('through')
  })

  it('keep the order of the database without one, if they are whole', () => {
    const [some] = boundIn('Pass', postgres, { lists: { some: { by: 'carId' } } })
    expect(some).toMatchObject({ orderBy: [], orderedBy: [], description: { watched: ['carId', 'zone'] } })
  })

  it('end their order with what is missing of the id', () => {
    const pass = (orderBy?: object, limit?: number) =>
      boundIn('Pass', postgres, { lists: { some: { by: 'carId', orderBy, limit } } })[0]!
    expect(pass(undefined, 5).orderBy).toEqual([{ carId: 'asc' }, { zone: 'asc' }])
    expect(pass({ zone: 'desc' }).orderBy).toEqual([{ zone: 'desc' }, { carId: 'asc' }])
    expect(pass([{ carId: 'asc' }, { zone: 'desc' }]).orderBy).toEqual([{ carId: 'asc' }, { zone: 'desc' }])
    expect(ofMaker({ orderBy: { price: { sort: 'asc' } } }).orderBy).toEqual([
      { price: 'asc' },
      { id: 'asc' },
    ])
  })

  it.each([
    ['plate', 'string'],
    ['vin', 'string'],
    ['makerId', 'number'],
    ['colour', 'string'],
    ['price', 'decimal'],
    ['doors', 'bigint'],
    ['sold', 'boolean'],
    ['photo', 'bytes'],
    ['builtAt', 'date'],
  ])('compare %s as %s', (by, kind) => {
    expect(list({ by }).description.key).toEqual([{ name: by, kind, folds: false }])
  })

  it('compare native types as their database does', () => {
    expect(kindOf('id')).toEqual({ name: 'id', kind: 'uuid', folds: false })
    expect(kindOf('email')).toEqual({ name: 'email', kind: 'string', folds: true })
    expect(kindOf('day')).toEqual({ name: 'day', kind: 'day', folds: false })
    expect(['text', 'short', 'decimal', 'millis', 'bytes'].map(kindOf)).toEqual([
      { name: 'text', kind: 'string', folds: false },
      { name: 'short', kind: 'string', folds: false },
      { name: 'decimal', kind: 'decimal', folds: false },
      { name: 'millis', kind: 'date', folds: false },
      { name: 'bytes', kind: 'bytes', folds: false },
    ])
  })

  it('compare text as the definition says where collations are unknown', () => {
    const keyOf = (options: object) => list({ by: 'plate', ...options }, mysql).description.key[0]
    expect(keyOf({ fold: 'case' })).toEqual({ name: 'plate', kind: 'string', folds: true })
    expect(keyOf({ caseSensitive: true })).toEqual({ name: 'plate', kind: 'casedString', folds: true })
    expect(list({ by: 'colour' }, mysql).description.key[0]).toMatchObject({ folds: false })
    const where = { plate: 'ABC', vin: null }
    expect(list({ by: 'makerId', where, fold: 'case' }, mysql).conditions[0]).toMatchObject({
      field: { kind: 'string', folds: true },
    })
    expect(listOfNatives({ by: 'email', fold: 'case' }).description.key[0]).toMatchObject({ folds: true })
    expect(list({ by: 'plate', caseSensitive: true }).description.key[0]).toMatchObject({ folds: false })
  })

  it('have the key of the other side of a relation', () => {
    const { by, description, isCompound } = list({ through: 'drivers', orderBy: { plate: 'asc' } })
    expect([by, isCompound]).toEqual([[], false])
    expect(description).toMatchObject({
      key: [{ name: 'code', kind: 'string', folds: false }],
      watched: ['plate', 'id'],
      through: 'drivers',
    })
    expect(listOfNatives({ through: 'friends' }).description.key).toEqual([
      { name: 'id', kind: 'uuid', folds: false },
    ])
    expect(list({ through: 'drivers', fold: 'case' }, mysql).description.key[0]).toMatchObject({
      folds: true,
    })
  })

  it('accept unique keys in any order, and those that some rows lack', () => {
    const keys = bind({
      unique: { id: 'id', plate: 'plate', vin: { by: 'vin' }, place: ['plate', 'makerId'] },
    })
    expect(keys.map(({ name }) => name)).toEqual(['id', 'plate', 'vin', 'place'])
    expect(
      boundIn('Pass', postgres, { unique: { pass: ['zone', 'carId'] } })[0]!.description.key,
    ).toHaveLength(2)
  })

  it('allow conditions on null for fields of any type', () => {
    const where = { char: { not: null }, micros: null, money: null, real: null }
    expect(listOfNatives({ by: 'text', where }).conditions).toHaveLength(4)
  })

  it('order by fields of any scalar type', () => {
    const orderBy = [{ char: 'asc' }, { micros: 'desc' }, { real: 'asc' }]
    expect(listOfNatives({ by: 'text', orderBy }).orderBy).toHaveLength(4)
  })

  it('compare rows without a Prisma schema as JavaScript does', () => {
    const bound = bindDefinition(
      defineModelCache<{ id: string; at: number; kind: 'a' | 'b' }>()({
        model: 'Row',
        schema: type({ id: 'string', at: 'number', kind: "'a' | 'b'" }),
        id: 'id',
        ttl: '1m',
        unique: { at: 'at' },
        lists: { some: { by: 'kind', where: { at: 1.5 }, fold: 'case' } },
      }),
    )
    expect(bound.lookups.map(({ description }) => description.key)).toEqual([
      [{ name: 'at', kind: 'number', folds: false }],
      [{ name: 'kind', kind: 'string', folds: true }],
    ])
  })

  it('fold text alone where no Prisma schema says what folds', () => {
    const lists = { at: { by: 'at', fold: 'case' }, exact: { by: 'kind' } }
    const { lookups } = withoutSchema({ lists })
    expect(lookups.map(({ description: { key } }) => key[0]!.folds)).toEqual([false, false])
  })

  it('compare with null what may be null: by the Prisma schema, else by that of the rows', () => {
    const [condition] = withoutSchema({ lists: { some: { by: 'at', where: { note: null } } } }).lookups[0]!
      .conditions
    expect(condition).toEqual({ name: 'note', is: 'null' })
    const rows = { schema: type({ id: 'number', vin: 'string' }), id: ['id'] }
    expect(bind({ ...rows, lists: { some: { by: 'id', where: { vin: null } } } })).toHaveLength(1)
  })

  it('may compare with null beside text that folds', () => {
    expect(list({ by: 'plate', fold: 'case', where: { vin: null } }, mysql).conditions).toHaveLength(1)
  })

  it('keep the places of rows by the fields of their order that are not in the id', () => {
    const orderBy = [{ plate: 'asc' }, { id: 'desc' }, { doors: 'asc' }]
    expect(list({ by: 'makerId', orderBy }).orderedBy).toEqual(['plate', 'doors'])
  })
})

describe('the fingerprint of a lookup', () => {
  const fingerprintOf = (options: object, facts?: SchemaFacts) => list(options, facts).description.fingerprint
  const base = {
    by: ['makerId', 'sold'],
    where: { price: new Decimal('1.5'), vin: { in: ['a', 'b'] } },
    orderBy: [{ plate: 'asc' }, { vin: 'desc' }],
    limit: 5,
  }
  const fingerprint = fingerprintOf(base)

  it('is 64 bits, which no name, limit of storage or order of conditions changes', () => {
    expect(fingerprint).toMatch(/^[\w-]{11}$/)
    const where = { vin: { in: ['b', 'a', 'a'] }, price: new Decimal('1.50') }
    expect(fingerprintOf({ ...base, where })).toBe(fingerprint)
    expect(fingerprintOf({ ...base, maxRows: 7 })).toBe(fingerprint)
    expect(fingerprintOf({ ...base, orderBy: [{ plate: 'asc' }, { vin: { sort: 'desc' } }] })).toBe(
      fingerprint,
    )
    expect(fingerprintOf({ ...base, orderBy: [...base.orderBy, { id: 'asc' }] })).toBe(fingerprint)
    expect(bind({ lists: { other: base } })[0]!.description.fingerprint).toBe(fingerprint)
    expect(fingerprintOf({ by: 'makerId', where: { vin: 'a' } })).toBe(
      fingerprintOf({ by: 'makerId', where: { vin: { in: ['a'] } } }),
    )
  })

  it('stays the same while nothing that determines an entry changes: stores have entries under it', () => {
    const [some] = withoutSchema({ lists: { some: { by: 'at' } } }).lookups
    expect([fingerprint, fingerprintOf({ through: 'drivers' }), some!.description.fingerprint]).toEqual([
      'XZexRSne9fk',
      'FDqJ88gOkpw',
      'Xay8ow0c_QU',
    ])
  })

  it('differs with everything that determines an entry', () => {
    const others = [
      { ...base, by: ['sold', 'makerId'] },
      { ...base, by: ['makerId', 'doors'] },
      { ...base, by: 'makerId' },
      { ...base, where: {} },
      { ...base, where: { ...base.where, price: new Decimal('1.51') } },
      { ...base, where: { ...base.where, price: null } },
      { ...base, where: { ...base.where, price: { not: null } } },
      { ...base, where: { ...base.where, vin: { in: ['a', 'b', 'c'] } } },
      { ...base, where: { ...base.where, vin: 'a' } },
      { ...base, orderBy: base.orderBy.toReversed() },
      { ...base, orderBy: [{ plate: 'desc' }, { vin: 'desc' }] },
      { ...base, orderBy: [{ plate: 'asc' }, { vin: { sort: 'desc', nulls: 'last' } }] },
      { ...base, orderBy: [] },
      { ...base, limit: 6 },
      { ...base, limit: undefined },
      { through: 'drivers' },
    ].map((options) => fingerprintOf(options))
    expect(new Set([fingerprint, ...others]).size).toBe(1 + others.length)
  })

  it('differs with kinds of values, text comparison, kind of lookup and id', () => {
    const [byPlate] = bind({ unique: { plate: 'plate' } })
    const [byId] = bind({ id: 'plate', lists: { some: { by: 'plate' } } })
    const fingerprints = [
      byPlate!.description.fingerprint,
      byId!.description.fingerprint,
      fingerprintOf({ by: 'plate' }),
      fingerprintOf({ by: 'plate', fold: 'case' }, mysql),
      fingerprintOf({ by: 'plate', caseSensitive: true }, mysql),
      ...[1, '1'].map(
        (value) =>
          bindDefinition(
            defineModelCache<{ id: string; a: number | string }>()({
              model: 'Row',
              schema: type({ id: 'string', a: typeof value === 'number' ? 'number' : 'string' }) as never,
              id: 'id',
              ttl: '1m',
              lists: { some: { by: 'id', where: { a: value } } },
            }),
          ).lookups[0]!.description.fingerprint,
      ),
    ]
    expect(new Set(fingerprints).size).toBe(fingerprints.length)
    const [friends, friendOf] = ['friends', 'friendOf'].map((through) => listOfNatives({ through }))
    expect(friends!.description.fingerprint).not.toBe(friendOf!.description.fingerprint)
    const [number, text] = (['number', 'string'] as const).map(
      (id) =>
        bindDefinition(
          defineModelCache<{ id: number | string; a: string }>()({
            model: 'Row',
            schema: type({ id, a: 'string' }) as never,
            id: 'id',
            ttl: '1m',
            lists: { some: { by: 'a' } },
          }),
        ).lookups[0]!.description.fingerprint,
    )
    expect(number).not.toBe(text)
  })
})
