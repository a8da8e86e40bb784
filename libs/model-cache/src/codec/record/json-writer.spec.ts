import { maxLength, zero } from './digits.js'
import { JsonWriter, unwritable } from './json-writer.js'

/** Larger than what the tests write. */
const bytes = Buffer.alloc(2 ** 22)

/** What one writer makes of the `Json` fields of a record. */
function write(...values: readonly unknown[]): { digits: string; texts: string } | undefined {
  return writeBy(new JsonWriter(), ...values)
}

function writeBy(writer: JsonWriter, ...values: readonly unknown[]) {
  expect(writer.begin(bytes)).toBe(true)
  let end = 2
  let texts = ''
  for (const value of values) {
    end = writer.write(value, end)
    texts += writer.takeTexts()
    if (end === unwritable) return undefined
  }
  expect(writer.takeTexts()).toBe('')
  return { digits: bytes.toString('latin1', 2, end), texts }
}

const long = 'k'.repeat(65)
const withProto = JSON.parse('{"a":1,"__proto__":2}') as object
const objectOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]))

describe('the writer of Json fields', () => {
  it.each([
    ['', '0', ''],
    ['a’', '2', 'a’'],
    ['x'.repeat(50), 'b', 'x'.repeat(50)],
    ['x'.repeat(51), 'c00c', 'x'.repeat(51)],
    ['x'.repeat(64), 'c010', 'x'.repeat(64)],
    [true, 'm', ''],
    [false, 'l', ''],
    [null, 'n', ''],
    [0, 'j00', ''],
    [63, 'j0o', ''],
    [4095, 'joo', ''],
    [4096, 'iP0100', ''],
    [-1, 'iOoooo', ''],
    [2 ** 29 - 1, 'iooooo', ''],
    [-(2 ** 29), 'i00000', ''],
    [2 ** 29, 'h9', '536870912'],
    [-(2 ** 29) - 1, 'h:', '-536870913'],
    [0.1, 'h3', '0.1'],
    [-1.7976931348623157e308, 'hH', '-1.7976931348623157e+308'],
    [[], 'g000', ''],
    [[1, 'a', [null]], 'g003j011g001n', 'a'],
    [{}, 'd000', ''],
    [{ a: 1, bc: 'd' }, 'e04j011', 'a\nbcd'],
    [Object.assign(Object.create(null) as object, { a: true }), 'e01m', 'a'],
    [{ [long]: 'x' }, 'd001c0111', `${long}x`],
    [{ a: { [long]: [] } }, 'e01d001c011g000', `a${long}`],
  ])('writes %j as the digits %s', (value, digits, texts) => {
    expect(write(value)).toEqual({ digits, texts })
  })

  it('writes the keys of a shape once in a record, and again in the next one', () => {
    const writer = new JsonWriter()
    const values = [
      [{ a: 1 }, { b: 1 }, { b: 2, a: 1 }, { a: 2 }],
      [{ b: 3 }, { b: 1, a: 1 }, { c: 1 }],
      { c: 2 },
    ] as const
    for (const _ of ['first record', 'second record']) {
      expect(writeBy(writer, ...values)).toEqual({
        digits: 'g004e01j01e01j01e03j02j01f00j02g003f01j03f02j01j01e01j01f03j02',
        texts: 'abb\nac',
      })
    }
    expect(writeBy(writer, ...values.slice(1))).toEqual({
      digits: 'g003e01j03e03j01j01e01j01f02j02',
      texts: 'bb\nac',
    })
  })

  it('writes digits alone, also of more shapes than two digits can count', () => {
    const objects = Array.from({ length: 9_000 }, (_, i) => ({ [`key${i}`]: 0 }))
    const { digits, texts } = write(objects)!
    for (let i = 0; i < digits.length; i++) {
      const digit = digits.charCodeAt(i) - zero
      if (digit < 0 || digit > 63) throw new Error(`${digit} is no digit`)
    }
    expect(texts).toBe(objects.flatMap(Object.keys).join(''))
    expect(digits.split('e0').length - 1).toBe(4_096)
  })

  it.each([
    ['undefined', undefined],
    ['minus zero', -0],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['an object of a class', new URL('a:b')],
    ['a key __proto__', withProto],
    ['a string that is too long', 'x'.repeat(maxLength + 1)],
    ['an array that is too long', Array<number>(maxLength + 1).fill(0)],
  ])('refuses %s, wherever it is', (_, value) => {
    for (const within of [value, [value, 1], { a: value, b: 1 }, { [long]: value, b: 1 }, [[{ a: [value] }]]])
      expect(write(within)).toBeUndefined()
    expect(write([1, { a: 'x' }])).toBeDefined()
  })

  it('keeps no strings of a value that it has refused', () => {
    const writer = new JsonWriter()
    writer.begin(bytes)
    expect(writer.write(['a', { b: undefined }], 2)).toBe(unwritable)
    expect(writer.takeTexts()).toBe('')
  })

  it('refuses keys that are too long, and objects of too many', () => {
    expect(write({ ['k'.repeat(maxLength + 1)]: 1, a: 1 })).toBeUndefined()
    expect(write(objectOf(maxLength))).toBeDefined()
    expect(write(objectOf(maxLength + 1))).toBeUndefined()
  })

  it('writes strings and arrays of the greatest length', () => {
    expect(write('x'.repeat(maxLength))!.digits).toBe('coom')
    expect(write(Array<null>(maxLength).fill(null))!.digits).toBe(`goom${'n'.repeat(maxLength)}`)
  })

  it.each<[string, (value: unknown) => unknown]>([
    ['arrays', (value) => [value]],
    ['objects', (value) => ({ value })],
    ['objects of open keys', (value) => ({ [long]: value })],
  ])('refuses %s of more than 1,000 levels', (_, within) => {
    let value: unknown = []
    for (let level = 1; level < 1_000; level++) value = within(value)
    expect(write(value)).toBeDefined()
    expect(write(within(value))).toBeUndefined()
  })

  it.each(['toJSON', 'more'])('does not begin while every object has a key %s', (key) => {
    const prototype: object = Object.prototype
    Object.defineProperty(prototype, key, {
      value: () => 1,
      configurable: true,
      enumerable: key === 'more',
    })
    try {
      expect(new JsonWriter().begin(bytes)).toBe(false)
    } finally {
      delete (prototype as Record<string, unknown>)[key]
    }
    expect(new JsonWriter().begin(bytes)).toBe(true)
  })
})
