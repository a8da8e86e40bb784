import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { codecFor, compileCodec } from './compile-codec.js'
import { undecodable } from './codec.js'
import { createReviver } from './reviver.js'
import { bytes, decimalOf, json } from './row-types.js'
import { createStringifier } from './stringifier.js'

const decimal = decimalOf(Decimal)
const at = new Date(5)

describe('a stringifier of a schema', () => {
  it.each([
    [
      'bytes deep within',
      type({ a: type({ '[string]': bytes.array() }) }),
      [{ a: { x: [new Uint8Array([1])], y: [] } }],
    ],
    [
      'optional fields',
      type({ 'a?': 'string | null', 'at?': 'Date', price: decimal }),
      [
        { a: null, price: new Decimal('1.50') },
        { a: undefined, at, price: new Decimal('-0') },
      ],
    ],
    [
      'arrays and records',
      type({ a: 'Date[]', b: { '[string]': 'bigint' }, c: 'boolean[]' }),
      [{ a: [at], b: { x: 5n }, c: [true] }],
    ],
    [
      'a union',
      type({ k: '1', at: 'Date' }).or({ k: '2', n: 'bigint' }),
      [
        { k: 1, at },
        { k: 2, n: 5n },
      ],
    ],
    [
      'objects that may be null',
      type({ a: type({ at: 'Date' }).or('null'), b: type({ n: 'number' }).array() }),
      [
        { a: null, b: [] },
        { a: { at }, b: [{ n: 1 }] },
      ],
    ],
    [
      'JSON',
      type({ a: json }),
      [{ a: { x: [1, null], y: { z: 'x' } } }, { a: { x: undefined, y: [undefined] } }],
    ],
  ])('writes %s as the json format does', (_, schema, rows) => {
    const stringifier = createStringifier<never>()(schema as never)
    const codec = compileCodec(schema as never, { format: 'json' })
    const byHand = compileCodec(schema as never, { stringifier: stringifier as never })
    for (const row of rows) {
      const text = stringifier.stringify(row as never)
      expect(text).toBe(codec.encode(row as never))
      expect(byHand.encode(row as never)).toBe(text)
      expect(codec.decode(text)).toStrictEqual(row)
      expect(byHand.decode(text)).toStrictEqual(row)
    }
  })

  it('refuses what does not match it', () => {
    const stringifier = createStringifier<{ a: string }>()(type({ a: 'string' }), 'Lot')
    expect(() => stringifier.stringify({ a: 5 } as never)).toThrow(
      'ModelCache "Lot": value at "a" cannot be cached',
    )
  })
})

it('codecFor compiles the codec of a row type', () => {
  const codec = codecFor<{ id: string }>()(type({ id: 'string' }), { name: 'Lot', format: 'json' })
  expect(codec.format).toBe('json')
  expect(codec.decode(codec.encode({ id: 'a' }))).toEqual({ id: 'a' })
})

describe('the text of a row', () => {
  const schema = type({ id: 'string', 'n?': 'number', 'note?': 'string | undefined' }).or('null')
  const row = '"id":"a","n":0'

  it.each([
    ['nothing', `{${row}}`, { id: 'a', n: 0 }],
    ['a minus zero', `![[["n"],"-0"]]\n{${row}}`, { id: 'a', n: -0 }],
    ['undefined', `![[["note"],"undefined"]]\n{${row},"note":null}`, { id: 'a', n: 0, note: undefined }],
    [
      'both, in another order',
      `![[["note"],"undefined"],[["n"],"-0"]]\n{${row},"note":null}`,
      { id: 'a', n: -0, note: undefined },
    ],
  ])('is read with %s that JSON loses', (_, text, expected) => {
    for (const codec of [compileCodec(schema, { format: 'json' }), compileCodec(schema)]) {
      const read = codec.decode(text)
      expect(read).toStrictEqual(expected)
      // A key that was restored is like any other.
      expect(Reflect.set(read as object, 'note', 'x') && Reflect.deleteProperty(read as object, 'note')).toBe(
        true,
      )
    }
  })

  it.each([
    ['null after a space', ' null'],
    ['null before a space', 'null '],
    ['a value that is listed twice', `![[["n"],"-0"],[["n"],"-0"]]\n{${row}}`],
    ['a value that is listed as another', `![[["n"],"zero"]]\n{${row}}`],
    ['a path to nowhere', `![[["x"],"undefined"]]\n{${row}}`],
    ['a path through null', `![[["note","x"],"-0"]]\n{${row},"note":null}`],
    ['a path through a text', `![[["id","0"],"-0"]]\n{${row}}`],
    ['a path to what objects inherit', `![[["toString"],"undefined"]]\n{${row}}`],
    ['a list that does not end', `![[["n"],"-0"]]{${row}}`],
  ])('is not read with %s', (_, text) => {
    const codec = compileCodec(schema, { format: 'json' })
    expect(codec.decode(text)).toBe(undecodable)
    expect(codec.decodeUtf8(Buffer.from(text))).toBe(undecodable)
  })

  it.each(['{"x":1}', '{}', '[]'])('is not read with a path through nowhere in the JSON %s', (data) => {
    const codec = compileCodec(type({ data: json }), { format: 'json' })
    const read = (path: string, kind: string) =>
      codec.decode(`![[["data",${path}],"${kind}"]]\n{"data":${data}}`)
    for (const path of ['"y","z"', '"__proto__","y"', '"constructor","prototype","y"']) {
      expect([path, read(path, 'undefined')]).toEqual([path, undecodable])
      expect([path, read(path, '-0')]).toEqual([path, undecodable])
    }
    for (const path of ['"y"', '"toString"', '0'])
      expect([path, read(path, '-0')]).toEqual([path, undecodable])
    expect('y' in {}).toBe(false)
  })

  it('is read by a reviver of declared paths', () => {
    const dates = createReviver<Date>({ '': 'date' } as never)
    expect(dates.revive('"1970-01-01T00:00:00.005Z"')).toEqual(at)
    const lists = createReviver<(Date | undefined)[]>({ __ARRAY__: 'date' } as never)
    expect(lists.revive('![[[1],"undefined"]]\n["1970-01-01T00:00:00.005Z",null]')).toStrictEqual([
      at,
      undefined,
    ])
  })
})
