import {
  flags,
  string,
  boolean,
  json,
  field,
  array,
  tuple,
  record,
  union,
} from '../../../../../test/support/wire-plans.js'
import type { PlanOf, WirePlan } from '../wire-plan.js'
import { fitsRecord, headLengthOf, holdsJson } from './head-length.js'
import { compileRecordWriter } from './record-writer.js'

const object = (...plans: WirePlan[]): PlanOf<'object'> => ({
  kind: 'object',
  fields: plans.map((plan, i) => field(`f${i}`, plan)),
  ...flags,
})
const literal = (count: number): WirePlan => ({
  kind: 'literal',
  values: Array.from({ length: count }, (_, i) => i),
  ...flags,
})
const unionOf = (count: number, last = object()) =>
  union('k', ...Array.from({ length: count - 1 }, () => object()), last)
/** Each place that a plan can have in others. */
const within: [string, (plan: WirePlan) => WirePlan][] = [
  ['an object', (plan) => object(boolean, plan, boolean)],
  ['an array', array],
  ['a tuple', (plan) => tuple(boolean, plan, boolean)],
  ['a record', record],
  ['a union', (plan) => union('k', object(boolean), object(plan), object(boolean))],
]

describe('a record', () => {
  it.each([
    ['nothing but a text', string, false],
    ['nothing but JSON', json, false],
    ['62 constants', object(literal(62)), true],
    ['63 constants', object(literal(63)), false],
    ['a union of 62 objects', unionOf(62), true],
    ['a union of 63 objects', unionOf(63), false],
    ['arrays of what has no digits', object(array(tuple())), false],
    ['arrays of what has no digits in objects', object(array(object(tuple()))), false],
    ['arrays of arrays', array(array(boolean)), true],
    ['arrays of tuples that may be null', array({ ...tuple(), nullable: true }), true],
    ['arrays of tuples that may be undefined', array({ ...tuple(), undefinable: true }), true],
  ])('can hold %s or not: %#', (_, plan, fits) => {
    expect(fitsRecord(plan)).toBe(fits)
  })

  it.each(within)('holds in %s what it can hold, and knows of JSON there', (_, wrap) => {
    expect(fitsRecord(wrap(literal(62)))).toBe(true)
    expect(fitsRecord(wrap(literal(63)))).toBe(false)
    expect(fitsRecord(wrap(object(boolean)))).toBe(true)
    expect(fitsRecord(wrap(object(boolean, literal(63))))).toBe(false)
    expect(fitsRecord(wrap(tuple(boolean, literal(63))))).toBe(false)
    expect(fitsRecord(wrap(unionOf(3, object(literal(63)))))).toBe(false)
    expect(holdsJson(wrap(json))).toBe(true)
    expect(holdsJson(wrap(object(string, json)))).toBe(true)
    expect(holdsJson(wrap(string))).toBe(false)
  })

  it.each<[WirePlan['kind'] | 'none', WirePlan, number | undefined]>([
    ['boolean', boolean, 1],
    ['literal', literal(3), 1],
    ['string', string, 3],
    ['bytes', { kind: 'bytes', ...flags }, 3],
    ['number', { kind: 'number', ...flags }, 5],
    ['date', { kind: 'date', ...flags }, 8],
    ['decimal', { kind: 'decimal', Decimal: Object as never, ...flags }, 10],
    ['tuple', tuple(boolean, string, tuple(boolean)), 5],
    ['object', object(boolean, string, tuple(boolean)), 5],
    ['none', tuple(), 0],
    ['array', array(boolean), undefined],
    ['record', record(boolean), undefined],
    ['json', json, undefined],
    ['union', unionOf(2), undefined],
    ['tuple', tuple(boolean, array(boolean)), undefined],
    ['object', object(boolean, json), undefined],
    ['tuple', tuple(boolean, { ...tuple(boolean), nullable: true }), undefined],
    ['tuple', tuple(boolean, { ...tuple(boolean), undefinable: true }), undefined],
    ['object', object(boolean, { ...object(boolean), nullable: true }), undefined],
    ['object', object(boolean, { ...object(boolean), undefinable: true }), undefined],
  ])('has for a %s the plan %j of %s digits', (_, plan, length) => {
    expect(headLengthOf(plan)).toBe(length)
  })

  it('has as many digits as its plan', () => {
    for (const plan of [tuple(boolean), tuple(boolean, tuple(boolean, boolean)), tuple()]) {
      const row =
        plan.kind === 'tuple'
          ? plan.items.map((item) => (item.kind === 'boolean' ? true : [true, false]))
          : []
      // Nine characters of lengths, and a mark before and after the head.
      expect(compileRecordWriter(plan)(row)).toHaveLength(11 + headLengthOf(plan)!)
    }
  })
})
