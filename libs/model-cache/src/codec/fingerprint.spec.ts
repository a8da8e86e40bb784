import {
  string,
  date,
  constant,
  field,
  optional,
  object,
  array,
  tuple,
  record,
  union,
} from '../../../../test/support/wire-plans.js'
import { fingerprintOf } from './fingerprint.js'
import type { WirePlan } from './wire-plan.js'

const different: readonly WirePlan[] = [
  string,
  date,
  constant('a'),
  constant('b'),
  constant('a', 'b'),
  constant(1),
  constant('1'),
  constant(true),
  constant(),
  object(),
  object(field('a', string)),
  object(field('b', string)),
  object(field('a', date)),
  object(optional('a', string)),
  object(field('a', string), field('b', date)),
  object(field('b', string), field('a', date)),
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
  union('k', object(field('k', constant(0))), object(field('k', constant(1)))),
  union('n', object(field('k', constant(0))), object(field('k', constant(1)))),
  union('k', object(field('k', constant(0))), object(field('k', constant(2)))),
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
    const fields = ['b', 'a', 'c', 'a1', '1', 'é'].map((name) => field(name, string))
    const values = ['b', 'a', 1, 10, 9, true, '1']
    const prints = [
      [object(...fields), constant(...values)],
      [object(...fields.toReversed()), constant(...values.toReversed())],
      [object(...fields.toSorted((a, b) => (a.name < b.name ? -1 : 1))), constant(...values.toSorted())],
    ].map((plans) => plans.map((plan) => fingerprintOf(plan, 'record', undefined)))
    expect(prints[1]).toEqual(prints[0])
    expect(prints[2]).toEqual(prints[0])
  })
})
