import { isDeepStrictEqual } from 'node:util'
import { Decimal } from '@prisma/client/runtime/client'
import { scalarNamed, scalarOf } from './scalars.js'
import type { ScalarName } from './wire-plan.js'

const Other = Decimal.clone({ precision: 5 })
class Day extends Date {}

/** Of each scalar: values with their text, and what it does not accept. */
const scalars: Record<ScalarName, { pairs: [value: unknown, text: string][]; others: unknown[] }> = {
  date: {
    pairs: [
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [new Date(-1), '1969-12-31T23:59:59.999Z'],
      [new Date(Date.UTC(2024, 1, 29, 23, 59, 59)), '2024-02-29T23:59:59.000Z'],
      [new Date(Date.UTC(2026, 9, 31, 12)), '2026-10-31T12:00:00.000Z'],
      [new Date(8.64e15), '+275760-09-13T00:00:00.000Z'],
    ],
    others: [0, '1970-01-01T00:00:00.000Z', new Date(Number.NaN), {}],
  },
  bigint: {
    pairs: [
      [0n, '0'],
      [-1n, '-1'],
      [2n ** 100n, '1267650600228229401496703205376'],
    ],
    others: [0, '0', {}],
  },
  bytes: {
    pairs: [
      [new Uint8Array(), ''],
      [new Uint8Array([255, 0, 128, 7]), '/wCABw=='],
    ],
    others: ['', [255], new Uint16Array(2), new ArrayBuffer(2)],
  },
  decimal: {
    pairs: [
      [new Decimal(0), '0'],
      [new Decimal('-10.50'), '-10.5'],
      [new Decimal('1e-30'), '1e-30'],
    ],
    others: [0, '0', {}],
  },
}
const named = (name: string) => scalarNamed(name, Decimal as never)!
const cases = Object.entries(scalars)

describe('a scalar', () => {
  it.each(cases)('accepts each %s, and nothing else', (name, { pairs, others }) => {
    const { accepts, samples } = named(name)
    for (const value of [...pairs.map(([value]) => value), ...samples()]) expect(accepts(value)).toBe(true)
    for (const value of [...others, null, undefined]) expect(accepts(value)).toBeFalsy()
  })

  it.each(cases)('is written and read as the text of a %s', (name, { pairs }) => {
    const { toText, fromText } = named(name)
    for (const [value, text] of pairs) {
      expect(toText(value as never)).toBe(text)
      expect(isDeepStrictEqual(fromText(text), value)).toBe(true)
    }
  })

  it.each<[string, ScalarName, unknown, unknown]>([
    ['a date of another class', 'date', new Day(5), new Date(5)],
    ['a Buffer', 'bytes', Buffer.from([1, 2]), new Uint8Array([1, 2])],
    ['a Buffer of its own memory', 'bytes', Buffer.allocUnsafeSlow(2).fill(1), new Uint8Array([1, 1])],
    ['a view', 'bytes', new Uint8Array([1, 2, 3]).subarray(1), new Uint8Array([2, 3])],
    ['a decimal of another class', 'decimal', new Other('-10.50'), new Decimal('-10.50')],
    ['a zero of another class', 'decimal', new Other(0), new Decimal(0)],
    ['a negative zero of another class', 'decimal', new Other('-0'), new Decimal('-0')],
  ])('gives %s the form of one that was read', (_, name, value, expected) => {
    const normal = named(name).normalize(value as never)
    expect(isDeepStrictEqual(normal, expected)).toBe(true)
    expect((normal as object).constructor).toBe((expected as object).constructor)
    if (ArrayBuffer.isView(normal)) expect(normal.buffer.byteLength).toBe(normal.byteLength)
  })

  it.each(cases)('of the name %s refuses what is no text', (name, { pairs }) => {
    const { fromText } = named(name)
    for (const [value, text] of pairs)
      for (const other of [value, [text], 5, true, null, {}] as never[]) {
        expect(() => fromText(other)).toThrow()
      }
  })

  it.each([
    '2026-00-01T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-01-00T00:00:00.000Z',
    '2026-02-29T00:00:00.000Z',
    '2026-01-32T00:00:00.000Z',
    '2026-01-01T25:00:00.000Z',
    '2026-01-01T30:00:00.000Z',
    '2026-01-01T00:60:00.000Z',
    '2026-01-01T00:00:60.000Z',
    '2026-01-01T00:00:00.0Z',
    '2026-01-1aT00:00:00.000Z',
    '2026-01-01T0a:00:00.000Z',
    '2026-01-01T00:0a:00.000Z',
    '2026-01-01T00:00:0a.000Z',
    '2026-01-01T00:00:00.aaaZ',
    'aaaa-01-01T00:00:00.000Z',
    '2-01-01T00:00:00.000Z',
    '+002026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z ',
  ])('reads no date from %s', (text) => {
    expect(() => named('date').fromText(text)).toThrow('not a serialized date')
  })

  it('is a negative zero if it is a decimal of that sign', () => {
    const { isNegativeZero } = named('decimal')
    const found = ['-0', '0', '-1', '1', 'NaN', '-Infinity'].map((text) => isNegativeZero!(new Decimal(text)))
    expect(found).toEqual([true, false, false, false, false, false])
  })

  it('is made for each class of decimals', () => {
    const Class = Decimal.clone({ precision: 30 })
    const { accepts, copy, fromText, isNegativeZero, normalize, samples, toText } = scalarNamed(
      'decimal',
      Class as never,
    )!
    const price = new Class('-10.50')
    expect([accepts(price), accepts('-10.5'), accepts(5)]).toEqual([true, false, false])
    expect(toText(price as never)).toBe('-10.5')
    expect(isDeepStrictEqual(fromText('-10.5'), price)).toBe(true)
    expect([copy(price as never), normalize(price as never)]).toEqual([price, price])
    expect(normalize(price as never)).toBe(price)
    const other = normalize(new Decimal('-0') as never) as Decimal
    expect([other.constructor, String(other.s)]).toEqual([Class, '-1'])
    expect([isNegativeZero!(other), isNegativeZero!(price)]).toEqual([true, false])
    expect(samples().map(String)).toContain('10200')
    expect(samples().every((sample) => (sample as object).constructor === Class)).toBe(true)
  })

  it('is the same for each plan of a class, and another for another class', () => {
    const of = (Class: typeof Decimal) =>
      scalarOf({ kind: 'decimal', Decimal: Class as never, nullable: false, undefinable: false })
    const Fresh = Decimal.clone()
    expect(of(Fresh)).toBe(of(Fresh))
    expect(of(Fresh)).not.toBe(of(Decimal))
    for (const kind of ['date', 'bigint', 'bytes'] as const)
      expect(scalarOf({ kind, nullable: true, undefinable: false })).toBe(scalarNamed(kind))
  })

  it('does not exist without a class of decimals, nor by the name of something else', () => {
    for (const name of ['decimal', 'string', 'toString', '']) expect(scalarNamed(name)).toBeUndefined()
  })
})
