import { ByteReader } from './byte-reader.js'
import { type ColumnShape, columnTypes as t, columnValues } from './column-values.js'

const column = (
  type: number,
  meta: readonly [number, number] = [0, 0],
  rest: Partial<ColumnShape> = {},
): ColumnShape => ({ type, meta, isUnsigned: false, charset: undefined, values: undefined, ...rest })

const enumOf = (charset: string | undefined, ...texts: string[]) =>
  column(t.enum, [0, 1], { charset, values: texts.map((text) => Buffer.from(text)) })
const utf8 = { charset: 'utf8mb4' }
const latin1 = { charset: 'latin1' }

describe('a value in a binlog', () => {
  it.each<[string, ColumnShape, string, string | undefined]>([
    ['a year of zero', column(t.year), '00', '0'],
    ['bits of whole bytes', column(t.bit, [0, 1]), 'ff', '255'],
    ['bits of a byte and one more', column(t.bit, [1, 1]), '01ff', '511'],
    ['an enum', enumOf('utf8mb4', 'a', 'ü'), '02', 'ü'],
    ['an enum of a character set of single bytes', enumOf('latin1', 'a', 'ü'), '01', 'a'],
    ['another letter of such an enum', enumOf('latin1', 'a', 'ü'), '02', undefined],
    ['an enum of a wide character set', enumOf('ucs2', '\0a'), '01', undefined],
    ['an enum of an unknown character set', enumOf(undefined, 'a'), '01', undefined],
    ['an enum whose values are not described', column(t.enum, [0, 1], utf8), '02', undefined],
    ['a short text', column(t.varchar, [255, 0], utf8), '02c3bc', 'ü'],
    ['a text that may be long', column(t.varchar, [256, 0], utf8), '0200c3bc', 'ü'],
    ['a short text of one length', column(t.string, [255, 0], utf8), '0161', 'a'],
    ['a text of one length that may be long', column(t.string, [256, 0], utf8), '010061', 'a'],
    ['a compressed text', column(t.varcharCompressed, [255, 0], utf8), '020061', undefined],
    [
      'a compressed text that may be long',
      column(t.varcharCompressed, [256, 0], utf8),
      '02000061',
      undefined,
    ],
    ['a document', column(t.json, [4, 0]), '0100000000', undefined],
    ['a vector', column(t.vector, [1, 0]), '0100', undefined],
    ['a text of an unknown character set', column(t.varchar, [9, 0]), '0161', undefined],
    ['ASCII of a character set of single bytes', column(t.varchar, [9, 0], latin1), '02617f', 'a\x7f'],
    [
      'another letter of a character set of single bytes',
      column(t.varchar, [9, 0], latin1),
      '026180',
      undefined,
    ],
    ['a text of a wide character set', column(t.varchar, [9, 0], { charset: 'utf16' }), '020061', undefined],
    ['a date without a day', column(t.date), '20d00f', undefined],
    ['a date without a month', column(t.date), '01d00f', undefined],
    ['a date without a year', column(t.date), '210000', undefined],
    ['a date', column(t.date), '21d00f', '2024-01-01'],
    ['midnight', column(t.time), '800000', '00:00:00'],
    ['a negative time', column(t.time), '7fffff', undefined],
    ['a time with a small fraction', column(t.time, [3, 0]), '8010830005', '01:02:03.0005'],
    ['a time with a fraction', column(t.time, [3, 0]), '80108304d2', '01:02:03.1234'],
    ['a decimal', column(t.decimal, [4, 2]), '8c22', '12.34'],
    ['a negative decimal', column(t.decimal, [4, 2]), '73dd', '-12.34'],
    ['a decimal without whole digits', column(t.decimal, [2, 2]), 'a2', '0.34'],
    ['a decimal with zeros in front', column(t.decimal, [20, 0]), '800000000000000007', '7'],
    ['a decimal of zero', column(t.decimal, [4, 0]), '8000', '0'],
    ['a decimal with a long fraction', column(t.decimal, [12, 11]), '810000000203', '1.00000000203'],
  ])('is read as the client has it: %s', (_, shape, hex, text) => {
    const reader = new ByteReader(Buffer.from(hex, 'hex'))
    const values = columnValues(shape)!
    expect(values.text(reader.bytes(values.length(reader)))).toBe(text)
    // The next column begins behind it.
    expect(reader.left).toBe(0)
  })

  it('of a newer type has an unknown length', () => {
    expect(columnValues(column(200))).toBeUndefined()
  })
})
