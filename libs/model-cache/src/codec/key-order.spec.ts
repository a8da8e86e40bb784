import {
  flags,
  field,
  number,
  optional,
  object,
  union,
  array,
  tuple,
  record,
} from '../../../../test/support/wire-plans.js'
import { hasKeysInOrder, inKeyOrder, keyOrderOf, withKeysInOrder } from './key-order.js'
import { createPlanReviver } from './plan-reviver.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

const must = (name: string, plan = number) => field(name, plan)
const may = (name: string, plan = number) => optional(name, plan)
const given = object(may('d'), must('c'), may('b'), must('a'))
const ordered = object(must('c'), must('a'), may('d'), may('b'))

/** Each place that an object has in others. */
const within: [string, (plan: PlanOf<'object'>) => WirePlan, (value: unknown) => unknown][] = [
  ['a row', (plan) => plan, (value) => value],
  ['a field', (plan) => object(must('id'), must('of', plan), may('no', plan)), (of) => ({ id: 1, of })],
  ['an array', array, (value) => [value, value]],
  ['a tuple', (plan) => tuple(number, plan), (value) => [1, value]],
  [
    'an open record',
    record,
    (value) =>
      Object.fromEntries([
        ['y', value],
        ['__proto__', value],
      ]),
  ],
  [
    'what may be null',
    (plan) => object(must('of', { ...plan, nullable: true }), must('no', { ...plan, nullable: true })),
    (of) => ({ of, no: null }),
  ],
  ['what may be undefined', (plan) => array({ ...plan, undefinable: true }), (value) => [undefined, value]],
]

describe('the order of keys', () => {
  it.each(within)('has required ones before optional ones in %s', (_, wrap) => {
    expect(inKeyOrder(wrap(given))).toEqual(wrap(ordered))
    expect(inKeyOrder(wrap(ordered))).toEqual(wrap(ordered))
  })

  it('has required ones before optional ones in each branch of a union', () => {
    expect(inKeyOrder(union('k', given, union('k', object(), given)))).toEqual(
      union('k', ordered, union('k', object(), ordered)),
    )
  })

  const order = keyOrderOf(given.fields)

  it.each(['ca', 'cad', 'cab', 'cadb'])('is that of the keys %s', (keys) => {
    expect(hasKeysInOrder(Object.fromEntries([...keys].map((key) => [key, 0])), order)).toBe(true)
  })

  it.each(['', 'c', 'a', 'ac', 'cda', 'cabd', 'cax', 'xca', 'cadbx', 'cd', 'dca'])(
    'is not that of the keys %s',
    (keys) => {
      expect(hasKeysInOrder(Object.fromEntries([...keys].map((key) => [key, 0])), order)).toBe(false)
    },
  )

  it('can be given to an object that has no other keys', () => {
    expect(Object.keys(withKeysInOrder({ b: 1, a: 2, c: undefined }, order))).toEqual(['c', 'a', 'b'])
    expect(() => withKeysInOrder({ a: 1, c: 2, x: 3 }, order)).toThrow('a key that the schema does not have')
  })
})

describe('the reviver of a plan', () => {
  const shuffled = () => ({ b: 1, a: 2, d: 3, c: 4 })
  const sorted = JSON.stringify({ c: 4, a: 2, d: 3, b: 1 })

  it.each(within)('puts the keys in order in %s', (_, wrap, rowOf) => {
    const sort = createPlanReviver(inKeyOrder(wrap(given)))
    const row = rowOf(shuffled())
    const found = sort(row)
    expect(JSON.stringify(found)).toBe(JSON.stringify(rowOf(JSON.parse(sorted))))
    // In place, where the object itself has its keys in order.
    expect(found === row).toBe(wrap(given) !== given)
    expect(sort(found)).toBe(found)
    expect(() => sort(rowOf({ ...shuffled(), more: 5 }))).toThrow('a key that the schema does not have')
  })

  it('puts the keys of the branch of a union in order', () => {
    const branch = (k: number, ...fields: PlanField[]) =>
      object(must('k', { kind: 'literal', values: [k], ...flags }), ...fields)
    const sort = createPlanReviver(
      union('k', branch(0, must('b'), must('a')), branch(1, must('a'), must('b'))),
    )
    expect([0, 1].map((k) => Object.keys(sort({ a: 1, b: 2, k }) as object).join())).toEqual([
      'k,b,a',
      'k,a,b',
    ])
    expect(() => sort({ k: 2 })).toThrow('no branch of the union')
  })

  it('leaves what has no keys as it is', () => {
    for (const plan of [number, { kind: 'array', items: number, ...flags } as const]) {
      const values = plan.kind === 'number' ? 1 : [1, 2]
      expect(createPlanReviver(plan)(values)).toBe(values)
    }
    const empty = {}
    expect(createPlanReviver(object(may('constructor', given)))(empty)).toBe(empty)
    expect(Object.getOwnPropertyNames(empty)).toEqual([])
    for (const nothing of [null, undefined])
      expect(createPlanReviver({ ...given, nullable: true, undefinable: true })(nothing)).toBe(nothing)
  })
})
