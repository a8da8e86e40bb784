import assert from 'node:assert/strict'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import fc from 'fast-check'
import { bytes, compileCodec } from 'model-cache/codec'
import { hugeString } from '../arbitrary/nasty-strings.ts'
import { anyPlan, fieldOf, normalised, type PlanOf, type WirePlan } from '../arbitrary/plans.ts'
import { allowedBy } from '../arbitrary/schemas.ts'
import { arbitraryOf, keysOfShape, presentArbitraryOf, tameJsonLeaf } from '../arbitrary/rows.ts'
import { assertSame, decodeArrived, throughSocket, type AnyCodec, type CodecProperty } from './property.ts'
import { codecsOf, forEachVariant } from './variants.ts'

const string: PlanOf<'string'> = { kind: 'string', nullable: false, undefinable: false }
const backslashes = fc
  .array(fc.constantFrom('\\', '"', '\n', 'n', 'u', '/', 'é'), { minLength: 1, maxLength: 4 })
  .map((characters) => characters.join(''))
const rowOf = (...fields: PlanOf<'object'>['fields']): PlanOf<'object'> => ({
  ...string,
  kind: 'object',
  fields,
})

/** One plan, so that its codecs remember the shapes of all runs. */
const settings = rowOf(fieldOf('data', false, { ...string, kind: 'json', nullable: true }))

/** A schema, and a few of its rows: compiling costs more than reading. */
export const planWithRows: fc.Arbitrary<[WirePlan, unknown[]]> = anyPlan.chain((plan) =>
  fc.tuple(fc.constant(plan), fc.array(arbitraryOf(plan), { minLength: 1, maxLength: 6 })),
)

/** Tries each of these rows in each variant of their codec. */
const ofEachRow = (test: (codec: AnyCodec, row: unknown) => void) =>
  fc.property(planWithRows, ([plan, rows]) =>
    forEachVariant(plan, (codec) => rows.forEach((row) => test(codec, row))),
  )
const isNothing = (row: unknown): boolean => row === null || row === undefined

export const roundTrips: readonly CodecProperty[] = [
  {
    name: 'a row comes back from the socket as it was stored',
    runs: 50,
    property: fc.property(planWithRows, ([plan, rows]) => {
      const allows = allowedBy(plan)
      rows.forEach((row) => assert.ok(allows(row), 'the arbitrary made what the schema does not allow'))
      forEachVariant(plan, (codec) => rows.forEach((row) => assertRoundTrip(codec, row)))
    }),
  },
  {
    name: 'the same row gives the same text, also its copy',
    runs: 20,
    property: ofEachRow((codec, row) => {
      const text = codec.encode(row)
      assert.equal(codec.encode(row), text)
      if (isNothing(row)) return
      for (const copy of [codec.clone(row), ...codec.cloneMany(row, 2)])
        assert.equal(codec.encode(copy), text)
    }),
  },
  {
    name: 'copies and rows read twice share nothing that can be changed',
    runs: 20,
    property: ofEachRow((codec, row) => {
      if (isNothing(row)) return
      const text = codec.encode(row)
      const copies = [codec.clone(row), ...codec.cloneMany(row, 3)]
      assert.equal(copies.length, 4)
      copies.forEach((copy, i) => {
        assertSame(copy, row, 'a copy')
        for (const other of [row, ...copies.slice(0, i)]) assertNothingShared(copy, other)
      })
      assertNothingShared(codec.decode(text), codec.decode(text))
    }),
  },
  {
    name: 'a frozen row is the same row, of which nothing can be changed any more; its copy can',
    runs: 20,
    property: ofEachRow((codec, row) => {
      if (isNothing(row)) return
      const text = codec.encode(row)
      const read = codec.decode(text)
      const frozen = codec.freeze(read)
      assert.equal(frozen, read, 'another row was frozen')
      assertFrozen(frozen)
      assert.equal(codec.freeze(frozen), frozen, 'it cannot be frozen again')
      assert.equal(codec.encode(frozen), codec.encode(codec.decode(text)))
      for (const copy of [codec.clone(frozen), ...codec.cloneMany(frozen, 2)]) {
        assertSame(copy, codec.clone(row), 'a copy of the frozen row')
        assertChangeable(copy)
      }
    }),
  },
  {
    name: 'a row gains no fields: those that the schema does not name are left out',
    runs: 15,
    property: fc.property(
      anyPlan
        .filter((plan) => plan.kind === 'object')
        .chain((plan) =>
          fc.tuple(
            fc.constant(plan as PlanOf<'object'>),
            presentArbitraryOf(plan),
            fc.string(),
            fc.anything(),
          ),
        ),
      ([plan, row, name, extra]) => {
        fc.pre(name !== '__proto__' && !plan.fields.some((field) => field.name === name))
        forEachVariant(plan, (codec) => {
          const more = { [name]: extra, ...(row as object) }
          assertSame(codec.decode(codec.encode(more)), row, 'the row without the field')
          for (const copy of [codec.clone(more), ...codec.cloneMany(more, 2)])
            assertSame(copy, row, 'the copy without the field')
        })
      },
    ),
  },
  {
    name: 'a row has one form, whether it was read, copied, or normalized from whatever order of keys',
    runs: 40,
    property: ofEachRow((codec, row) => {
      if (isNothing(row)) return
      const normal = codec.normalize(turned(row))
      assertSame(normal, row, 'the normalized row')
      assert.equal(codec.normalize(normal), normal, 'it is normalized again')
      const form = formOf(normal)
      const text = codec.encode(turned(row))
      const copies = [codec.clone(turned(row)), ...codec.cloneMany(row, 2)]
      for (const other of [codec.decode(text), decodeArrived(codec, text), ...copies])
        assert.deepEqual(formOf(other), form)
    }),
  },
  {
    name: 'a schema is compiled to the plan that it was made from',
    runs: 20,
    property: fc.property(anyPlan, (plan) => {
      for (const codec of codecsOf(plan).values())
        assertSame(normalised(codec.plan), normalised(plan), 'the plan')
    }),
  },
  {
    name: 'strings of a million characters come back, beside others and alone',
    runs: 4,
    property: fc.property(hugeString, (text) => {
      const fields = ['before', 'text', 'after'].map((name) => fieldOf(name, false, string))
      forEachVariant(rowOf(...fields), (codec) =>
        assertRoundTrip(codec, { before: 'ü', text, after: '\uD800' }),
      )
      forEachVariant(string, (codec) => assertRoundTrip(codec, text))
      forEachVariant({ ...string, kind: 'json', nullable: true }, (codec) =>
        assertRoundTrip(codec, { [text]: [text] }),
      )
    }),
  },
  {
    name: 'keys that JSON.parse misreads come back',
    runs: 50,
    property: fc.property(backslashes, backslashes, fc.nat(), (first, second, n) => {
      // Behind a key of their own, so that V8's confusion ends with them.
      const keyed = (key: string) => ({ [`only here ${n}`]: 0, [key]: 1 })
      forEachVariant({ ...string, kind: 'json', nullable: true }, (codec) => {
        codec.decode(codec.encode(keyed(first)))
        const row = keyed(second)
        assertSame(codec.decode(codec.encode(row)), row, 'the row that was read')
      })
    }),
  },
  {
    name: 'objects of one shape come back with their keys in order, however many there are',
    runs: 20,
    property: fc.property(
      keysOfShape,
      fc.array(tameJsonLeaf, { minLength: 1, maxLength: 40 }),
      fc.nat(400),
      (keys, leaves, count) => {
        const data = Array.from({ length: count }, (_, i) =>
          Object.fromEntries(keys.map((key, k) => [key, leaves[(i + k) % leaves.length]])),
        )
        const shown = JSON.stringify(data)
        forEachVariant(settings, (codec) => {
          const read = codec.decode(throughSocket(codec.encode({ data }))) as { data: unknown }
          assertSame(read, { data }, 'the row that was read')
          assert.equal(JSON.stringify(read.data), shown, 'the order of the keys')
        })
      },
    ),
  },
  {
    name: 'a Decimal that is no finite number comes back equal, or is refused',
    runs: 15,
    property: fc.property(fc.constantFrom('NaN', 'Infinity', '-Infinity'), fc.boolean(), (text, alone) => {
      const decimal: WirePlan = { ...string, kind: 'decimal', Decimal: Decimal as never }
      const price = new Decimal(text)
      const plan: WirePlan = alone ? decimal : rowOf(fieldOf('price', false, decimal))
      forEachVariant(plan, (codec) => {
        try {
          assertRoundTrip(codec, alone ? price : { price })
        } catch (error) {
          assert.equal((error as { code?: unknown }).code, 'E_ENCODE', String(error))
        }
      })
    }),
  },
  {
    name: "Node's own Buffers come back as plain bytes, and their copies have memory of their own",
    runs: 15,
    property: fc.property(fc.uint8Array(), (all) => {
      const codec = compileCodec(type({ image: bytes }))
      const row = { image: Buffer.from(all) as Uint8Array<ArrayBuffer> }
      assertSame(codec.decode(codec.encode(row)), { image: all }, 'bytes')
      const copy = codec.clone(row)
      assertSame(new Uint8Array(copy.image), all, 'a copy of bytes')
      assert.notEqual(copy.image.buffer, row.image.buffer)
    }),
  },
]

/** The row with the keys of its objects the other way round, open ones excepted: the order of those is part of a row. */
function turned(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row
  if (![Object.prototype, null].includes(Object.getPrototypeOf(row) as object | null)) return row
  return Object.fromEntries(Object.entries(row).toReversed())
}

/** What equality does not see: the order of keys, and classes. */
function formOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Decimal.isDecimal(value) || value instanceof Uint8Array || value instanceof Date) return [prototype]
  return [prototype, ...Object.entries(value).map(([key, entry]) => [key, formOf(entry)])]
}

function assertRoundTrip(codec: AnyCodec, row: unknown): void {
  const text = codec.encode(row)
  assert.equal(typeof text, 'string')
  assert.equal(throughSocket(text), text, 'the text does not survive UTF-8')
  assertSame(codec.decode(text), row, 'the row that was read')
  // Readers may be given the place where the row begins.
  assertSame(codec.decode(`1;é;${text}`, 4), row, 'the row that was read behind something else')
  assertSame(decodeArrived(codec, text), row, 'the row that was read of its bytes')
}

/** Decimals are immutable by contract, and shared. */
function assertNothingShared(a: unknown, b: unknown): void {
  const ofA = new Set(mutablePartsOf(a))
  for (const part of mutablePartsOf(b)) assert.ok(!ofA.has(part), 'two rows share an object')
}

function mutablePartsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null || Decimal.isDecimal(value)) return []
  if (value instanceof Uint8Array) return [value, value.buffer]
  return [value, ...Object.values(value).flatMap(mutablePartsOf)]
}

/** Decimals are immutable by contract, and the elements of bytes cannot be frozen. */
const frozenPartsOf = (row: unknown): object[] =>
  mutablePartsOf(row).filter((part) => !(part instanceof Uint8Array) && !(part instanceof ArrayBuffer))

function assertFrozen(row: unknown): void {
  for (const part of frozenPartsOf(row)) {
    assert.ok(Object.isFrozen(part), 'a part of the row is not frozen')
    if (part instanceof Date) setters.forEach((set) => assert.throws(() => call(part, set), /frozen row/))
  }
}

function assertChangeable(row: unknown): void {
  for (const part of frozenPartsOf(row)) {
    assert.ok(Object.isExtensible(part), 'a part of the copy is frozen')
    if (part instanceof Date) setters.forEach((set) => call(part, set))
  }
}

const setters = Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set'))
const call = (date: Date, name: string): unknown =>
  (date as unknown as Record<string, (n: number) => void>)[name]!(0)
