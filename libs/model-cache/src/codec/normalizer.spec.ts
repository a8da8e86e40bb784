import { isDeepStrictEqual } from 'node:util'
import { runInNewContext } from 'node:vm'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { compileCodec } from './compile-codec.js'
import { compilePlan } from './compile-plan.js'
import { compileNormalizer } from './normalizer.js'
import { bytes, decimalOf, json } from './row-types.js'

const schema = type({
  id: 'string',
  at: 'Date | null',
  price: decimalOf(Decimal),
  image: bytes,
  meta: json,
  owner: type({ name: 'string', since: 'Date' }).or('null'),
  bids: type({ n: 'number', at: 'Date' }).array(),
  span: ['Date', 'string'],
  byDay: { '[string]': 'Date' },
  constructor: 'string',
  'note?': 'string | undefined',
  media: type({ kind: "'image'", url: 'string' }).or({ kind: "'video'", at: 'Date' }),
})
type Lot = typeof schema.infer

const plan = compilePlan(schema, 'Lot')
const codec = compileCodec(schema)

const lot = (): Lot => ({
  span: [new Date(1), 'a'],
  id: 'a',
  at: new Date(2),
  price: new Decimal('-10.50'),
  image: new Uint8Array([1, 2]),
  meta: { b: [1, { y: 1, x: null }], a: {} },
  owner: { since: new Date(3), name: 'Ann' },
  bids: [{ n: 1, at: new Date(4) }],
  byDay: { monday: new Date(5), friday: new Date(6) },
  constructor: 'made',
  media: { url: 'a.png', kind: 'image' },
})

const isSame = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) && JSON.stringify(a) === JSON.stringify(b)

describe('the normalizer', () => {
  const normalize = compileNormalizer(plan)
  const read = (row: unknown) => codec.decode(codec.encode(row as Lot)) as Lot

  it.each<[string, (row: Lot) => object]>([
    ['no prototype', (row) => Object.assign(Object.create(null) as object, read(row))],
    [
      'bytes in memory of others',
      (row) => ({ ...read(row), image: new Uint8Array([1, 2, 3]).subarray(0, 2) }),
    ],
    [
      'objects of another realm',
      (row) =>
        runInNewContext('({ ...row, meta: { b: [1, { y: 1, x: null }], a: {} } })', {
          row: read(row),
        }) as object,
    ],
    [
      'an array of another class',
      (row) => ({ ...read(row), bids: new (class Bids extends Array<unknown> {})(read(row).bids[0]) }),
    ],
  ])('gives a row with %s the form of one that was read', (_, change) => {
    const row = change(lot())
    const normal = normalize(row)
    expect(normal).not.toBe(row)
    expect(isSame(normal, read(row))).toBe(true)
    expect(normalize(normal)).toBe(normal)
  })

  it('does not change its argument', () => {
    const row = { ...lot(), bids: Object.freeze([Object.freeze({ at: new Date(4), n: 1 })]) }
    const before = JSON.stringify(row)
    normalize(Object.freeze(row))
    expect(JSON.stringify(row)).toBe(before)
  })

  it('copies a frozen row, which can be changed then, or frozen whole', () => {
    const { at, ...row } = read(lot())
    const frozen = Object.freeze({ at: Object.freeze(at), ...row, bids: Object.freeze(row.bids) }) as Lot
    const normal = codec.normalize(frozen)
    expect(isSame(normal, read(lot()))).toBe(true)
    expect([normal, normal.at, normal.bids].some(Object.isFrozen)).toBe(false)
    expect(codec.freeze(normal)).toBe(normal)
    expect(() => normal.at!.setTime(0)).toThrow('frozen row')
    expect([normal.meta, normal.owner, normal.byDay].every(Object.isFrozen)).toBe(true)
    expect(Object.isFrozen(row.meta)).toBe(false)
  })

  it.each<[string, unknown, unknown]>([
    ['an array of another class', new (class List extends Array<unknown> {})('a', 'b'), ['a', 'b']],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: [] }), { a: [] }],
    ['one in an array', [{ a: 1 }, Object.create(null)], [{ a: 1 }, {}]],
    ['one alone in an array', [Object.create(null)], [{}]],
    ['one alone in an object', { c: Object.create(null) as object }, { c: {} }],
    ['one in an object', { a: [], b: { c: Object.create(null) as object } }, { a: [], b: { c: {} } }],
  ])('gives JSON with %s the form of what was parsed, and leaves the rest', (_, value, expected) => {
    const normalize = compileNormalizer({ kind: 'json', nullable: false, undefinable: false })
    const normal = normalize(value)
    expect(isDeepStrictEqual(normal, expected)).toBe(true)
    expect(normalize(normal)).toBe(normal)
    expect(normalize(expected)).toBe(expected)
    for (const [key, entry] of Object.entries(expected as object))
      if (Object.keys(entry as object).length > 0 && Array.isArray(value))
        expect((normal as never)[key]).toBe((value as never)[key])
    for (const within of [[1, value, 'x'], { a: 1, value }]) expect(normalize(within)).not.toBe(within)
  })

  it.each<[string, (value: unknown) => unknown]>([
    ['arrays', (value) => [value]],
    ['objects', (value) => ({ value })],
  ])('refuses JSON with %s of more than 1,000 levels', (_, within) => {
    const normalize = compileNormalizer({ kind: 'json', nullable: false, undefinable: false })
    let value: unknown = {}
    for (let level = 1; level < 1_000; level++) value = within(value)
    expect(normalize(value)).toBe(value)
    expect(() => normalize(within(value))).toThrow(TypeError)
  })

  it.each([
    ['a text for an array', { tags: 'x' }],
    ['a text for an open record', { byDay: 'x' }],
  ])('refuses %s', (_, change) => {
    const schema = type({ tags: 'string[]', byDay: { '[string]': 'string' } })
    const row = { byDay: {}, tags: [] }
    const normalize = compileNormalizer(compilePlan(schema, 'Lot'))
    expect(normalize(row)).toBe(row)
    expect(() => normalize({ ...row, ...change })).toThrow(TypeError)
  })

  it.each([
    ['without a field', { id: undefined }],
    ['with null where it is not allowed', { bids: null }],
    ['with an object of a class', { owner: new Map() }],
    ['with a string for a date', { at: '2026-01-01' }],
    ['of no branch', { media: { kind: 'song' } }],
  ])('refuses a row %s, which the codec then gives back as it is', (_, change) => {
    const row = { ...lot(), ...change }
    expect(() => normalize(row)).toThrow(TypeError)
    expect(codec.normalize(row as never)).toBe(row)
  })
})
