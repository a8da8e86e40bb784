import {
  flags,
  string,
  number,
  boolean,
  date,
  json,
  constant,
  field,
  object,
  array,
  tuple,
  record,
} from '../../../../test/support/wire-plans.js'
import { createChecker } from './checker.js'
import type { WirePlan } from './wire-plan.js'

const maybe: WirePlan = { ...number, nullable: true, undefinable: true }
const union: WirePlan = {
  kind: 'union',
  discriminator: 'k',
  branches: [
    { constants: ['a', 1], plan: object(field('k', constant('a', 1))) },
    { constants: [true], plan: object(field('k', constant(true))) },
  ],
  ...flags,
}
const check = (plan: WirePlan, value: unknown) => createChecker(object(field('v', plan)), 'Lot')({ v: value })
const nested = (levels: number) => {
  let value: unknown = []
  for (let level = 1; level < levels; level++) value = level % 2 ? [value] : { value }
  return value
}

describe('the check of a row', () => {
  it.each<[WirePlan, unknown, path: string, message: string]>([
    [string, 5, 'v', 'expected a string, got a number'],
    [string, null, 'v', 'expected a string, got null'],
    [boolean, 'x', 'v', 'expected a boolean, got a string of 1 characters'],
    [number, Number.NaN, 'v', 'expected a finite number, got NaN'],
    [number, null, 'v', 'expected a finite number, got null'],
    [maybe, 'x', 'v', 'expected a finite number, got a string of 1 characters'],
    [date, 5, 'v', 'expected a valid Date, got a number'],
    [{ ...date, nullable: true }, 5, 'v', 'expected a valid Date or null, got a number'],
    [{ ...date, undefinable: true }, null, 'v', 'expected a valid Date or undefined, got null'],
    [constant('a', 1, true), 'b', 'v', 'expected one of "a", 1, true, got a string of 1 characters'],
    [constant(), 'b', 'v', 'expected nothing, got a string of 1 characters'],
    [json, null, 'v', 'expected plain JSON, got null'],
    [json, undefined, 'v', 'expected plain JSON, got undefined'],
    [json, { a: [new Date(0)] }, 'v.a.0', 'expected plain JSON, got a Date'],
    [json, [Number.NaN], 'v.0', 'expected a finite number, got NaN'],
    [json, { a: Array(1) }, 'v.a.0', 'expected no hole in the array, got undefined'],
    [json, { toJSON: () => 1 }, 'v', 'expected plain JSON, got'],
    [json, [nested(1_000)], 'v.0.', 'expected JSON nested no deeper than 1000, got'],
    [array(json), [0, nested(1_001)], 'v.1.', 'expected JSON nested no deeper than 1000, got'],
    [object(field('a', string)), [], 'v', 'expected a plain object, got an array'],
    [object(field('a', string)), null, 'v', 'expected a plain object, got null'],
    [object(field('a', string)), {}, 'v.a', 'expected a value, got undefined'],
    [object(field('a', maybe)), {}, 'v.a', 'expected a value, got undefined'],
    [object(), 'x', 'v', 'expected a plain object, got a string of 1 characters'],
    [array(string), 'x', 'v', 'expected an array, got a string of 1 characters'],
    [array(string), undefined, 'v', 'expected an array, got undefined'],
    [array(maybe), Array(2), 'v.0', 'expected no hole in the array, got undefined'],
    [tuple(string, number), ['x', 'y'], 'v.1', 'expected a finite number'],
    [tuple(string), [], 'v', 'expected an array of 1, got an array'],
    [tuple(string), null, 'v', 'expected an array of 1, got null'],
    [record(number), [], 'v', 'expected a plain object, got an array'],
    [record(number), null, 'v', 'expected a plain object, got null'],
    [record(number), { 'a b': 'x' }, 'v.a b', 'expected a finite number'],
    [union, null, 'v', 'expected a plain object, got null'],
    [union, 'x', 'v', 'expected a plain object, got a string of 1 characters'],
    [union, { k: 'b' }, 'v.k', 'expected one of "a", 1, true, got a string of 1 characters'],
  ])('by the plan %j refuses %j and names %s', (plan, value, path, message) => {
    const fails = () => check(plan, value)
    expect(fails).toThrow(expect.objectContaining({ code: 'E_ENCODE' }))
    expect(fails).toThrow(`ModelCache "Lot": value at "${path}`)
    expect(fails).toThrow(`cannot be cached: ${message}`)
  })

  it.each<[WirePlan, unknown, ReturnType<typeof check>]>([
    [string, 'x', null],
    [number, 0, null],
    [number, -0, [[['v'], '-0']]],
    [constant(0, 1), -0, [[['v'], '-0']]],
    [constant(0, 1), 1, null],
    [maybe, undefined, [[['v'], 'undefined']]],
    [
      array(maybe),
      [1, undefined, null, -0],
      [
        [['v', 1], 'undefined'],
        [['v', 3], '-0'],
      ],
    ],
    [
      json,
      { a: [undefined], b: -0, c: null },
      [
        [['v', 'a', 0], 'undefined'],
        [['v', 'b'], '-0'],
      ],
    ],
    [json, { toJSON: 'text' }, null],
    [json, nested(1_000), null],
    [array(array(json)), [[nested(1_000)]], null],
    [union, { k: 1 }, null],
  ])('by the plan %j finds what JSON loses of %j', (plan, value, exceptions) => {
    expect(check(plan, value)).toEqual(exceptions)
  })
})
