import { type } from 'arktype'
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

  it('are refused with the path of an object that has a toJSON', () => {
    const message = expect.stringContaining('value at "data.list.1.at" cannot be cached')
    const data = { list: [1, { at: { toJSON: () => 1 } }] }
    expect(() => encode(data)).toThrow(expect.objectContaining({ code: 'E_ENCODE', message }))
  })

  it('contain the keys of a shape once', () => {
    const list = (length: number) => Array.from({ length }, (_, i) => ({ quiteLongName: i, another: 'x' }))
    expect(bytesOf(encode(list(101))) - bytesOf(encode(list(100)))).toBeLessThan(
      JSON.stringify(list(1)).length / 3,
    )
  })

  it('round-trip when thousands of objects have different keys', () => {
    for (let i = 0; i < 3000; i++) {
      const data = [{ [`a${i}`]: 1 }, { [`a${i}`]: 2 }, { b: { [`c${i}`]: [i] } }]
      expect(codec.decode(encode(data))).toStrictEqual({ id: 'a', data })
    }
    const all = Array.from({ length: 10_000 }, (_, i) => ({ [`key${i >> 1}`]: i }))
    expect(codec.decode(encode(all))).toStrictEqual({ id: 'a', data: all })
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
})
