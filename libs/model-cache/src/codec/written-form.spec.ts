import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { undecodable } from './codec.js'
import { compileCodec } from './compile-codec.js'
import { bytes, decimalOf, json } from './row-types.js'
import { scalarNamed } from './scalars.js'

const schema = type({ id: 'string', 'note?': 'string', meta: json, inner: type({ at: 'Date' }).array() })

describe.each([
  ['derived', compileCodec(schema, { format: 'json' })],
  ['with a hand-written reviver', compileCodec(schema, { reviver: { 'inner.__ARRAY__.at': 'date' } })],
])('the json format, %s', (_, codec) => {
  const at = '"2026-01-01T00:00:00.000Z"'

  it.each([
    `{"id":"a","meta":1,"inner":[],"more":1}`,
    `{"id":"a","meta":1,"inner":[{"at":${at},"more":1}]}`,
    `{"id":"a","meta":1,"inner":[],"__proto__":{}}`,
    `{"id":"a","meta":1,"inner":[],"toString":1}`,
  ])('refuses keys that the schema lacks: %s', (text) => {
    expect(codec.decode(text)).toBe(undecodable)
  })

  it('returns keys in order, whatever their order in the payload', () => {
    const row = codec.decode(`{"note":"n","meta":{"z":1,"a":2},"inner":[{"at":${at}}],"id":"a"}`)
    expect(Object.keys(row as object)).toEqual(['id', 'inner', 'meta', 'note'])
    expect(JSON.stringify(row)).toBe(`{"id":"a","inner":[{"at":${at}}],"meta":{"z":1,"a":2},"note":"n"}`)
  })

  it('preserves the position of a key whose value is undefined', () => {
    const row = { id: 'a', inner: [], meta: { b: undefined, a: [1, undefined, -0] }, note: undefined }
    const read = codec.decode(codec.encode(row as never))
    expect(read).toStrictEqual(row)
    expect(Object.keys((read as unknown as typeof row).meta)).toEqual(['b', 'a'])
  })
})

describe('a scalar is accepted only in the form that the codec writes:', () => {
  it.each([
    [
      'date',
      '2026-01-01',
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.000+00:00',
      '2026-02-30T00:00:00.000Z',
      '1',
      '',
    ],
    [
      'date',
      '2026-01-01T24:00:00.000Z',
      '2026-04-31T00:00:00.000Z',
      '+002026-01-01T00:00:00.000Z',
      '-000000-01-01T00:00:00.000Z',
    ],
    ['decimal', '1e3', '01', ' 1', '1.0', '.5', '5.', '+1', '0x1', '1E+30', '-0.0', '1e-3', ''],
    ['bigint', '01', '-0', ' 1', '1.0', '+1', '00', ''],
    ['bytes', 'AA', 'A*AA', 'AB==', '-_-_', 'AA==\n', 'A==='],
  ])('%s, not %j', (name, ...texts) => {
    const { fromText, toText, samples } = scalarNamed(name, Decimal as never)!
    for (const text of texts) expect(() => fromText(text)).toThrow()
    for (const sample of samples())
      expect(toText(fromText(toText(sample as never)) as never)).toBe(toText(sample as never))
  })

  it('in a record too', () => {
    const codec = compileCodec(type({ price: decimalOf(Decimal), image: bytes }))
    const payload = codec.encode({
      price: new Decimal(`1.${'1'.repeat(40)}`),
      image: new Uint8Array([1, 2, 3]),
    })
    expect(codec.decode(payload)).not.toBe(undecodable)
    expect(codec.decode(payload.replace('11111', '1111 '))).toBe(undecodable)
    expect(codec.decode(payload.replace('AQID', 'AQ-D'))).toBe(undecodable)
  })
})
