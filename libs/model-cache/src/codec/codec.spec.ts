import { inspect } from 'node:util'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { compileCodec } from './compile-codec.js'
import { undecodable } from './codec.js'
import { bytes, decimalOf, json } from './row-types.js'

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

it.each(['record', 'json'] as const)('a codec of format %s refuses trailing characters', (format) => {
  const codec = compileCodec(LotRow, { name: 'Lot', format })
  for (const row of [lot, { ...lot, soldAt: undefined }])
    expect(codec.decode(`${codec.encode(row as never)}0`)).toBe(undecodable)
})

describe('compileCodec', () => {
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
