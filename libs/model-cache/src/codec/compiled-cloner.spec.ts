import { compileCloner, compileManyCloner } from './compiled-cloner.js'
import { compileFreezer } from './compiled-freezer.js'
import type { WirePlan } from './wire-plan.js'

const flags = { nullable: false, undefinable: false }
const json: WirePlan = { kind: 'json', ...flags }
const date: WirePlan = { kind: 'date', ...flags }
const fieldsOf = (plan: WirePlan) => [{ name: 'v', optional: false, plan }]

describe('copies of a row', () => {
  it.each<[string, WirePlan, unknown]>([
    ['an object', { kind: 'object', fields: fieldsOf(date), ...flags }, { v: new Date(5) }],
    [
      'an object that may be null',
      { kind: 'object', fields: fieldsOf(date), ...flags, nullable: true },
      { v: new Date(5) },
    ],
    [
      'an object that may be undefined',
      { kind: 'object', fields: fieldsOf(date), ...flags, undefinable: true },
      { v: new Date(5) },
    ],
    ['an array', { kind: 'array', items: date, ...flags }, [new Date(5)]],
    ['JSON', json, { a: [{ b: [[1], null, 'x'] }], c: { d: { e: 1 } } }],
  ])('are as many as are wanted, and share nothing: %s', (_, plan, row) => {
    const before = JSON.stringify(row)
    for (const count of [0, 1, 3]) {
      const copies = compileManyCloner(plan)(row, count)
      expect(copies).toEqual(Array.from({ length: count }, () => row))
      expect(new Set([row, ...copies]).size).toBe(count + 1)
      for (const copy of copies) expect(compileFreezer(plan)(copy)).toBe(copy)
    }
    expect(Object.isFrozen(compileFreezer(plan)(compileCloner(plan)(row)))).toBe(true)
    expect(Object.isFrozen(row)).toBe(false)
    expect(JSON.stringify(row)).toBe(before)
    for (const nothing of [null, undefined]) {
      if (!(nothing === null ? plan.nullable : plan.undefinable)) continue
      expect(compileManyCloner(plan)(nothing, 2)).toEqual([nothing, nothing])
      expect([compileCloner(plan)(nothing), compileFreezer(plan)(nothing)]).toEqual([nothing, nothing])
    }
  })

  it('of JSON are copies of all that is in it', () => {
    const row = { list: [[1], { a: { b: 2 } }], more: { deep: { est: [] } }, no: null, text: 'x' }
    const copy = compileCloner(json)(row) as typeof row
    expect(copy).toStrictEqual(row)
    const partsOf = (of: typeof row) => [
      of,
      of.list,
      ...of.list,
      (of.list[1] as { a: object }).a,
      of.more,
      of.more.deep,
      of.more.deep.est,
    ]
    expect(partsOf(copy).filter((part, i) => part === partsOf(row)[i])).toEqual([])
    for (const plain of [null, 'x', 5, true]) expect(compileCloner(json)(plain)).toBe(plain)
  })
})
