import { Decimal } from '@prisma/client/runtime/client'
import fc from 'fast-check'
import { createFreeForm } from './free-form.js'

const form = createFreeForm(Decimal)

const scalar = (kind: number): fc.Arbitrary<unknown> =>
  [
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.boolean(),
    fc.date({ noInvalidDate: true }),
    fc.bigInt(),
    fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => new Decimal(value === 0 ? 0 : value)),
    fc.jsonValue(),
  ][kind]!

function nestedJson(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}

/** Rows as a query returns them: each field has one kind of value, or none. */
const rows = fc
  .dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    fc.nat(7),
    { maxKeys: 6, noNullPrototype: true },
  )
  .chain((kinds) =>
    fc.array(
      fc.record(
        Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, fc.option(scalar(kind))])),
        { noNullPrototype: true },
      ),
      { maxLength: 5 },
    ),
  )

it('reads what it has written, and copies it', () => {
  fc.assert(
    fc.property(rows, (value) => {
      const text = form.write(value)
      // Texts that UTF-8 does not have are no results of a database.
      if (text === undefined) return
      expect(form.read(text)).toStrictEqual(value)
      expect(form.copy(value)).toStrictEqual(value)
    }),
    { numRuns: 1_000 },
  )
})

it.each<[unknown]>([
  [null],
  [0],
  ['text'],
  [12n],
  [new Date(0)],
  [[Number.NaN, -0, 1, Infinity, null]],
  [{ _sum: { price: new Decimal('12345678901234567890.12') }, _count: 3 }],
  [[{ at: new Date(1) }, { at: null }, {}]],
  [{ json: { 'a.b': [1, 'two', { three: null }] }, at: [new Date(2)] }],
  [[{ mixed: 'text' }, { mixed: { nested: new Date(3) } }, { mixed: [4n] }]],
  [[{ valueOf: -0 }, {}]],
  [nestedJson(1_000)],
])('writes %p', (value) => {
  expect(form.read(form.write(value)!)).toStrictEqual(value)
})

it('copies nothing by reference', () => {
  const value = [{ at: new Date(1), bytes: new Uint8Array([1]), price: new Decimal(2), list: [{}] }]
  const [copy] = form.copy(value) as typeof value
  const [given] = value
  for (const name of ['at', 'bytes', 'price', 'list'] as const) expect(copy![name]).not.toBe(given![name])
  expect(copy!.list[0]).not.toBe(given!.list[0])
})

it('copies a zero of decimals with its sign', () => {
  const copies = form.copy([new Decimal('-0'), new Decimal(0)]) as Decimal[]
  expect(copies.map(({ s }) => s)).toEqual([-1, 1])
})

it.each<[string, unknown]>([
  ['an object of a class', new Map()],
  ['a function', () => {}],
  ['undefined', [undefined]],
  ['a field that is undefined', { field: undefined }],
  ['an invalid date', new Date(Number.NaN)],
  ['a negative zero of decimals', [new Decimal('-0')]],
  ['a date beside a text', [{ at: new Date(0) }, { at: 'text' }]],
  ['a text beside a date', [{ at: 'text' }, { at: new Date(0) }]],
  ['a date beside a bigint', [new Date(0), 1n]],
  ['a date beside a number', [1, new Date(0)]],
  ['a number beside a date', [new Date(0), 1]],
  ['a date beside an object', [{}, new Date(0)]],
  ['an object beside a date', [new Date(0), {}]],
  ['a list beside a date', [new Date(0), []]],
  ['NaN beside a text', ['text', Number.NaN]],
  ['a text beside NaN', [Number.NaN, 'text']],
  ['an object beside NaN', [Number.NaN, {}]],
  ['a field that would be the prototype', JSON.parse('{ "__proto__": 1 }')],
  ['what is nested too deeply', nestedJson(1_001)],
  ['what is nested so deeply that visiting it overflows the stack', nestedJson(100_000)],
])('does not write %s', (_, value) => {
  expect(form.write(value)).toBeUndefined()
})

it('reads nothing that it has not written', () => {
  for (const text of ['', '[', '["date","no date"]', '["bigint","1.5"]', '5'])
    expect(() => form.read(text)).toThrow()
})

it('writes no decimals without their class', () => {
  expect(createFreeForm().write(new Decimal(1))).toBeUndefined()
})
