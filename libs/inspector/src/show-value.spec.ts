import { Decimal } from '@prisma/client/runtime/client'
import { maskedValue, shownValue } from './show-value.js'

const text = (type: string, shown: string, isCut = false) => ({ kind: 'text', type, text: shown, isCut })

describe('shownValue', () => {
  it.each([
    ['<b>"a"</b>\n', text('string', '<b>"a"</b>\n')],
    ['', text('string', '')],
    [1.5, text('number', '1.5')],
    [-0, text('number', '-0')],
    [Number.NaN, text('number', 'NaN')],
    [true, text('boolean', 'true')],
    [null, text('null', 'null')],
    [12n, text('bigint', '12')],
    [new Date(0), text('date', '1970-01-01T00:00:00.000Z')],
    [new Date(Number.NaN), text('date', 'Invalid Date')],
    [new Decimal('10.20'), text('decimal', '10.2')],
    [Buffer.from('0aff', 'hex'), text('bytes', '2 bytes: 0aff')],
    [undefined, { kind: 'absent' }],
  ])('shows %p', (value, shown) => {
    expect(shownValue(value)).toEqual(shown)
  })

  it('shows nested values as JSON, with the text of what JSON does not have', () => {
    const value = {
      at: new Date(0),
      'a"b': [1n, new Decimal('0.5'), null, [], {}],
      bytes: new Uint8Array([1]),
    }
    const json = '{"at":"1970-01-01T00:00:00.000Z","a\\"b":["1","0.5",null,[],{}],"bytes":"1 bytes: 01"}'
    expect(shownValue(value)).toEqual(text('object', json))
  })

  it('cuts text after 2,000 characters, and not within one', () => {
    expect(shownValue('a'.repeat(2_000))).toEqual(text('string', 'a'.repeat(2_000)))
    expect(shownValue('a'.repeat(2_001))).toEqual(text('string', 'a'.repeat(2_000), true))
    expect(shownValue(`${'a'.repeat(1_999)}😀`)).toEqual(text('string', 'a'.repeat(1_999), true))
    expect(shownValue(`😀${'a'.repeat(1_999)}`)).toEqual(text('string', `😀${'a'.repeat(1_998)}`, true))
    expect(shownValue(['a'.repeat(3_000)])).toEqual(text('array', `["${'a'.repeat(1_998)}`, true))
  })

  it('shows the first 32 bytes', () => {
    expect(shownValue(new Uint8Array(32))).toEqual(text('bytes', `32 bytes: ${'00'.repeat(32)}`))
    expect(shownValue(new Uint8Array(33))).toEqual(text('bytes', `33 bytes: ${'00'.repeat(32)}`, true))
  })

  it('stops after 200 fields, without reading the others', () => {
    let reads = 0
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, 0]))
    const counted = new Proxy(wide, { get: (of, key) => (reads++, Reflect.get(of, key)) })
    expect(shownValue(Array.from({ length: 200 }).fill(1))).toEqual(
      text('array', `[${Array.from({ length: 200 }).fill(1).join(',')}]`),
    )
    expect(shownValue(Array.from({ length: 201 }).fill(1))).toMatchObject({ isCut: true })
    expect(shownValue(counted)).toMatchObject({ isCut: true })
    expect(reads).toBeLessThan(220)
  })

  it('stops after 2,000 characters, without reading the other fields', () => {
    const read: string[] = []
    const long = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, key.repeat(1_500)]))
    const noted = new Proxy(long, { get: (of, key) => (read.push(String(key)), Reflect.get(of, key)) })
    expect(shownValue(noted)).toMatchObject({ isCut: true })
    expect(read).toEqual(expect.arrayContaining(['a', 'b']))
    expect(read).not.toContain('c')
  })

  it('takes an object for a decimal if it has the methods of decimal.js', () => {
    const method = () => '1'
    expect(shownValue({ toFixed: method })).toMatchObject({ type: 'object' })
    expect(shownValue({ isFinite: method })).toMatchObject({ type: 'object' })
  })

  it('shows a value that contains itself, or is nested deeply', () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle.self = cycle
    expect(shownValue(cycle)).toEqual(text('object', '{"a":1,"self":"(contains itself)"}', true))
    const nested = (levels: number): unknown => {
      let value: unknown = 1
      for (let i = 0; i < levels; i++) value = [value]
      return value
    }
    const [opening, closing] = ['['.repeat(32), ']'.repeat(32)]
    expect(shownValue(nested(32))).toEqual(text('array', `${opening}1${closing}`))
    for (const levels of [33, 100_000])
      expect(shownValue(nested(levels))).toEqual(
        text('array', `${opening}"(nested too deeply)"${closing}`, true),
      )
    const twice = { b: 1 }
    expect(shownValue([twice, twice])).toEqual(text('array', '[{"b":1},{"b":1}]'))
  })

  it('shows a value whose code throws', () => {
    const fail = (): never => {
      throw new Error('secret')
    }
    const getter = Object.defineProperty({ b: 1 }, 'a', { get: fail, enumerable: true })
    expect(shownValue(getter)).toEqual(text('object', '{"b":1,"a":"(cannot be read)"}'))
    const hostile = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail })
    expect(shownValue(hostile)).toEqual(text('object', '{}'))
    expect(shownValue({ toFixed: fail, isFinite: fail, toString: fail })).toEqual(
      text('decimal', '(cannot be read)'),
    )
    expect(shownValue(fail)).toMatchObject({ type: 'function' })
  })
})

it('shows the type of a masked value, and nothing of the value', () => {
  expect(maskedValue('secret')).toEqual({ kind: 'masked', type: 'string' })
  expect(maskedValue(null)).toEqual({ kind: 'masked', type: 'null' })
  expect(maskedValue(undefined)).toEqual({ kind: 'absent' })
})
