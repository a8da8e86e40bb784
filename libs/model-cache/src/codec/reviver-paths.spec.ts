import { Decimal } from '@prisma/client/runtime/client'
import {
  flags,
  string,
  date,
  bigint,
  field,
  object,
  array,
  tuple,
  record,
  union,
} from '../../../../test/support/wire-plans.js'
import { assertReviverMatches, reviverSchemaOf } from './reviver-paths.js'
import { createPathReviver } from './reviver.js'
import type { WirePlan } from './wire-plan.js'

const decimal: WirePlan = { kind: 'decimal', Decimal: Decimal as never, ...flags }
/** A union of two objects with this field. */
const either = (a: WirePlan, b: WirePlan) => union('k', object(field('v', a)), object(field('v', b)))

describe('the paths of a plan', () => {
  it.each<[string, WirePlan, Record<string, string>]>([
    ['a scalar', date, { '': 'date' }],
    ['no scalar', object(field('a', string), field('b', array(string))), {}],
    [
      'fields',
      object(field('at', date), field('id', string), field('in', object(field('n', bigint)))),
      { at: 'date', 'in.n': 'bigint' },
    ],
    ['an array', array(array(date)), { '__ARRAY__.__ARRAY__': 'date' }],
    [
      'a tuple',
      object(field('span', tuple(date, string, decimal))),
      { 'span.0': 'date', 'span.2': 'decimal' },
    ],
    ['a record', record(object(field('at', date))), { '__RECORD__.at': 'date' }],
    [
      'a union',
      union(
        'k',
        object(field('at', date)),
        union('k', object(field('n', bigint)), object(field('s', string))),
      ),
      { at: 'date', n: 'bigint' },
    ],
    [
      'names with a meaning in paths',
      object(
        ...['', '.', 'a.b', '\\', '\\0', '__ARRAY__', '__RECORD__', '0'].map((name) => field(name, date)),
      ),
      {
        '\\0': 'date',
        '\\.': 'date',
        'a\\.b': 'date',
        '\\\\': 'date',
        '\\\\0': 'date',
        '\\__ARRAY__': 'date',
        '\\__RECORD__': 'date',
        '0': 'date',
      },
    ],
  ])('of %s', (_, plan, paths) => {
    expect(reviverSchemaOf(plan)).toEqual(paths)
    expect(Object.isFrozen(reviverSchemaOf(plan))).toBe(true)
    expect(() => assertReviverMatches(reviverSchemaOf(plan), plan, 'Lot')).not.toThrow()
  })

  it('reach the fields that they were made of, whatever their names', () => {
    const names = ['', '.', 'a.b', '\\', '\\0', '__ARRAY__', '__RECORD__', '0', 'a\nb']
    const plan = object(...names.map((name) => field(name, object(field(name, date)))))
    const text = '2026-01-01T00:00:00.000Z'
    const row = Object.fromEntries(names.map((name) => [name, { [name]: text, other: text }]))
    const revived = Object.fromEntries(names.map((name) => [name, { [name]: new Date(text), other: text }]))
    expect(createPathReviver(reviverSchemaOf(plan))(row)).toEqual(revived)
  })
})

describe('a reviver by hand', () => {
  const plan = object(field('at', date), field('n', bigint))

  it.each([
    ['lacks a path', { at: 'date' }, 'reviver path "n" is missing; the schema has a bigint there'],
    [
      'has another scalar',
      { at: 'date', n: 'date' },
      'reviver path "n" declares "date", but the schema has a bigint there',
    ],
    ['has a path too many', { at: 'date', n: 'bigint', id: 'date' }, 'reviver path "id" is declared'],
    [
      'has a path too many by a name that objects inherit',
      { at: 'date', n: 'bigint', toString: 'date' },
      'reviver path "toString" is declared',
    ],
  ])('is refused if it %s', (_, given, message) => {
    expect(() => assertReviverMatches(given as never, plan, 'Lot')).toThrow(message)
  })

  it.each<[string, WirePlan, WirePlan, path: string]>([
    ['a scalar and none', date, string, 'v'],
    ['two scalars', date, bigint, 'v'],
    ['an array and a scalar', array(date), date, 'v'],
    ['a scalar and an array', date, array(date), 'v'],
    ['arrays', array(date), array(bigint), 'v.__ARRAY__'],
    ['an array and a record', array(date), record(date), 'v'],
    ['records', record(object(field('at', date))), record(object(field('at', string))), 'v.__RECORD__.at'],
    ['a record and an array', record(date), array(date), 'v'],
    ['tuples', tuple(date, date), tuple(date, string), 'v.1'],
    ['a tuple and a longer one', tuple(date), tuple(bigint, date), 'v.0'],
    ['a tuple and an array', tuple(date), array(date), 'v'],
    ['an array and a tuple', array(date), tuple(date), 'v'],
    ['objects', object(field('x', date)), object(field('y', date), field('x', string)), 'v.x'],
    ['an object and a scalar', object(field('x', date)), date, 'v'],
    ['an object and a text', object(field('x', date)), string, 'v'],
    ['a text and an object', string, object(field('x', date)), 'v'],
    ['unions', either(date, date), either(date, bigint), 'v.v'],
    ['a union and an object', either(string, date), object(field('v', date)), 'v.v'],
  ])('is refused for a union whose objects have %s in one place, wherever the union is', (_, a, b, path) => {
    const ambiguous = either(a, b)
    const places: [WirePlan, string][] = [
      [ambiguous, ''],
      [object(field('id', string), field('of', ambiguous)), 'of.'],
      [array(ambiguous), '__ARRAY__.'],
      [tuple(string, ambiguous), '1.'],
      [record(ambiguous), '__RECORD__.'],
      [union('k', object(field('id', string)), object(field('in', ambiguous))), 'in.'],
      [union('k', object(field('id', string)), ambiguous), ''],
      [
        union(
          'k',
          object(field('id', string)),
          object(field('w', string)),
          ...ambiguous.branches.map(({ plan }) => plan),
        ),
        '',
      ],
    ]
    for (const [plan, before] of places) {
      expect(() => assertReviverMatches({}, plan, 'Lot')).toThrow(
        `ModelCache "Lot": reviver path "${before}${path}" has different types in two objects of a union`,
      )
    }
  })

  it.each<[string, WirePlan, WirePlan]>([
    ['the same scalar', date, date],
    ['no scalars', string, array(string)],
    ['arrays of the same', array(date), array(date)],
    ['records of the same', record(date), record(date)],
    ['tuples of the same, as far as both go', tuple(date, bigint), tuple(date)],
    ['tuples of the same, the second longer', tuple(date), tuple(date, bigint)],
    ['objects with other fields', object(field('x', date)), object(field('y', bigint))],
    ['unions of the same', either(date, date), either(date, date)],
    ['a union and an object of the same', either(date, date), object(field('v', date))],
  ])('is accepted for a union whose objects have %s in one place', (_, a, b) => {
    const plan = either(a, b)
    expect(() => assertReviverMatches(reviverSchemaOf(plan), plan, 'Lot')).not.toThrow()
  })
})
