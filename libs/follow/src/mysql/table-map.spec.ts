import { ByteReader } from './byte-reader.js'
import { columnTypes as t } from './column-values.js'
import { readTableMap } from './table-map.js'

/** A column: the bytes of its type and of what the type needs. */
type Column = readonly [type: number, ...meta: number[]]

const charsets = new Map([
  [8, 'latin1'],
  [35, 'ucs2'],
  [45, 'utf8mb4'],
  [63, 'binary'],
])
const text = (value: string): number[] => [value.length, ...Buffer.from(value)]
const namesOf = (...names: string[]): number[] => [4, names.flatMap(text).length, ...names.flatMap(text)]

/** Reads the description of a table with columns, of MySQL. @param metadata kinds, lengths, and contents */
function read(columns: readonly Column[], ...metadata: number[]) {
  return readOf('MySQL', columns, ...metadata)
}

function readOf(server: 'MariaDB' | 'MySQL', columns: readonly Column[], ...metadata: number[]) {
  const meta = columns.flatMap(([, ...rest]) => rest)
  const bytes = [
    ...text('shop'),
    0,
    ...text('lots'),
    0,
    columns.length,
    ...columns.map(([type]) => type),
    meta.length,
    ...meta,
    ...Array.from({ length: Math.ceil(columns.length / 8) }, () => 0),
    ...metadata,
  ]
  return readTableMap(new ByteReader(Buffer.from(bytes)), charsets, server === 'MariaDB')
}

/** The text of each value, one column after the other; what is left behind them is no part of any. */
function textsOf({ columns }: ReturnType<typeof read>, ...values: number[]) {
  const reader = new ByteReader(Buffer.from(values))
  const texts = columns!.map(({ length, text: textIn }) => textIn(reader.bytes(length(reader))))
  return [...texts, reader.left]
}

describe('the description of a table', () => {
  const texts: readonly Column[] = [[t.long], [t.varchar, 20, 0], [t.varchar, 20, 0], [t.varchar, 20, 0]]
  const names = namesOf('id', 'a', 'b', 'c')
  const values = [1, 0, 0, 0, 2, 0xc3, 0xbc, 1, 0xff, 1, 0x61]
  const decoded = ['1', 'ü', String.raw`\xff`, 'a', 0]

  it('has one character set for its texts, and others for some', () => {
    expect(textsOf(read(texts, 2, 3, 45, 1, 63, ...names), ...values)).toEqual(decoded)
    expect(textsOf(read(texts, 2, 1, 45, ...names), ...values)).toEqual(['1', 'ü', '\ufffd', 'a', 0])
  })

  it('has a character set for each of its texts', () => {
    expect(textsOf(read(texts, 3, 3, 45, 63, 8, ...names), ...values)).toEqual(decoded)
  })

  it('has character sets for the values of its enums, which are not those of its texts', () => {
    const columns: readonly Column[] = [
      [t.varchar, 20, 0],
      [t.string, t.enum, 1],
      [t.string, t.set, 1],
      [t.string, t.enum, 1],
    ]
    const named = namesOf('id', 'a', 'b', 'c')
    const chosen = [6, 8, 1, 2, 0xc3, 0xbc, 1, 2, 0, 0x61]
    const values = [1, 0x61, 1, 1, 1]
    const oneForMost = [10, 3, 45, 2, 35]
    const oneForEach = [11, 3, 45, 45, 35]
    for (const charsetsOfEnums of [oneForMost, oneForEach]) {
      const found = read(columns, 2, 1, 45, ...named, ...chosen, ...charsetsOfEnums)
      expect(textsOf(found, ...values)).toEqual(['a', 'ü', undefined, undefined, 0])
    }
  })

  it.each<[string, number, 'MariaDB' | 'MySQL', number[], number[]]>([
    [
      'a geometry, which it counts among them',
      t.geometry,
      'MariaDB',
      [2, 5, 45, 0, 63, 2, 8],
      [3, 3, 63, 45, 8],
    ],
    ['a geometry', t.geometry, 'MySQL', [2, 3, 45, 1, 8], [3, 2, 45, 8]],
    ['a vector, which it counts among them', t.vector, 'MySQL', [2, 5, 45, 0, 63, 2, 8], [3, 3, 63, 45, 8]],
  ])(
    'has character sets for its texts behind %s: type %d of %s',
    (_, type, server, oneForMost, oneForEach) => {
      const columns: readonly Column[] = [
        [type, 4],
        [t.varchar, 20, 0],
        [t.varchar, 20, 0],
      ]
      const values = [1, 0, 0, 0, 0xff, 2, 0xc3, 0xbc, 1, 0xfc]
      for (const charsetsOfTexts of [oneForMost, oneForEach]) {
        const found = readOf(server, columns, ...charsetsOfTexts, ...namesOf('at', 'a', 'b'))
        expect(textsOf(found, ...values)).toEqual([undefined, 'ü', undefined, 0])
      }
    },
  )

  it('has no texts of unknown character sets', () => {
    expect(textsOf(read(texts, 2, 1, 99, ...names), ...values)).toEqual([
      '1',
      undefined,
      undefined,
      undefined,
      0,
    ])
    expect(textsOf(read(texts, ...names), ...values)).toEqual(['1', undefined, undefined, undefined, 0])
  })

  it('has columns if all of them have names', () => {
    expect(read(texts, ...namesOf('id', 'a', 'b'))).toEqual({
      schema: 'shop',
      name: 'lots',
      columns: undefined,
    })
    expect(read([[200]], ...namesOf('id'))).toEqual({ schema: 'shop', name: 'lots', columns: undefined })
  })

  it.each<[string, Column, number[]]>([
    ['a short text of one length', [t.string, t.string, 200], [1, 0x61]],
    // 1020 bytes, of which two bits are in the type, inverted.
    ['a long text of one length', [t.string, t.string ^ 0x30, 0xfc], [1, 0, 0x61]],
    ['a short text that is compressed', [t.varcharCompressed, 255, 0], [1, 0x61]],
    ['a text that is compressed', [t.varcharCompressed, 0, 1], [1, 0, 0x61]],
    ['a text', [t.varchar, 0, 1], [1, 0, 0x61]],
  ])('says how many bytes a value has: %s', (_, column, bytes) => {
    const found = read([column, [t.tiny]], 2, 1, 45, ...namesOf('a', 'b'))
    const isCompressed = column[0] === t.varcharCompressed
    expect(textsOf(found, ...bytes, 7)).toEqual([isCompressed ? undefined : 'a', '7', 0])
  })
})
