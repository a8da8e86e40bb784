import { inspect, isDeepStrictEqual } from 'node:util'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { compileCodec } from './compile-codec.js'
import { undecodable } from './codec.js'
import { bytes, decimalOf, json } from './row-types.js'
import type { Stringifier } from './stringifier.js'

const decimal = decimalOf(Decimal)
const LotRow = type({
  id: 'string',
  title: 'string',
  endsAt: 'Date',
  'soldAt?': 'Date | null',
  price: decimal,
  views: 'bigint',
  image: bytes,
  meta: json,
  bids: type({ at: 'Date', amount: decimal.or('null'), 'note?': 'string | null' }).array(),
  tags: '(string | undefined)[]',
  position: ['number', 'Date'],
  history: { '[string]': 'Date' },
  state: "'open' | 'sold' | null",
})
type Lot = typeof LotRow.infer

const lot: Lot = {
  id: 'a',
  title: 'Manor "House" \\ 🎁 \u2028',
  endsAt: new Date('2024-10-26T09:12:19.363Z'),
  price: new Decimal('10200.50'),
  views: 2n ** 70n,
  image: new Uint8Array([0, 255, 7]),
  meta: { nested: [1, null, { deep: true }], endsAt: '2024-10-26T09:12:19.363Z' },
  bids: [
    { at: new Date(1), amount: new Decimal(1), note: null },
    { at: new Date(2), amount: null },
  ],
  tags: ['x'],
  position: [1, new Date(3)],
  history: { '2024': new Date(4) },
  state: 'open',
}

describe.each(['record', 'json'] as const)('a codec of format %s gives back what was stored', (format) => {
  const codec = compileCodec(LotRow, { name: 'Lot', format })
  const roundTrip = (row: Lot) => codec.decode(codec.encode(row))

  it('revives dates, decimals, bigints and bytes where the schema has them, and nowhere else', () => {
    const row = roundTrip(lot) as Lot
    expect(row).toStrictEqual(lot)
    expect(row.price).toBeInstanceOf(Decimal)
    expect(row.image).not.toBeInstanceOf(Buffer)
    expect((row.meta as { endsAt: unknown }).endsAt).toBe('2024-10-26T09:12:19.363Z')
  })

  it('distinguishes null, explicit undefined and a missing key', () => {
    for (const soldAt of [null, undefined, new Date(0)]) {
      expect(roundTrip({ ...lot, soldAt } as Lot)).toStrictEqual({ ...lot, soldAt })
    }
    expect(Object.hasOwn(roundTrip(lot) as Lot, 'soldAt')).toBe(false)
    expect(roundTrip({ ...lot, tags: ['a', undefined, 'b'] })).toStrictEqual({
      ...lot,
      tags: ['a', undefined, 'b'],
    })
  })

  it('keeps the sign of zero', () => {
    const row = roundTrip({ ...lot, position: [-0, new Date(0)], price: new Decimal('-0') }) as Lot
    expect(row.position[0]).toBe(-0)
    expect(row.price.isNegative()).toBe(true)
  })

  it('round-trips null and undefined in place of a row', () => {
    expect(codec.decode(codec.encode(null))).toBeNull()
    expect(codec.decode(codec.encode(undefined))).toBeUndefined()
  })

  it('round-trips values that are not objects', () => {
    const dates = compileCodec(type('Date'))
    expect(dates.decode(dates.encode(new Date(5)))).toStrictEqual(new Date(5))
    const texts = compileCodec(type('string'))
    for (const text of ['undefined', 'null', '!', '']) expect(texts.decode(texts.encode(text))).toBe(text)
  })

  it('round-trips keys with a meaning for objects', () => {
    const history = JSON.parse('{"__proto__": 1, "constructor": 2, "toJSON": 3}') as Record<string, number>
    const dated = Object.fromEntries(Object.entries(history).map(([key, ms]) => [key, new Date(ms)]))
    const row = roundTrip({ ...lot, history: dated, meta: history }) as Lot
    // Jest's equality reads these keys.
    expect(isDeepStrictEqual(row.history, dated)).toBe(true)
    expect(isDeepStrictEqual(row.meta, history)).toBe(true)
  })

  it('writes only fields of the schema', () => {
    expect(codec.encode({ ...lot, secret: 'hidden' } as Lot)).not.toMatch(/secret|hidden/)
  })

  it('copies rows without shared mutable values', () => {
    const copy = codec.clone(lot)
    expect(copy).toStrictEqual(lot)
    copy.endsAt.setTime(0)
    copy.bids[0]!.at.setTime(0)
    copy.image[0] = 9
    ;(copy.meta as { nested: unknown[] }).nested.push(1)
    expect(lot.endsAt.getTime()).not.toBe(0)
    expect(lot.bids[0]!.at.getTime()).toBe(1)
    expect(lot.image[0]).toBe(0)
    expect((lot.meta as { nested: unknown[] }).nested).toHaveLength(3)
  })

  it('deep-freezes rows including dates, and returns mutable copies of them', () => {
    const row = roundTrip(lot) as Lot
    expect(codec.freeze(row)).toBe(row)
    expect(row).toStrictEqual(lot)
    const changes: (() => void)[] = [
      () => (row.title = 'x'),
      () => row.endsAt.setTime(0),
      () => row.endsAt.setUTCFullYear(1999),
      () => Object.assign(row.endsAt, { note: 'x' }),
      () => row.bids.pop(),
      () => (row.bids[0]!.note = 'x'),
      () => row.bids[0]!.at.setTime(0),
      () => row.tags.push('y'),
      () => (row.position[0] = 2),
      () => row.position[1].setDate(2),
      () => (row.history.day = new Date()),
      () => row.history['2024']!.setTime(0),
      () => (row.meta as { nested: unknown[] }).nested.push(1),
      () => ((row.meta as { nested: { deep: boolean }[] }).nested[2]!.deep = false),
    ]
    for (const change of changes) expect(change).toThrow(TypeError)
    expect(row).toStrictEqual(lot)

    const copy = codec.clone(row)
    copy.endsAt.setTime(0)
    copy.bids[0]!.at.setTime(0)
    copy.tags.push('y')
    expect(row).toStrictEqual(lot)
  })
})

it('a date of a frozen row is a date for whoever reads it', () => {
  const codec = compileCodec(type('Date'))
  const date = codec.freeze(new Date(7))
  expect(date).toBeInstanceOf(Date)
  expect(date.constructor).toBe(Date)
  expect(date.toISOString()).toBe('1970-01-01T00:00:00.007Z')
  expect(JSON.stringify({ date })).toBe('{"date":"1970-01-01T00:00:00.007Z"}')
  expect(inspect(date)).toBe('1970-01-01T00:00:00.007Z')
  expect({ date }).toStrictEqual({ date: new Date(7) })
  for (const copy of [new Date(date), structuredClone(date)]) expect(copy.setTime(8)).toBe(8)
  expect(() => date.setTime(8)).toThrow(
    'This date belongs to a frozen row. Change a copy of it: new Date(date).',
  )
})

describe('the json format', () => {
  it('is plain JSON', () => {
    const payload = compileCodec(LotRow, { format: 'json' }).encode(lot)
    expect(JSON.parse(payload)).toMatchObject({
      endsAt: '2024-10-26T09:12:19.363Z',
      price: '10200.5',
      image: 'AP8H',
    })
  })
})

describe.each(['record', 'json'] as const)(
  'a codec of format %s refuses what the schema does not allow',
  (format) => {
    const codec = compileCodec(LotRow, { name: 'Lot', format })

    it.each([
      [
        'an invalid Date',
        { endsAt: new Date(Number.NaN) },
        'endsAt',
        'expected a valid Date, got an invalid Date',
      ],
      [
        'a string for a Date',
        { endsAt: '2024' },
        'endsAt',
        'expected a valid Date, got a string of 4 characters',
      ],
      ['a missing field', { title: undefined }, 'title', 'expected a string, got undefined'],
      ['a null', { id: null }, 'id', 'expected a string, got null'],
      ['NaN', { position: [Number.NaN, new Date()] }, 'position.0', 'expected a finite number, got NaN'],
      ['a number for a Decimal', { price: 5 }, 'price', 'expected a Decimal, got a number'],
      [
        'a nested value',
        { bids: [{ at: new Date(), amount: 5 }] },
        'bids.0.amount',
        'expected a Decimal or null, got a number',
      ],
      [
        'another constant',
        { state: 'lost' },
        'state',
        'expected one of "open", "sold" or null, got a string of 4 characters',
      ],
      ['a Date in JSON', { meta: { at: new Date() } }, 'meta.at', 'expected plain JSON'],
      ['a bigint in JSON', { meta: [1n] }, 'meta.0', 'expected plain JSON, got a bigint'],
      ['a tuple that is too long', { position: [1, new Date(), 2] }, 'position', 'expected an array of 2'],
    ])('%s', (_, change, path, message) => {
      const encode = () => codec.encode({ ...lot, ...change } as never)
      expect(encode).toThrow(expect.objectContaining({ code: 'E_ENCODE' }))
      expect(encode).toThrow(`ModelCache "Lot": value at "${path || '(root)'}" cannot be cached`)
      expect(encode).toThrow(message)
    })

    it('without the value in the message, which may be logged', () => {
      const secrets = ['0451', 451, 451n, new Date('0451-01-01'), ['0451'], { 451: '0451' }, Symbol('0451')]
      for (const price of secrets) {
        const encode = () => codec.encode({ ...lot, price } as never)
        expect(encode).toThrow('value at "price" cannot be cached: expected a Decimal, got a')
        expect(encode).not.toThrow('451')
      }
    })
  },
)

describe.each(['record', 'json'] as const)(
  'a codec of format %s does not decode a payload that it did not write',
  (format) => {
    const codec = compileCodec(LotRow, { name: 'Lot', format })
    const json = compileCodec(LotRow, { name: 'Lot', format: 'json' })

    it('for a payload that was truncated anywhere, or has trailing characters', () => {
      for (const row of [lot, { ...lot, soldAt: undefined }]) {
        const payload = codec.encode(row as never)
        for (let end = 0; end < payload.length; end++)
          expect(codec.decode(payload.slice(0, end))).toBe(undecodable)
        expect(codec.decode(`${payload}0`)).toBe(undecodable)
      }
    })

    it.each(['5', '[]', '{}', '"x"', 'true', '{"id":"a"}', '!', '![]', '![[["a","b"],"undefined"]]\n{}'])(
      '%s',
      (other) => {
        expect(codec.decode(other)).toBe(undecodable)
      },
    )

    it.each([
      ['a date', { endsAt: 'soon' }],
      ['a decimal', { price: 'much' }],
      ['a bigint', { views: '1.5' }],
      ['bytes', { image: '%%%' }],
      ['an array', { bids: {} }],
    ])('when %s is not one', (_, change) => {
      const damaged = JSON.stringify({ ...(JSON.parse(json.encode(lot)) as object), ...change })
      expect(codec.decode(damaged)).toBe(undecodable)
    })
  },
)

describe('compileCodec', () => {
  it('returns different fingerprints for different schemas, and the same for equal ones', () => {
    const of = (schema: Parameters<typeof compileCodec>[0], version?: number) =>
      compileCodec(schema, version === undefined ? {} : { version }).fingerprint
    const first = of(type({ a: 'string', b: 'Date' }))
    expect(of(type({ b: 'Date', a: 'string' }))).toBe(first)
    const others = [
      of(type({ a: 'string', b: 'Date | null' })),
      of(type({ a: 'string', 'b?': 'Date' })),
      of(type({ a: 'string', b: 'string' })),
      of(type({ a: 'string', c: 'Date' })),
      of(type({ a: 'string', b: 'Date' }), 2),
    ]
    expect(new Set([first, ...others]).size).toBe(6)
  })

  it.each([
    [
      'a class that it does not know',
      type({ at: { pattern: type.instanceOf(RegExp) } }),
      '"at.pattern"',
      'RegExp',
    ],
    ['a symbol', type({ key: 'symbol' }), '"key"', 'symbol'],
    ['an ambiguous union', type({ at: 'Date | string' }), '"at"', 'union of'],
    ['a function', type({ run: 'Function' }), '"run"', 'Function'],
    ['a morph', type({ n: 'string.numeric.parse' }), '"n"', 'morph'],
  ])('refuses a schema with %s, and names the path', (_, schema, path, found) => {
    const compile = () => compileCodec(schema as never, { name: 'Lot' })
    expect(compile).toThrow(expect.objectContaining({ code: 'E_UNSUPPORTED_SCHEMA' }))
    expect(compile).toThrow(path)
    expect(compile).toThrow(found)
  })

  it('escapes field names in generated code', () => {
    const names = [
      'a"b',
      "it's",
      'back\\slash',
      'new\nline',
      '${x}',
      '`tick`',
      '*/',
      '\u2028',
      '"];throw 1;//',
      'ünï',
    ]
    const schema = type(Object.fromEntries(names.map((name) => [name, 'Date'])) as Record<string, 'Date'>)
    const row = Object.fromEntries(names.map((name, i) => [name, new Date(i)]))
    for (const format of ['record', 'json'] as const) {
      const codec = compileCodec(schema as never, { format })
      expect(codec.decode(codec.encode(row as never))).toStrictEqual(row)
    }
  })

  it('refuses a field named __proto__', () => {
    const fields = (key: string) =>
      JSON.parse(`{ "a": "string", "${key}": "string" }`) as Record<string, 'string'>
    for (const key of ['__proto__', '__proto__?']) {
      expect(() => compileCodec(type(fields(key)) as never)).toThrow(
        '"__proto__", which cannot be cached. Rename',
      )
    }
  })

  it('accepts a hand-written reviver and stringifier', () => {
    const row = type({ id: 'string', at: 'Date' })
    const stringifier: Stringifier<typeof row.infer> = { stringify: (value) => JSON.stringify(value) }
    const codec = compileCodec(row, { reviver: { at: 'date' }, stringifier })
    const value = { id: 'a', at: new Date(7) }
    expect(codec.decode(codec.encode(value))).toStrictEqual(value)
    expect(codec.decode('{"id":"a"}')).toBe(undecodable)
  })

  it('refuses a hand-written reviver that does not match the schema, and names the path', () => {
    const row = type({ id: 'string', at: 'Date' })
    const by = (reviver: object) => () => compileCodec(row, { name: 'Lot', reviver: reviver as never })
    expect(by({})).toThrow('reviver path "at" is missing')
    expect(by({ at: 'bigint' })).toThrow('declares "bigint"')
    expect(by({ at: 'date', id: 'date' })).toThrow('reviver path "id" is declared')
  })

  it('refuses a hand-written stringifier that loses a value, and names it', () => {
    const row = type({ id: 'string', at: 'Date' })
    const stringifier = {
      stringify: (value: unknown) => JSON.stringify({ ...(value as object), id: 'same' }),
    }
    expect(() => compileCodec(row, { name: 'Lot', stringifier })).toThrow(
      'ModelCache "Lot": a generated row changed at "id" between encode and decode: "" was decoded as "same"',
    )
  })
})
