import { inspect } from 'node:util'
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

  it('round-trips null and undefined in place of a row', () => {
    expect(codec.decode(codec.encode(null))).toBeNull()
    expect(codec.decode(codec.encode(undefined))).toBeUndefined()
  })

  it('writes only fields of the schema', () => {
    expect(codec.encode({ ...lot, secret: 'hidden' } as Lot)).not.toMatch(/secret|hidden/)
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
  },
)

describe('compileCodec', () => {
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
