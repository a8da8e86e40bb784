import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { compileCodec } from './compile-codec.js'
import { undecodable } from './codec.js'
import { decimalOf } from './row-types.js'

const decimal = decimalOf(Decimal)
const Media = type({ kind: "'image' | 'drawing'", url: 'string', at: 'string' })
  .or({ kind: "'video'", url: 'string', at: 'Date', 'price?': decimal })
  .or({ kind: "'live'", encrypted: 'true', at: 'bigint' })
  .or({ kind: "'live'", encrypted: 'false', at: 'Date | null' })
type Media = typeof Media.infer

const image: Media = { kind: 'image', url: 'a', at: '2024-10-26T09:12:19.363Z' }
const drawing: Media = { kind: 'drawing', url: 'a', at: '' }
const open: Media = { kind: 'live', encrypted: false, at: new Date(7) }

describe.each(['record', 'json'] as const)('a union of objects, in the format %s', (format) => {
  const media = compileCodec(Media, { name: 'Media', format })

  it.each([
    [
      'a constant of no branch',
      { ...image, kind: 'audio' },
      'kind',
      'one of "drawing", "image", "live", "video", got a string of 5 characters',
    ],
    ['a missing constant', { url: 'a', at: '' }, 'kind', 'got undefined'],
    ['a field of another branch', { ...image, at: new Date(0) }, 'at', 'expected a string, got a Date'],
    [
      'an inner constant of no branch',
      { ...open, encrypted: 1 },
      'encrypted',
      'expected one of false, true, got a number',
    ],
    ['no object', 'image', '', 'expected a plain object'],
    ['an array', [image], '', 'expected a plain object'],
  ])('is refused with %s', (_, row, path, message) => {
    const encode = () => media.encode(row as never)
    expect(encode).toThrow(expect.objectContaining({ code: 'E_ENCODE' }))
    expect(encode).toThrow(`ModelCache "Media": value at "${path || '(root)'}" cannot be cached`)
    expect(encode).toThrow(message)
  })

  it('is undecodable if its payload names another branch or none', () => {
    const plain = compileCodec(Media, { format: 'json' })
    for (const [kind, one] of [
      ['video', drawing],
      ['none', image],
      ['image', open],
    ] as const) {
      const damaged = JSON.stringify({ ...(JSON.parse(plain.encode(one)) as object), kind })
      expect(media.decode(damaged)).toBe(undecodable)
    }
  })
})

describe('a union of objects', () => {
  it('cannot be copied or frozen if it belongs to no branch', () => {
    const codec = compileCodec(Media)
    for (const change of [codec.clone, codec.freeze]) {
      expect(() => change({ kind: 'audio' } as never)).toThrow('no branch of the union')
    }
  })

  it('uses the json format with more branches than one digit can encode', () => {
    const branches = Array.from({ length: 63 }, (_, n) => type({ n: `${n}` as '1', at: 'Date' }))
    const union = branches.reduce((all, branch) => all.or(branch) as never)
    const codec = compileCodec(union)
    expect(codec.format).toBe('json')
    const row = { n: 62, at: new Date(1) } as never
    expect(codec.decode(codec.encode(row))).toStrictEqual(row)
  })

  it.each([
    ['have no field in common', type({ a: 'Date' }).or({ b: 'string' })],
    ['have no constants', type({ kind: 'string', a: 'Date' }).or({ kind: 'string', b: 'bigint' })],
    ['share a constant', type({ kind: "'a' | 'b'", a: 'Date' }).or({ kind: "'b'", b: 'bigint' })],
    ['have an optional constant', type({ 'kind?': "'a'", a: 'Date' }).or({ kind: "'b'", b: 'bigint' })],
    [
      'have constants beside other values',
      type({ kind: "'a'", a: 'Date' }).or({ kind: 'string', b: 'bigint' }),
    ],
  ])('is refused when its objects %s', (_, union) => {
    expect(() =>
      compileCodec(type({ media: (union as unknown as typeof Media).array() }), { name: 'Lot' }),
    ).toThrow(
      'ModelCache "Lot": schema has a union of objects without a discriminator at "media.__ARRAY__", which cannot be ' +
        'cached. Give each object a required field of the same name with its own constants: ' +
        `kind: "'image'", kind: "'video'".`,
    )
  })

  it('accepts a hand-written reviver if its paths are unambiguous, and refuses it otherwise', () => {
    const clear = type({ k: '1', at: 'Date' }).or({ k: '2', at: 'Date', by: 'bigint' })
    const codec = compileCodec(clear, { reviver: { at: 'date', by: 'bigint' } })
    for (const row of [{ k: 1, at: new Date(1) } as const, { k: 2, at: new Date(2), by: 3n } as const]) {
      expect(codec.decode(codec.encode(row))).toStrictEqual(row)
    }
    const reviver = { 'media.at': 'date', 'media.price': 'decimal' } as never
    expect(() => compileCodec(type({ media: Media }), { name: 'Lot', reviver })).toThrow(
      'ModelCache "Lot": reviver path "media.at" has different types in two objects of a union, which paths cannot ' +
        'distinguish. Remove the reviver; the derived one can.',
    )
  })
})
