import { createChecker } from './checker.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

const flags = { nullable: false, undefinable: false }
const plans = {
  string: { kind: 'string', ...flags },
  boolean: { kind: 'boolean', ...flags },
  number: { kind: 'number', ...flags },
  date: { kind: 'date', ...flags },
  json: { kind: 'json', ...flags },
  maybe: { kind: 'number', nullable: true, undefinable: true },
} as const satisfies Record<string, WirePlan>
const constant = (...values: PlanOf<'literal'>['values']): WirePlan => ({ kind: 'literal', values, ...flags })
const fieldOf = (name: string, plan: WirePlan): PlanField => ({ name, optional: false, plan })
const object = (...fields: PlanField[]): PlanOf<'object'> => ({ kind: 'object', fields, ...flags })
const array = (items: WirePlan): WirePlan => ({ kind: 'array', items, ...flags })
const tuple = (...items: WirePlan[]): WirePlan => ({ kind: 'tuple', items, ...flags })
const record = (values: WirePlan): WirePlan => ({ kind: 'record', values, ...flags })
const union: WirePlan = {
  kind: 'union',
  discriminator: 'k',
  branches: [
    { constants: ['a', 1], plan: object(fieldOf('k', constant('a', 1))) },
    { constants: [true], plan: object(fieldOf('k', constant(true))) },
  ],
  ...flags,
}
const check = (plan: WirePlan, value: unknown) =>
  createChecker(object(fieldOf('v', plan)), 'Lot')({ v: value })
const nested = (levels: number) => {
  let value: unknown = []
  for (let level = 1; level < levels; level++) value = level % 2 ? [value] : { value }
  return value
}

describe('the check of a row', () => {
  it.each<[WirePlan, unknown, path: string, message: string]>([
    [plans.string, 5, 'v', 'expected a string, got a number'],
    [plans.string, null, 'v', 'expected a string, got null'],
    [plans.boolean, 'x', 'v', 'expected a boolean, got a string of 1 characters'],
    [plans.number, Number.NaN, 'v', 'expected a finite number, got NaN'],
    [plans.number, null, 'v', 'expected a finite number, got null'],
    [plans.maybe, 'x', 'v', 'expected a finite number, got a string of 1 characters'],
    [plans.date, 5, 'v', 'expected a valid Date, got a number'],
    [{ ...plans.date, nullable: true }, 5, 'v', 'expected a valid Date or null, got a number'],
    [{ ...plans.date, undefinable: true }, null, 'v', 'expected a valid Date or undefined, got null'],
    [constant('a', 1, true), 'b', 'v', 'expected one of "a", 1, true, got a string of 1 characters'],
    [constant(), 'b', 'v', 'expected nothing, got a string of 1 characters'],
    [plans.json, null, 'v', 'expected plain JSON, got null'],
    [plans.json, undefined, 'v', 'expected plain JSON, got undefined'],
    [plans.json, { a: [new Date(0)] }, 'v.a.0', 'expected plain JSON, got a Date'],
    [plans.json, [Number.NaN], 'v.0', 'expected a finite number, got NaN'],
    [plans.json, { a: Array(1) }, 'v.a.0', 'expected no hole in the array, got undefined'],
    [plans.json, { toJSON: () => 1 }, 'v', 'expected plain JSON, got'],
    [plans.json, [nested(1_000)], 'v.0.', 'expected JSON nested no deeper than 1000, got'],
    [array(plans.json), [0, nested(1_001)], 'v.1.', 'expected JSON nested no deeper than 1000, got'],
    [object(fieldOf('a', plans.string)), [], 'v', 'expected a plain object, got an array'],
    [object(fieldOf('a', plans.string)), null, 'v', 'expected a plain object, got null'],
    [object(fieldOf('a', plans.string)), {}, 'v.a', 'expected a value, got undefined'],
    [object(fieldOf('a', plans.maybe)), {}, 'v.a', 'expected a value, got undefined'],
    [object(), 'x', 'v', 'expected a plain object, got a string of 1 characters'],
    [array(plans.string), 'x', 'v', 'expected an array, got a string of 1 characters'],
    [array(plans.string), undefined, 'v', 'expected an array, got undefined'],
    [array(plans.maybe), Array(2), 'v.0', 'expected no hole in the array, got undefined'],
    [tuple(plans.string, plans.number), ['x', 'y'], 'v.1', 'expected a finite number'],
    [tuple(plans.string), [], 'v', 'expected an array of 1, got an array'],
    [tuple(plans.string), null, 'v', 'expected an array of 1, got null'],
    [record(plans.number), [], 'v', 'expected a plain object, got an array'],
    [record(plans.number), null, 'v', 'expected a plain object, got null'],
    [record(plans.number), { 'a b': 'x' }, 'v.a b', 'expected a finite number'],
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
    [plans.string, 'x', null],
    [plans.number, 0, null],
    [plans.number, -0, [[['v'], '-0']]],
    [constant(0, 1), -0, [[['v'], '-0']]],
    [constant(0, 1), 1, null],
    [plans.maybe, undefined, [[['v'], 'undefined']]],
    [
      array(plans.maybe),
      [1, undefined, null, -0],
      [
        [['v', 1], 'undefined'],
        [['v', 3], '-0'],
      ],
    ],
    [
      plans.json,
      { a: [undefined], b: -0, c: null },
      [
        [['v', 'a', 0], 'undefined'],
        [['v', 'b'], '-0'],
      ],
    ],
    [plans.json, { toJSON: 'text' }, null],
    [plans.json, nested(1_000), null],
    [array(array(plans.json)), [[nested(1_000)]], null],
    [union, { k: 1 }, null],
  ])('by the plan %j finds what JSON loses of %j', (plan, value, exceptions) => {
    expect(check(plan, value)).toEqual(exceptions)
  })
})
