import assert from 'node:assert/strict'
import fc from 'fast-check'
import { undecodable } from 'model-cache/codec'
import { anyPlan, type PlanOf, type WirePlan } from '../arbitrary/plans.ts'
import { arbitraryOf } from '../arbitrary/rows.ts'
import { wrongRowOf } from '../arbitrary/wrong-rows.ts'
import { assertSame, type AnyCodec, type CodecProperty } from './property.ts'
import { forEachVariant } from './variants.ts'

const plain = { nullable: false, undefinable: false }
const json: PlanOf<'json'> = { ...plain, kind: 'json', nullable: true }
const texts: PlanOf<'record'> = { ...plain, kind: 'record', values: { ...plain, kind: 'string' } }
const deep = (levels: number) => {
  let value: unknown[] = []
  for (let i = 1; i < levels; i++) value = [value]
  return value
}

/** Values that a schema seems to allow, but that have no form of their own on the wire. */
const oddities: readonly [what: string, plan: WirePlan, value: unknown][] = [
  ['an array with holes', json, Object.assign([], { 2: 1 })],
  ['a nested array with holes', json, { a: Object.assign([], { 1: 1 }) }],
  [
    'an array of undefined with holes',
    { ...plain, kind: 'array', items: { ...plain, kind: 'string', undefinable: true } },
    Object.assign([], { 1: 'a' }),
  ],
  ['a Map in place of a record', texts, new Map([['a', 'b']])],
  ['a Set in place of a record', texts, new Set(['a'])],
  ['a Date in place of a record', texts, new Date(0)],
  ['a constant zero with a sign', { ...plain, kind: 'literal', values: [0, 1] }, -0],
  ['a hundred thousand arrays in each other', json, deep(100_000)],
  ['a thousand arrays in each other', json, deep(1000)],
]

export const refusals: readonly CodecProperty[] = [
  {
    name: 'of JSON 1,000 levels are written and read, and no more',
    runs: 1,
    property: fc.property(fc.constantFrom(json), (plan) =>
      forEachVariant(plan, (codec) => {
        const deepest = deep(1_000)
        assertSame(codec.decode(codec.encode(deepest)), deepest, 'the deepest JSON')
        assertRefused(codec, deep(1_001), Array(1_000).fill(0).join('.'))
        assert.equal(codec.decode(JSON.stringify(deep(1_001))), undecodable)
      }),
    ),
  },
  {
    name: 'a value of the wrong kind is refused by model and path, and does no harm to the next row',
    runs: 40,
    property: fc.property(
      anyPlan.chain((plan) =>
        fc.tuple(
          fc.constant(plan),
          fc.array(wrongRowOf(plan), { minLength: 1, maxLength: 8 }),
          arbitraryOf(plan),
        ),
      ),
      ([plan, wrongs, right]) =>
        forEachVariant(plan, (codec) => {
          for (const { row, path } of wrongs) assertRefused(codec, row, path.join('.'))
          assertSame(codec.decode(codec.encode(right)), right, 'the next row')
        }),
    ),
  },
  {
    name: 'an odd value comes back as it was, or is refused',
    runs: 20,
    property: fc.property(fc.constantFrom(...oddities), ([what, plan, value]) =>
      forEachVariant(plan, (codec) => {
        let text: string
        try {
          text = codec.encode(value)
        } catch (error) {
          assert.equal((error as { code?: unknown }).code, 'E_ENCODE', `${what}: ${String(error)}`)
          return
        }
        assertSame(codec.decode(text), value, what)
        assertSame(codec.clone(value), value, `the copy of ${what}`)
      }),
    ),
  },
]

function assertRefused(codec: AnyCodec, row: unknown, path: string): void {
  let text: string
  try {
    text = codec.encode(row)
  } catch (error) {
    const { code, message } = error as Error & Record<'code', unknown>
    assert.equal(code, 'E_ENCODE', String(error))
    const beginning = `ModelCache "Random": value at "${path || '(root)'}" cannot be cached: expected `
    assert.equal(message.slice(0, beginning.length), beginning)
    assert.match(message.slice(beginning.length), /^.+, got .+\.$/s)
    return
  }
  assert.fail(`was written as ${text}, but is wrong at "${path}"`)
}
