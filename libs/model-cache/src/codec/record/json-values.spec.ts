import { type } from 'arktype'
import { undecodable } from '../codec.js'
import { compileCodec } from '../compile-codec.js'
import { json } from '../row-types.js'

const create = () => compileCodec(type({ id: 'string', data: json, 'more?': json }), { name: 'Settings' })
let codec: ReturnType<typeof create>
beforeEach(() => {
  codec = create()
})
const encode = (data: unknown) => codec.encode({ id: 'a', data } as never)
const bytesOf = (text: string) => Buffer.byteLength(text)

describe('the Json fields of a record', () => {
  it.each([
    ['no value', null],
    ['a string', 'x'.repeat(51)],
    ['a longer string', 'x'.repeat(52)],
    ['integers of all sizes', [0, 4095, 4096, -1, 2 ** 29 - 1, 2 ** 29, -(2 ** 29), -(2 ** 29) - 1]],
    ['other numbers', [0.1, -1e21, 5e-324, 1.7976931348623157e308]],
    ['flags', [true, false, null]],
    ['empty containers', [{}, [], { a: {} }]],
    ['keys that look like integers', { b: 1, 2: 'two', 1: 'one' }],
    ['keys that objects inherit', { constructor: 1, toString: null, hasOwnProperty: [] }],
    ['a key toJSON that is data', { toJSON: 'text' }],
    ['more keys than a shape has', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))],
    [
      'a key of several lines',
      [
        { 'a\nb': 1, c: 2 },
        { a: 1, b: 2, c: 3 },
      ],
    ],
    ['an empty key', [{ '': 1 }, { '': 2 }, { '': 1, a: 2 }, {}]],
    ['a key that is too long for a shape', { ['k'.repeat(65)]: 1, ['k'.repeat(64)]: 2 }],
  ])('hold %s', (_, data) => {
    const payload = encode(data)
    expect(payload.startsWith('#')).toBe(true)
    const row = codec.decode(Buffer.from(payload).toString()) as { data: unknown }
    expect(row).toStrictEqual({ id: 'a', data })
    expect(JSON.stringify(row.data)).toBe(JSON.stringify(data))
  })

  it.each([
    ['a key __proto__', JSON.parse('{"a":[{"__proto__":1}]}')],
    ['undefined', { a: undefined }],
    ['minus zero', [-0]],
    ['a string with a lone surrogate', ['\ud800']],
    ['keys with a lone surrogate', [{ '\ud800': 1 }, { '\ud800': 2 }]],
    ['a string longer than a length can encode', ['x'.repeat(300_000)]],
  ])('make the row JSON when they hold %s', (_, data) => {
    const payload = encode(data)
    expect(payload.startsWith('#')).toBe(false)
    expect(codec.decode(payload)).toStrictEqual({ id: 'a', data })
  })

  it.each([
    ['a date', { at: new Date(0) }, 'data.list.1.at'],
    ['an instance of a class', { at: new Map() }, 'data.list.1.at'],
    ['a toJSON', { at: { toJSON: () => 1 } }, 'data.list.1.at'],
    ['NaN', { at: Number.NaN }, 'data.list.1.at'],
    ['a bigint', { at: 5n }, 'data.list.1.at'],
    ['a function', { at: () => 1 }, 'data.list.1.at'],
  ])('are refused with the path of %s', (_, value, path) => {
    const message = expect.stringContaining(`value at "${path}" cannot be cached`)
    expect(() => encode({ list: [1, value] })).toThrow(expect.objectContaining({ code: 'E_ENCODE', message }))
  })

  it('are distinguished from a missing field', () => {
    for (const row of [
      { id: 'a', data: 1 },
      { id: 'a', data: 1, more: null },
      { id: 'a', data: 1, more: {} },
    ])
      expect(codec.decode(codec.encode(row))).toStrictEqual(row)
  })

  it('contain the keys of a shape once', () => {
    const list = (length: number) => Array.from({ length }, (_, i) => ({ quiteLongName: i, another: 'x' }))
    expect(bytesOf(encode(list(101))) - bytesOf(encode(list(100)))).toBeLessThan(
      JSON.stringify(list(1)).length / 3,
    )
  })

  it('have the same payload whatever was written before', () => {
    const data = [{ a: 1, b: { c: 2 } }, { b: 1 }, { a: 1, b: { c: 3 } }, { b: 2 }]
    const before = encode(data)
    for (let i = 0; i < 3000; i++) encode([{ [`a${i}`]: 1 }, { [`a${i}`]: { [`c${i}`]: 1 } }])
    expect(encode(data)).toBe(before)
  })

  it('round-trip when thousands of objects have different keys', () => {
    for (let i = 0; i < 3000; i++) {
      const data = [{ [`a${i}`]: 1 }, { [`a${i}`]: 2 }, { b: { [`c${i}`]: [i] } }]
      expect(codec.decode(encode(data))).toStrictEqual({ id: 'a', data })
    }
    const all = Array.from({ length: 10_000 }, (_, i) => ({ [`key${i >> 1}`]: i }))
    expect(codec.decode(encode(all))).toStrictEqual({ id: 'a', data: all })
  })

  it('are written once each when large objects are nested', () => {
    let data: unknown = 1
    for (let depth = 0; depth < 200; depth++)
      data = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i === 0 ? data : i]))
    expect(codec.decode(encode(data))).toStrictEqual({ id: 'a', data })
  })

  it('may have 1,000 levels including the field, as in the json format, and no more', () => {
    const nested = (levels: number) => {
      let value: unknown = []
      for (let i = 1; i < levels; i++) value = i % 2 ? [value] : { value }
      return value
    }
    const deepest = encode(nested(1000))
    expect(deepest.startsWith('#')).toBe(true)
    expect(codec.decode(deepest)).toStrictEqual({ id: 'a', data: nested(1000) })
    expect(() => encode(nested(1001))).toThrow(/JSON nested no deeper than 1000/)
  })

  it('do not include keys of a polluted Object.prototype', () => {
    const prototype = Object.prototype as { inherited?: unknown }
    prototype.inherited = 1
    try {
      expect(JSON.stringify(codec.decode(encode({ a: 1 })))).toBe('{"data":{"a":1},"id":"a"}')
    } finally {
      delete prototype.inherited
    }
  })

  it.each(['b\n__proto__', '__proto__\na', 'a\na'])('are not read with the key list %j', (list) => {
    const keys = 'a\n' + 'b'.repeat(list.length - 2)
    const payload = encode([{ a: 1, [keys.slice(2)]: 2 }])
    expect(payload).toContain(keys)
    expect(codec.decode(payload.replace(keys, list))).toBe(undecodable)
  })

  it('are not read with a key list of the previous record', () => {
    codec.decode(encode([{ a: 1 }, { b: 1 }]))
    const payload = encode([{ a: 1 }, { a: 1 }])
    expect(payload).toContain('f00')
    expect(codec.decode(payload.replace('f00', 'f01'))).toBe(undecodable)
  })
})
