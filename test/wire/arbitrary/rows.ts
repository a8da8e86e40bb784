import { Decimal } from '@prisma/client/runtime/client'
import fc from 'fast-check'
import { anyKey, anyString } from './nasty-strings.ts'
import type { PlanOf, WirePlan } from './plans.ts'

/** Any row of a plan: whatever the schema allows and a codec has to bring back. */
export function arbitraryOf(plan: WirePlan): fc.Arbitrary<unknown> {
  const absent = [...(plan.nullable ? [null] : []), ...(plan.undefinable ? [undefined] : [])]
  const value = presentArbitraryOf(plan)
  if (absent.length === 0) return value
  return fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom(...absent) })
}

/** As {@link arbitraryOf}, never null or undefined itself. */
export function presentArbitraryOf(plan: WirePlan): fc.Arbitrary<unknown> {
  switch (plan.kind) {
    case 'string':
      return anyString
    case 'number':
      return anyNumber
    case 'boolean':
      return fc.boolean()
    case 'date':
      return anyDate
    case 'decimal':
      return anyDecimal
    case 'bigint':
      return anyBigint
    case 'bytes':
      return anyBytes
    case 'literal':
      return fc.constantFrom(...plan.values)
    case 'json':
      return anyJson.filter((value) => value !== null)
    case 'array':
      return fc.array(arbitraryOf(plan.items), { maxLength: 5 })
    case 'tuple':
      return fc.tuple(...plan.items.map(arbitraryOf))
    case 'record':
      return entriesOf(arbitraryOf(plan.values)).map((entries) => Object.fromEntries(entries))
    case 'object':
      return anyObject(plan)
    case 'union':
      return fc.oneof(...plan.branches.map((branch) => presentArbitraryOf(branch.plan)))
  }
}

export const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    1e21,
    1e-7,
  ),
  fc.constantFrom(2 ** 53, -(2 ** 53), 2 ** 31, -(2 ** 31), 2 ** 30, 2 ** 32 - 1, 0.1 + 0.2, Number.EPSILON),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const lastMs = 8.64e15
export const anyDate: fc.Arbitrary<Date> = fc
  .oneof(
    fc.constantFrom(lastMs, -lastMs, lastMs - 1, 1 - lastMs, 0, -1, 1, 253402300799999, 253402300800000),
    // Around the years 0 and -1, where ISO texts change their form.
    fc.constantFrom(-62135596800000, -62135596800001, -62167219200000, -62167219200001),
    fc.integer({ min: -lastMs, max: lastMs }),
    fc.integer({ min: 0, max: 4e12 }),
  )
  .map((ms) => new Date(ms))

const digits = (maxLength: number) =>
  fc.array(fc.nat(9), { minLength: 1, maxLength }).map((all) => all.join(''))
const decimalTexts = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '1',
    '-1',
    '10200.50',
    '0.1',
    '1e-30',
    '1e30',
    '1e-7',
    '1e21',
    '9999999',
    '10000000',
  ),
  fc.constantFrom(
    '0.0000001',
    '99999999999999.9999999',
    '1e9000',
    '-1e-9000',
    '7'.repeat(65),
    `0.${'7'.repeat(65)}`,
  ),
  fc.integer().map(String),
  fc.tuple(fc.integer(), digits(4)).map(([whole, part]) => `${whole}.${part}`),
  fc
    .tuple(fc.constantFrom('', '-'), digits(65), digits(65))
    .map(([sign, whole, part]) => `${sign}${whole}.${part}`),
  fc
    .tuple(fc.constantFrom('', '-'), digits(20), fc.integer({ min: -400, max: 400 }))
    .map(([sign, number, exponent]) => `${sign}${number}e${exponent}`),
)
/** Finite ones; as text would make them, and as calculation leaves them. */
export const anyDecimal: fc.Arbitrary<Decimal> = fc.oneof(
  { weight: 4, arbitrary: decimalTexts.map((text) => new Decimal(text)) },
  {
    weight: 1,
    arbitrary: fc.tuple(decimalTexts, decimalTexts).map(([a, b]) => new Decimal(a).times(b).minus(a)),
  },
)

const anyBigint: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 2n ** 53n, 2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 10n ** 40n, 2n ** 4096n),
  fc.bigInt({ min: -(2n ** 128n), max: 2n ** 128n }),
)

const anyBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 70 }),
  // A view into a longer buffer, of which only the view is the value.
  fc
    .tuple(fc.uint8Array({ minLength: 4, maxLength: 40 }), fc.nat(3))
    .map(([all, start]) => all.subarray(start, all.length - 1)),
  fc.constant(Uint8Array.from({ length: 4096 }, (_, i) => i % 251)),
)

/** Entries under distinct keys, `__proto__` among them; Object.fromEntries makes of it a key like others. */
function entriesOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<[string, T][]> {
  return fc.uniqueArray(fc.tuple(anyKey, value), { maxLength: 5, selector: ([key]) => key })
}

/** Plain JSON, with what JSON itself would lose: undefined and the sign of zero. */
const mixedJson: fc.Arbitrary<unknown> = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
    fc.oneof(anyString, anyNumber, fc.boolean(), fc.constant(null)),
    fc.array(
      fc.oneof({ weight: 5, arbitrary: tie('json') }, { weight: 1, arbitrary: fc.constant(undefined) }),
      {
        maxLength: 5,
      },
    ),
    entriesOf(
      fc.oneof({ weight: 5, arbitrary: tie('json') }, { weight: 1, arbitrary: fc.constant(undefined) }),
    ).map((entries) => Object.fromEntries(entries)),
  ),
})).json

const numbersOfAllSizes = fc.oneof(
  fc.integer({ min: -1, max: 5000 }),
  fc.constantFrom(4095, 4096, 2 ** 29 - 1, 2 ** 29, -(2 ** 29), -(2 ** 29) - 1, 0.5, 1e21),
)

/** What a record can hold. */
export const tameJsonLeaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ maxLength: 70 }),
  numbersOfAllSizes,
  fc.boolean(),
  fc.constant(null),
)

/** Keys of one shape, or of an object that is too large for one. */
export const keysOfShape: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 6, arbitrary: fc.uniqueArray(anyKey, { maxLength: 5 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 30, max: 36 }).map((n) => Array.from({ length: n }, (_, i) => `key ${i}`)),
  },
)

/** Objects of a few shapes, again and again and in each other, as tables and settings have them. */
const shapedJson: fc.Arbitrary<unknown> = fc
  .tuple(
    fc.uniqueArray(keysOfShape, { minLength: 1, maxLength: 4, selector: (keys) => JSON.stringify(keys) }),
    fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
    fc.oneof(
      fc.array(tameJsonLeaf, { minLength: 1, maxLength: 12 }),
      fc.array(fc.oneof(anyString, tameJsonLeaf, mixedJson), { minLength: 1, maxLength: 12 }),
    ),
  )
  .map(([shapes, choices, values]) => {
    let made: unknown = null
    return choices.map((choice, i) => {
      const keys = shapes[choice % shapes.length]!
      const object = keys.map((key, k) => [key, values[(choice + i + k) % values.length]] as const)
      // Every third holds the one before.
      made = Object.fromEntries(i % 3 === 2 ? [...object, ['inner', made] as const] : object)
      return made
    })
  })

export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: mixedJson },
  { weight: 1, arbitrary: shapedJson },
)

/** Optional fields are there or not, and sources list fields in any order. */
function anyObject(plan: PlanOf<'object'>): fc.Arbitrary<object> {
  const fields = plan.fields.map((field) =>
    fc
      .tuple(arbitraryOf(field.plan), field.optional ? fc.boolean() : fc.constant(true))
      .map(([value, there]) => (there ? [[field.name, value] as const] : [])),
  )
  return fc
    .tuple(fc.tuple(...fields), fc.boolean())
    .map(([entries, reversed]) => Object.fromEntries(reversed ? entries.toReversed().flat() : entries.flat()))
}
