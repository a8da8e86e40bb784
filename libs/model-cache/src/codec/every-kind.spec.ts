import { isDeepStrictEqual } from 'node:util'
import { Decimal } from '@prisma/client/runtime/client'
import {
  string,
  number,
  date,
  bytes,
  json,
  constant,
  field,
  optional,
  object,
  array,
  tuple,
  record,
} from '../../../../test/support/wire-plans.js'
import { undecodable } from './codec.js'
import { createCodec } from './compile-codec.js'
import { reviverSchemaOf } from './reviver-paths.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

/** Each kind of value, in each place of a row, through every function of codecs that the test compiles. */
interface Kind {
  plan: WirePlan
  values: readonly unknown[]
  /** Which neither format writes. */
  wrong: readonly unknown[]
}
type Unflagged<Plan> = Plan extends WirePlan ? Omit<Plan, 'nullable' | 'undefinable'> : never

const present = (plan: Unflagged<WirePlan>): WirePlan =>
  ({ ...plan, nullable: false, undefinable: false }) as WirePlan
const nullable = (plan: WirePlan): WirePlan => ({ ...plan, nullable: true })
const undefinable = (plan: WirePlan): WirePlan => ({ ...plan, undefinable: true })
const union = (discriminator: string, ...branches: PlanOf<'union'>['branches']) =>
  present({ kind: 'union', discriminator, branches }) as PlanOf<'union'>
const withProto = (value: unknown): object =>
  Object.fromEntries([
    ['a b', value],
    ['__proto__', value],
  ])

const decimal = present({ kind: 'decimal', Decimal: Decimal as never })
const day = (n: number) => new Date(n * 86_400_000)
const money = (text: string) => new Decimal(text)
/** Its head is too long for the characters of one call. */
const many = Array.from({ length: 40 }, (_, i) => field(`f${String(i).padStart(2, '0')}`, number))
const media = union(
  'k',
  { constants: ['a', 'b'], plan: object(field('at', date), field('k', constant('a', 'b'))) },
  {
    constants: ['c'],
    plan: union(
      'n',
      {
        constants: [1],
        plan: object(optional('s', string), field('k', constant('c')), field('n', constant(1))),
      },
      {
        constants: [2],
        plan: object(field('by', json), field('k', constant('c')), field('n', constant(2))),
      },
    ),
  },
)

const kinds: Record<string, Kind> = {
  string: {
    plan: string,
    values: ['', 'a', '"', '\\\n\u2028', '’ 🎁', 'x'.repeat(300)],
    wrong: [1, {}, ['a']],
  },
  number: {
    plan: number,
    values: [
      0,
      -0,
      1,
      -1,
      2 ** 29,
      2 ** 29 - 129,
      2 ** 29 - 128,
      -(2 ** 29),
      -(2 ** 29) - 1,
      0.1,
      -5e-324,
      1e21,
    ],
    wrong: ['1', Number.NaN, Number.NEGATIVE_INFINITY, 1n, true],
  },
  boolean: { plan: present({ kind: 'boolean' }), values: [true, false], wrong: [0, 'true'] },
  date: {
    plan: date,
    values: [day(0), day(20_000), new Date(-1), new Date(2 ** 46), new Date(-(2 ** 46)), new Date(-8.64e15)],
    wrong: [0, '2026-01-01T00:00:00.000Z ', new Date(Number.NaN), ['2026-01-01T00:00:00.000Z']],
  },
  bigint: { plan: present({ kind: 'bigint' }), values: [0n, -1n, 2n ** 70n], wrong: [1, '1.0', ['1']] },
  bytes: {
    plan: bytes,
    values: [new Uint8Array(), new Uint8Array([0, 255, 128])],
    wrong: ['AA', 5, [1], ['AA==']],
  },
  decimal: {
    plan: decimal,
    values: ['0', '-0', '1.5', '-10200.50', '1e30', '1e-30', '12345678.9', '0.00000001', '7'.repeat(40)].map(
      money,
    ),
    wrong: [1, '1.0', ['1']],
  },
  constant: {
    plan: constant('open', '', 0, 1.5, true),
    values: ['open', '', 0, -0, 1.5, true],
    wrong: ['closed', '0', false, 2],
  },
  json: {
    plan: json,
    values: [
      'x',
      5,
      -5,
      0.1,
      true,
      [],
      {},
      [[null]],
      { a: [1, { b: null }] },
      [{ a: 1 }, { a: 'x' }],
      withProto([]),
      { b: undefined, a: [-0, undefined] },
    ],
    wrong: [day(0), 1n, [Number.NaN], { a: new Map() }, () => 1],
  },
  object: {
    plan: object(optional('more', string), field('a', number), field('at', date)),
    values: [
      { a: 1, at: day(1) },
      { a: 0.5, at: day(2), more: 'x' },
      { a: 1, at: day(3), more: undefined },
    ],
    wrong: [[], 'x', { a: 1 }, { a: '1', at: day(1) }, { a: 1, at: day(1), more: null }, new Map()],
  },
  'object without fields': { plan: object(), values: [{}], wrong: [[], 'x', new Map()] },
  'object of an optional field alone': {
    plan: object(optional('constructor', date)),
    values: [{}, { constructor: day(1) }, { constructor: undefined }],
    wrong: [[], { constructor: 1 }],
  },
  'object of many fields': {
    plan: object(...many),
    values: [Object.fromEntries(many.map(({ name }, i) => [name, i]))],
    wrong: [{}],
  },
  array: {
    plan: array(string),
    values: [[], ['a'], ['a', '', 'é']],
    wrong: ['x', {}, [1], Array(1), [null]],
  },
  'array of dates': { plan: array(date), values: [[], [day(1)], [day(1), day(2)]], wrong: ['x', [1]] },
  'array of what may be missing': {
    plan: array(nullable(undefinable(decimal))),
    values: [[], [null, undefined, money('1.5')], [undefined]],
    wrong: [Array(2), [1]],
  },
  tuple: {
    plan: tuple(number, date, nullable(array(string))),
    values: [
      [1, day(1), null],
      [2, day(2), ['a']],
    ],
    wrong: [
      [],
      [1, day(1)],
      [1, day(1), null, 1],
      ['1', day(1), null],
      { 0: 1, 1: day(1), 2: null, length: 3 },
    ],
  },
  'empty tuple': { plan: tuple(), values: [[]], wrong: [[1], 'x'] },
  record: {
    plan: record(date),
    values: [{}, { b: day(1), a: day(2), 1: day(3) }, withProto(day(4))],
    wrong: [[], 'x', { a: 1 }, { a: undefined }],
  },
  'record of objects': {
    plan: record(nullable(object(field('to', array(bytes))))),
    values: [{}, { a: null, b: { to: [] } }, { a: { to: [new Uint8Array([1])] } }],
    wrong: [{ a: {} }, { a: { to: [1] } }],
  },
  union: {
    plan: media,
    values: [
      { at: day(1), k: 'a' },
      { at: day(2), k: 'b' },
      { k: 'c', n: 1 },
      { k: 'c', n: 1, s: 'x' },
      { by: { y: [] }, k: 'c', n: 2 },
    ],
    wrong: [{ k: 'd' }, { k: 'c', n: 3 }, { at: 1, k: 'a' }, {}, 'a', [], { at: day(1), k: 'c', n: 1, s: 1 }],
  },
}

interface Place {
  plan(plan: WirePlan): WirePlan
  row(value: unknown): unknown
  /** Whether it may be null or undefined. */
  holds?: readonly unknown[]
  /** Rows that lack it. */
  without?: readonly unknown[]
}
const beside = { id: 'é', last: 7 }
const between = (more: PlanField) => object(field('id', string), field('last', number), more)
const places: Record<string, Place> = {
  'a row': { plan: (plan) => plan, row: (value) => value },
  'a row that may be null': { plan: nullable, row: (value) => value, holds: [null] },
  'a row that may be undefined': { plan: undefinable, row: (value) => value, holds: [undefined] },
  'a field that may be null': {
    plan: (plan) => between(field('v', nullable(plan))),
    row: (v) => ({ ...beside, v }),
    holds: [null],
    without: [beside],
  },
  'a field that may be undefined': {
    plan: (plan) => between(field('v', undefinable(plan))),
    row: (v) => ({ ...beside, v }),
    holds: [undefined],
    without: [beside],
  },
  'an optional field that may be null': {
    plan: (plan) => between(optional('v', nullable(plan))),
    row: (v) => ({ ...beside, v }),
    holds: [null, undefined],
  },
  'a field whose name objects inherit': {
    plan: (plan) => object(field('toString', plan), field('z', string)),
    row: (value) => ({ toString: value, z: '’' }),
  },
  'an array': {
    plan: (plan) => array(nullable(plan)),
    row: (value) => [value, null, value],
    holds: [null],
  },
  'an open record': { plan: (plan) => record(plan), row: (value) => ({ 'a b': value, é: value }) },
  'a union': {
    plan: (plan) =>
      union(
        'of',
        { constants: [false], plan: object(field('n', number), field('of', constant(false))) },
        { constants: [true], plan: object(field('of', constant(true)), optional('v', plan)) },
      ),
    row: (v) => ({ of: true, v }),
    holds: [undefined],
  },
}

class Day extends Date {}
const Other = Decimal.clone()

/** The same row with keys in another order, these keys of no field, and values of other classes. */
function disguised(plan: WirePlan, value: unknown, more: object = {}): unknown {
  if (value === null || value === undefined) return value
  const entries = Object.entries(value)
  switch (plan.kind) {
    case 'date':
      return new Day(value as Date)
    case 'bytes':
      return Buffer.from(value as Uint8Array)
    case 'decimal':
      return new Other(value as Decimal)
    case 'array':
      return (value as unknown[]).map((item) => disguised(plan.items, item, more))
    case 'tuple':
      return (value as unknown[]).map((item, i) => disguised(plan.items[i]!, item, more))
    case 'record':
      return Object.fromEntries(entries.map(([key, entry]) => [key, disguised(plan.values, entry, more)]))
    case 'union': {
      const branches = plan.branches.filter(({ constants }) =>
        constants.includes((value as Record<string, string>)[plan.discriminator]!),
      )
      return disguised(branches[0]!.plan, value, more)
    }
    case 'object': {
      const plans = new Map(plan.fields.map((field) => [field.name, field.plan]))
      const fields = entries.map(([key, entry]) => [key, disguised(plans.get(key)!, entry, more)] as const)
      return Object.fromEntries([...Object.entries(more), ...fields.toReversed()])
    }
    case 'json':
      return typeof value === 'object' && !Array.isArray(value)
        ? Object.assign(Object.create(null) as object, value)
        : value
    default:
      return value
  }
}

const isClass = (value: object) => value instanceof Decimal
const isMutable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isClass(value)

function sharesPart(a: unknown, b: unknown): boolean {
  if (!isMutable(a) || !isMutable(b)) return false
  if (a === b) return true
  return Object.keys(a).some((key) => sharesPart(a[key as never], b[key as never]))
}

function isFrozen(value: unknown): boolean {
  if (!isMutable(value) || value instanceof Uint8Array) return true
  if (value instanceof Date) {
    expect(() => value.setTime(0)).toThrow('frozen row')
    return true
  }
  return Object.isFrozen(value) && Object.values(value).every(isFrozen)
}

/** Whether each key of a row can be changed and deleted. */
function isOpen(value: unknown): boolean {
  if (!isMutable(value) || value instanceof Uint8Array) return true
  const keys = Object.values(Object.getOwnPropertyDescriptors(value)).filter(({ enumerable }) => enumerable)
  return keys.every((key) => key.writable && key.configurable) && Object.values(value).every(isOpen)
}

function expectSame(found: unknown, row: unknown): void {
  if (isDeepStrictEqual(found, row)) return
  // Says where they differ.
  expect(found).toStrictEqual(row)
  expect(found).toBe(row)
}

/** The JSON of a row, by JSON.stringify. */
function jsonOf(row: unknown): string | undefined {
  return JSON.stringify(row, function (this: Record<string, unknown>, key, value: unknown) {
    const original = this[key]
    if (original instanceof Uint8Array) return Buffer.from(original).toString('base64')
    return typeof original === 'bigint' ? String(original) : value
  })
}

/** Whether a row holds `undefined` or a negative zero. */
function losesInJson(value: unknown): boolean {
  if (value instanceof Decimal) return value.isZero() && value.isNegative()
  if (!isMutable(value)) return value === undefined || Object.is(value, -0)
  return Object.values(value).some(losesInJson)
}

const cases = Object.entries(places).flatMap(([where, place]) =>
  Object.entries(kinds).map(([what, kind]) => [what, where, kind, place] as const),
)

it.each(cases)('a codec stores %s in %s, and nothing else there', (_what, _where, kind, place) => {
  const { holds = [] } = place
  const plan = place.plan(kind.plan)
  const rows = [...kind.values, ...holds].map(place.row)
  const nothing = [null, undefined].filter((value) => !holds.includes(value) && place.row(value) !== value)
  const wrong = [...[...kind.wrong, ...nothing].map(place.row), ...(place.without ?? [])]
  const record = createCodec<unknown>(plan)
  const json = createCodec<unknown>(plan, { format: 'json' })
  const walked = createCodec<unknown>(plan, { reviver: reviverSchemaOf(plan) as never })
  for (const codec of [record, json, walked]) {
    for (const row of rows) {
      const text = codec.encode(row)
      const read = codec.decode(text)
      expectSame(read, row)
      expect(isOpen(read)).toBe(true)
      expectSame(codec.decode(`;${text}`, 1), row)
      expectSame(codec.decodeUtf8(Buffer.from(`’${text}`), 3), row)
      expect(codec.normalize(read)).toBe(read)
      const normal = codec.normalize(disguised(plan, row, { 'of no field': 1 }))
      expectSame(normal, row)
      expect([jsonOf(normal), isOpen(normal)]).toEqual([jsonOf(read), true])
      const copies = [codec.clone(row), ...codec.cloneMany(row, 2)]
      for (const copy of copies) expectSame(copy, row)
      expect(copies.every(isOpen)).toBe(true)
      expect(sharesPart(copies[0], row) || sharesPart(copies[1], copies[2])).toBe(false)
      const frozen = codec.freeze(copies[0])
      expect(frozen).toBe(copies[0])
      expect(isFrozen(frozen)).toBe(true)
      expectSame(codec.clone(frozen), row)
    }
    for (const row of wrong)
      expect(() => codec.encode(row)).toThrow(expect.objectContaining({ code: 'E_ENCODE' }))
  }
  for (const row of rows) {
    const text = json.encode(row)
    expect(text.startsWith('!')).toBe(losesInJson(row) && row !== undefined)
    if (losesInJson(row)) continue
    expect(text).toBe(jsonOf(row))
    for (const codec of [json, walked]) {
      const read = codec.decode(jsonOf(disguised(plan, row))!)
      expectSame(read, row)
      expect([jsonOf(read), isOpen(read)]).toEqual([text, true])
    }
  }
  for (const row of wrong) {
    const text = jsonOf(row)
    // What JSON changes may be of the plan then.
    if (text === undefined || !isDeepStrictEqual(JSON.parse(text), row)) continue
    for (const codec of [record, json, walked])
      expect([text, codec.decode(text)]).toEqual([text, undecodable])
  }
})

/** Have a digit more if they may be null, or digits that all have a meaning. */
const others = ['object', 'tuple', 'boolean', 'date']
it.each(Object.entries(kinds).filter(([, { plan }]) => !others.includes(plan.kind)))(
  'a record has neither null nor nothing in place of %s that must be there',
  (_what, { plan, values }) => {
    const maybe = createCodec<unknown>(object(optional('v', nullable(plan))))
    const always = createCodec<unknown>(object(field('v', plan)))
    if (maybe.format === 'json') return
    expectSame(always.decode(maybe.encode({ v: values[0] })), { v: values[0] })
    for (const row of [{}, { v: null }]) {
      const text = maybe.encode(row)
      expect(text[0]).toBe('#')
      expect(always.decode(text)).toBe(undecodable)
      expect(always.decodeUtf8(Buffer.from(text))).toBe(undecodable)
    }
  },
)
