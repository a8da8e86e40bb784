import { fingerprintOf } from './fingerprint.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

const flags = { nullable: false, undefinable: false }
const string: WirePlan = { kind: 'string', ...flags }
const date: WirePlan = { kind: 'date', ...flags }
const fieldOf = (name: string, plan: WirePlan, optional = false): PlanField => ({ name, optional, plan })
const object = (...fields: PlanField[]): PlanOf<'object'> => ({ kind: 'object', fields, ...flags })
const literal = (...values: PlanOf<'literal'>['values']): WirePlan => ({ kind: 'literal', values, ...flags })
const array = (items: WirePlan): WirePlan => ({ kind: 'array', items, ...flags })
const tuple = (...items: WirePlan[]): WirePlan => ({ kind: 'tuple', items, ...flags })
const record = (values: WirePlan): WirePlan => ({ kind: 'record', values, ...flags })
const union = (discriminator: string, ...plans: PlanOf<'object'>[]): WirePlan => ({
  kind: 'union',
  discriminator,
  branches: plans.map((plan, i) => ({ constants: [i], plan })),
  ...flags,
})

const different: readonly WirePlan[] = [
  string,
  date,
  literal('a'),
  literal('b'),
  literal('a', 'b'),
  literal(1),
  literal('1'),
  literal(true),
  literal(),
  object(),
  object(fieldOf('a', string)),
  object(fieldOf('b', string)),
  object(fieldOf('a', date)),
  object(fieldOf('a', string, true)),
  object(fieldOf('a', string), fieldOf('b', date)),
  object(fieldOf('b', string), fieldOf('a', date)),
  array(string),
  array(date),
  array(array(date)),
  tuple(),
  tuple(string),
  tuple(date),
  tuple(string, date),
  tuple(date, string),
  record(string),
  record(date),
  union('k', object(fieldOf('k', literal(0))), object(fieldOf('k', literal(1)))),
  union('n', object(fieldOf('k', literal(0))), object(fieldOf('k', literal(1)))),
  union('k', object(fieldOf('k', literal(0))), object(fieldOf('k', literal(2)))),
]

describe('the fingerprint of a codec', () => {
  it('differs for each plan, nullability, format and version', () => {
    const plans = different.flatMap((plan) => [
      plan,
      { ...plan, nullable: true },
      { ...plan, undefinable: true },
      { ...plan, nullable: true, undefinable: true },
    ])
    const prints = plans.map((plan) => fingerprintOf(plan, 'record', undefined))
    expect(new Set(prints).size).toBe(plans.length)
    const others = [
      fingerprintOf(string, 'json', undefined),
      fingerprintOf(string, 'record', 1),
      fingerprintOf(string, 'record', '1'),
      fingerprintOf(string, 'record', ''),
    ]
    expect(new Set([...prints, ...others]).size).toBe(plans.length + others.length)
    for (const print of prints) expect(print).toMatch(/^[\w-]{11}$/)
  })

  it('does not depend on the order of fields and constants', () => {
    const fields = ['b', 'a', 'c', 'a1', '1', 'é'].map((name) => fieldOf(name, string))
    const values = ['b', 'a', 1, 10, 9, true, '1']
    const prints = [
      [object(...fields), literal(...values)],
      [object(...fields.toReversed()), literal(...values.toReversed())],
      [object(...fields.toSorted((a, b) => (a.name < b.name ? -1 : 1))), literal(...values.toSorted())],
    ].map((plans) => plans.map((plan) => fingerprintOf(plan, 'record', undefined)))
    expect(prints[1]).toEqual(prints[0])
    expect(prints[2]).toEqual(prints[0])
  })
})
