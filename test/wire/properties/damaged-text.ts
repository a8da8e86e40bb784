import assert from 'node:assert/strict'
import fc from 'fast-check'
import { undecodable } from 'model-cache/codec'
import { type Damage, edits, flippedBits, forgedExceptions } from '../arbitrary/damage.ts'
import { anyString } from '../arbitrary/nasty-strings.ts'
import { anyPlan, fieldOf, laterVersionOf, type PlanOf, type WirePlan } from '../arbitrary/plans.ts'
import { anyJson, arbitraryOf } from '../arbitrary/rows.ts'
import { throughSocket, type CodecProperty } from './property.ts'
import { readDoubtful } from './read-doubtful.ts'
import { planWithRows } from './round-trip.ts'
import { codecsOf, forEachVariant } from './variants.ts'

const depth = 100_000
const deepTexts = [
  ...['[', '{"a":', '![', '"[', '[[],', '{"__proto__":', '[1,', '#'].map((open) => open.repeat(depth)),
  ...[`${'['.repeat(depth)}${']'.repeat(depth)}`, `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`].flatMap(
    (deep) => [deep, `[${deep}]`, `{"a":${deep}}`, `!${deep}\n{}`, `![[["a"],"undefined"]]\n{"a":${deep}}`],
  ),
]

const plain = { nullable: false, undefinable: false }

const json: WirePlan = { ...plain, kind: 'json', nullable: true }
/** Where JSON of any depth may stand. */
const jsonPlans: readonly WirePlan[] = [
  json,
  { ...plain, kind: 'array', items: json },
  { ...plain, kind: 'tuple', items: [json] },
  { ...plain, kind: 'record', values: json },
  { ...plain, kind: 'object', fields: [fieldOf('a', false, json)] },
  { ...plain, kind: 'object', fields: [fieldOf('a', true, json)] },
]

/** Rows that end with a character of one to four bytes. */
const textRows: typeof planWithRows = fc
  .tuple(anyString, fc.constantFrom('e', 'é', '日', '🎁'))
  .map(([start, end]) => [
    { ...plain, kind: 'object', fields: [fieldOf('text', false, { ...plain, kind: 'string' })] },
    [{ text: start + end }],
  ])

/** Damages each text of a row in so many ways. */
const ofDamaged = (
  damage: fc.Arbitrary<Damage>,
  bounds: fc.ArrayConstraints,
  arrived: Damage = (text) => text,
) =>
  fc.property(planWithRows, fc.array(damage, bounds), ([plan, rows], damages) =>
    forEachVariant(plan, (codec) => {
      const text = codec.encode(rows[0])
      for (const change of damages) readDoubtful(plan, codec, arrived(change(text)))
    }),
  )

/** Texts that no codec wrote. Every one is refused or is, by chance, a row that the schema allows. */
export const damagedTexts: readonly CodecProperty[] = [
  {
    name: 'text that was cut off is refused, at whatever character or byte',
    runs: 10,
    property: fc.property(fc.oneof(planWithRows, textRows), ([plan, rows]) =>
      forEachVariant(plan, (codec) => {
        const text = codec.encode(rows[0])
        const bytes = Buffer.from(text)
        const cuts = [
          ...Array.from({ length: Math.min(text.length, 3000) }, (_, end) => text.slice(0, end)),
          ...Array.from({ length: Math.min(bytes.length, 3000) }, (_, end) => bytes.toString('utf8', 0, end)),
        ]
        for (const cut of cuts) {
          if (hasPrefixes(plan)) readDoubtful(plan, codec, cut)
          else assert.equal(codec.decode(cut), undecodable, `a row was read from ${JSON.stringify(cut)}`)
        }
      }),
    ),
  },
  {
    name: 'a record that lacks a byte, whichever, or its end, is refused',
    runs: 30,
    property: fc.property(fc.oneof(planWithRows, textRows), ([plan, rows]) => {
      const codec = codecsOf(plan).get('by default')!
      for (const row of rows) {
        const bytes = Buffer.from(codec.encode(row))
        if (bytes[0] !== '#'.charCodeAt(0)) continue
        for (let at = 0; at < Math.min(bytes.length, 3000); at++) {
          const cut = bytes.subarray(0, at)
          for (const damaged of [cut, Buffer.concat([cut, bytes.subarray(at + 1)])]) {
            const read = codec.decodeUtf8(damaged)
            assert.equal(read, undecodable, `a row was read without byte ${at} of ${bytes.toString()}`)
          }
        }
      }
    }),
  },
  {
    name: 'flipped bits are refused, or give a row that the schema allows',
    runs: 20,
    property: ofDamaged(flippedBits, { minLength: 1, maxLength: 20 }),
  },
  {
    name: 'edited text is refused, or gives a row that the schema allows',
    runs: 20,
    property: ofDamaged(edits, { minLength: 1, maxLength: 20 }, throughSocket),
  },
  {
    name: 'paths that lead out of a row touch nothing there',
    runs: 10,
    property: ofDamaged(forgedExceptions, { maxLength: 10 }),
  },
  {
    name: 'rows of another model are refused, or are rows of this one as well',
    runs: 10,
    property: fc.property(planWithRows, anyPlan, ([plan, rows], other) => readEachOther(plan, rows, other)),
  },
  {
    name: 'rows of another version of the schema are refused, or are rows of this one as well',
    runs: 10,
    property: fc.property(
      planWithRows
        .filter(([plan]) => plan.kind === 'object')
        .chain(([plan, rows]) =>
          fc.tuple(fc.constant(plan), fc.constant(rows), laterVersionOf(plan as PlanOf<'object'>)),
        ),
      ([plan, rows, later]) => readEachOther(plan, rows, later),
    ),
  },
  {
    name: 'JSON of another shape is refused, or is a row that the schema allows',
    runs: 15,
    property: fc.property(
      anyPlan.chain((plan) => fc.tuple(fc.constant(plan), arbitraryOf(plan), fc.nat(), fc.nat(), anyJson)),
      ([plan, row, choice, place, value]) =>
        forEachVariant(plan, (codec) => {
          readDoubtful(plan, codec, JSON.stringify(value))
          const parsed = parsedOrNothing(codec.encode(row))
          if (parsed !== undefined)
            readDoubtful(plan, codec, JSON.stringify(replaced(parsed, [choice, place], value)))
        }),
    ),
  },
  {
    name: 'any text is refused, or is a row that the schema allows',
    runs: 15,
    property: fc.property(
      anyPlan,
      fc.array(
        fc.oneof(
          anyString,
          fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b).toString()),
        ),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      (plan, texts) =>
        forEachVariant(plan, (codec) => texts.forEach((text) => readDoubtful(plan, codec, text))),
    ),
  },
  {
    name: `${depth.toLocaleString('en')} brackets are refused, or give a row that can be copied and written`,
    runs: 5,
    property: fc.property(fc.oneof(fc.constantFrom(...jsonPlans), anyPlan), (plan) =>
      forEachVariant(plan, (codec) => {
        for (const text of deepTexts) {
          const row = codec.decode(text)
          if (row === undecodable) continue
          codec.clone(row)
          codec.encode(row)
        }
      }),
    ),
  },
  {
    name: 'numbers that JSON reads as Infinity are refused, wherever JSON may stand',
    runs: 15,
    property: fc.property(
      fc.constantFrom(...jsonPlans),
      fc.constantFrom('1e309', '-2E+999', '9'.repeat(400)),
      (plan, n) =>
        forEachVariant(plan, (codec) => {
          for (const text of [n, `[${n}]`, `{"a":${n}}`, `{"a":[{"b":${n}}]}`])
            readDoubtful(plan, codec, text)
        }),
    ),
  },
]

/** Whether the beginning of a row's text can be the text of another row: numbers alone. */
function hasPrefixes(plan: WirePlan): boolean {
  return plan.kind === 'number' || plan.kind === 'literal' || plan.kind === 'json'
}

function readEachOther(plan: WirePlan, rows: readonly unknown[], other: WirePlan): void {
  for (const writer of codecsOf(plan).values()) {
    const texts = rows.map((row) => writer.encode(row))
    forEachVariant(other, (reader) => texts.forEach((text) => readDoubtful(other, reader, text)))
    // And the same model in its other formats.
    forEachVariant(plan, (reader) => texts.forEach((text) => readDoubtful(plan, reader, text)))
  }
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Puts the value at a place that the numbers choose, one per level. */
function replaced(parsed: unknown, [choice, ...rest]: readonly number[], value: unknown): unknown {
  if (choice === undefined || typeof parsed !== 'object' || parsed === null) return value
  const keys = Object.keys(parsed)
  if (keys.length === 0) return value
  const key = keys[choice % keys.length]!
  const changed = replaced((parsed as Record<string, unknown>)[key], rest, value)
  if (Array.isArray(parsed)) return parsed.with(Number(key), changed)
  return { ...parsed, [key]: changed }
}
