import { flags, string, boolean } from '../../../../test/support/wire-plans.js'
import { discriminate } from './discriminate.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

type Constants = PlanOf<'literal'>['values']
/** An object of constants; an empty list is a string. */
const object = (fields: Record<string, Constants | WirePlan>): PlanOf<'object'> => ({
  kind: 'object',
  fields: Object.entries(fields).map(([name, of]): PlanField => ({
    name,
    optional: false,
    plan: Array.isArray(of) ? { kind: 'literal', values: of as Constants, ...flags } : (of as WirePlan),
  })),
  ...flags,
})
/** The fields that tell objects apart, with the constants of each branch. */
const treeOf = (plan: PlanOf<'union' | 'object'> | undefined): string =>
  plan?.kind === 'union'
    ? `${plan.discriminator}{ ${plan.branches.map(({ constants, plan }) => `${constants.join()}: ${treeOf(plan)}`).join('; ')} }`
    : String(plan?.fields.map(({ name }) => name).join())

describe('the discriminator of a union', () => {
  it.each<[string, PlanOf<'object'>[], string]>([
    ['one field', [object({ k: ['b'], x: string }), object({ k: ['a', 'c'] })], 'k{ a,c: k; b: k,x }'],
    ['a boolean', [object({ k: boolean }), object({ k: ['x'] })], 'k{ x: k; false,true: k }'],
    ['the first of two', [object({ a: [1], b: [1] }), object({ b: [2], a: [2] })], 'a{ 1: a,b; 2: b,a }'],
    [
      'the one that all differ by',
      [
        object({ a: [1], b: [1], z: [1] }),
        object({ a: [2], b: [1], z: [2] }),
        object({ a: [2], b: [2], z: [3] }),
      ],
      'z{ 1: a,b,z; 2: a,b,z; 3: a,b,z }',
    ],
    [
      'two, one within the other',
      [object({ a: [1], b: [1] }), object({ a: [2], b: [1] }), object({ a: [2], b: [2] })],
      'a{ 1: a,b; 2: b{ 1: a,b; 2: a,b } }',
    ],
    [
      'constants that two objects share in part',
      [object({ a: [1, 2], b: [1] }), object({ a: [2, 3], b: [2] }), object({ a: [4], b: [2] })],
      'a{ 1,2,3: b{ 1: a,b; 2: a,b }; 4: a,b }',
    ],
    [
      'constants that two objects share by way of a third',
      [
        object({ a: [1], b: [1] }),
        object({ a: [3], b: [2] }),
        object({ a: [1, 3], b: [3] }),
        object({ a: [9], b: [3] }),
      ],
      'a{ 1,3: b{ 1: a,b; 2: a,b; 3: a,b }; 9: a,b }',
    ],
  ])('is %s, whatever the order of the objects', (_, objects, tree) => {
    expect(treeOf(discriminate(objects))).toEqual(tree)
    expect(treeOf(discriminate(objects.toReversed()))).toEqual(tree)
  })

  it.each<[string, PlanOf<'object'>[]]>([
    ['no field is in all', [object({ a: [1] }), object({ b: [2] })]],
    ['all share a constant', [object({ a: [1, 2] }), object({ a: [2, 3] })]],
    [
      'two of them cannot be told apart',
      [object({ a: [1] }), object({ a: [2] }), object({ a: [2], b: [1] })],
    ],
    ['one has a string there', [object({ a: [1] }), object({ a: string })]],
    [
      'one may have null there',
      [object({ a: [1] }), object({ a: { kind: 'literal', values: [2], ...flags, nullable: true } })],
    ],
    [
      'one may have undefined there',
      [object({ a: [1] }), object({ a: { kind: 'literal', values: [2], ...flags, undefinable: true } })],
    ],
  ])('does not exist if %s', (_, objects) => {
    expect(discriminate(objects)).toBeUndefined()
    expect(discriminate(objects.toReversed())).toBeUndefined()
  })
})
