import { Decimal } from '@prisma/client/runtime/client'
import { type KeyField, lookupKeyOf } from '../../protocol/index.js'
import type { BoundCondition } from '../policy/lookup-options.js'
import { compileMatcher } from './matcher.js'

const field = (kind: KeyField['kind'], folds = false, name = 'a'): KeyField => ({ name, kind, folds })
const matcherOf = (
  key: readonly KeyField[],
  conditions: readonly BoundCondition[] = [],
  through?: string,
  orderedBy: readonly string[] = [],
) =>
  compileMatcher({
    conditions,
    orderedBy,
    description: { name: 'l', fingerprint: 'p', key, watched: [], through },
  })
const oneOf = (of: KeyField, ...values: unknown[]): BoundCondition => ({
  name: of.name,
  is: 'one of',
  field: of,
  values,
})
const fulfils = (conditions: readonly BoundCondition[], row: Record<string, unknown>): boolean =>
  matcherOf([field('string')], conditions).fulfils(row)

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

describe('the key of a row', () => {
  const rows = [
    { a: 'x', b: 1 },
    { a: 'x', b: 1 },
    { a: 'x', b: 2 },
    { a: 'y:%', b: 2 },
    { a: null, b: 2 },
    { a: null, b: null },
    { a: 'x', b: null },
    { a: 'x' },
    {},
    { a: 'x', b: 1 },
  ]

  it.each([
    [[field('string')]],
    [[field('string'), field('number', false, 'b')]],
    [[field('number', false, 'b'), field('string')]],
  ])('is that of lookupKeyOf, whichever row came before: %j', (key) => {
    for (const before of rows) {
      for (const row of rows) {
        const { keyOf } = matcherOf(key)
        keyOf(before)
        expect(keyOf(row)).toBe(lookupKeyOf(key, row))
      }
    }
  })

  it('is equal for equal values', () => {
    const keyOf = (of: KeyField, a: unknown) => matcherOf([of]).keyOf({ a })
    expect(keyOf(field('date'), new Date(5))).toBe(keyOf(field('date'), new Date(5)))
    expect(keyOf(field('decimal'), new Decimal('1.50'))).toBe(keyOf(field('decimal'), new Decimal('1.5')))
    expect(keyOf(field('bytes'), Buffer.from('ab'))).toBe(keyOf(field('bytes'), new Uint8Array([97, 98])))
    expect(keyOf(field('uuid'), `{${uuid.toUpperCase()}}`)).toBe(uuid)
    expect(keyOf(field('string', true), 'Straight')).toBe('straight')
    expect(keyOf(field('casedString', true), 'Straight')).toBe('Straight')
    expect(keyOf(field('day'), new Date('2020-02-29'))).toBe(String(Date.UTC(2020, 1, 29)))
  })

  it.each([
    ['string', true, 'straße'],
    ['string', true, 'a '],
    ['casedString', true, 'é'],
    ['casedString', true, 'a '],
    ['uuid', false, 'abc'],
    ['day', false, new Date('2020-02-29T12:00Z')],
    ['date', false, new Date(Number.NaN)],
  ] as const)('is unknown for the %s (folds: %s) %p', (kind, folds, a) => {
    expect(matcherOf([field(kind, folds)]).keyOf({ a })).toBeUndefined()
  })

  it('reads dates again that were changed', () => {
    const { keyOf } = matcherOf([field('date')])
    const row = { a: new Date(1) }
    keyOf(row)
    row.a.setTime(2)
    expect(keyOf(row)).toBe('2')
    const compound = matcherOf([field('string', false, 'b'), field('date')])
    const both = { b: 'x', a: new Date(1) }
    expect(compound.keyOf(both)).toBe('x:1')
    both.a.setTime(2)
    expect(compound.keyOf(both)).toBe('x:2')
  })

  it('is that of another row in a relation', () => {
    const { keyOf, rowsHoldKey } = matcherOf([field('string', false, 'id')], [], 'tags')
    expect([rowsHoldKey, keyOf({ id: 'x' })]).toEqual([false, undefined])
    expect(matcherOf([field('string')]).rowsHoldKey).toBe(true)
  })
})

describe('conditions', () => {
  it('are fulfilled where there are none', () => {
    expect(fulfils([], {})).toBe(true)
  })

  it('know null as SQL does', () => {
    const isNull: BoundCondition = { name: 'a', is: 'null' }
    const isNotNull: BoundCondition = { name: 'a', is: 'not null' }
    const results = [null, undefined, '', 0, false].map((a) => [
      fulfils([isNull], { a }),
      fulfils([isNotNull], { a }),
      fulfils([oneOf(field('string'), 'x')], { a }),
      fulfils([oneOf(field('date'), new Date(0))], { a }),
      fulfils([oneOf(field('string'), 'x', 'y')], { a }),
    ])
    expect(results).toEqual([
      [true, false, false, false, false],
      [false, false, false, false, false],
      [false, true, false, false, false],
      [false, true, false, false, false],
      [false, true, false, false, false],
    ])
  })

  it.each([
    [field('string'), 'x', 'x', 'X'],
    [field('number'), 0, -0, 1],
    [field('bigint'), 5n, BigInt('5'), 5],
    [field('boolean'), false, false, true],
    [field('date'), new Date(5), new Date(5), new Date(6)],
    [field('decimal'), new Decimal('1.50'), new Decimal('1.5'), new Decimal('1.51')],
    [field('bytes'), new Uint8Array([1, 2]), Buffer.from([1, 2]), new Uint8Array([1, 2, 0])],
    [field('uuid'), uuid.toUpperCase(), uuid, uuid.replace('0', '1')],
    [field('string', true), 'Open', 'oPEN', 'öpen'],
    [field('casedString', true), 'Open', 'Open', 'open'],
    [field('day'), new Date('2020-01-01'), new Date('2020-01-01'), new Date('2020-01-02')],
  ])('compare values: %j', (of, constant, equal, other) => {
    for (const condition of [oneOf(of, constant), oneOf(of, constant, constant)]) {
      expect([equal, other, null, undefined].map((a) => fulfils([condition], { a }))).toEqual([
        true,
        false,
        false,
        false,
      ])
    }
  })

  it.each([field('string'), field('string', true)])('take any of several values: %j', (of) => {
    const condition = oneOf(of, 'x', 'y')
    expect(['x', 'y', 'z'].map((a) => fulfils([condition], { a }))).toEqual([true, true, false])
  })

  it('hold all at once', () => {
    const both = [oneOf(field('string'), 'x'), { name: 'b', is: 'null' } as const]
    const rows = [
      { a: 'x', b: null },
      { a: 'x', b: 1 },
      { a: 'y', b: null },
    ]
    expect(rows.map((row) => fulfils(both, row))).toEqual([true, false, false])
  })
})

it('knows the places of rows by the fields that the list is ordered by', () => {
  const { orderDigestOf } = matcherOf([field('string')], [], undefined, ['b'])
  const [one, other] = [{ b: 1 }, { b: 2 }]
  expect(orderDigestOf([one, other])).toBe(orderDigestOf([{ ...one, a: 5 }, other]))
  expect(orderDigestOf([one, other])).not.toBe(orderDigestOf([other, one]))
})
