import type { ByteReader } from './byte-reader.js'

/** A column as a table map describes it, with `binlog_row_metadata = FULL`. */
export interface ColumnShape {
  /** The number of its type, which is that of an ENUM or a SET where these are stored as strings. */
  readonly type: number
  /** What the type needs: the number of digits, of bytes, and so on. */
  readonly meta: readonly [number, number]
  readonly isUnsigned: boolean
  /** The character set of text, and of the values of an ENUM; `'binary'` for bytes. Undefined if it is unknown. */
  readonly charset: string | undefined
  /** The values of an ENUM. */
  readonly values: readonly Buffer[] | undefined
}

/** How the values of a column are read. */
export interface ColumnValues {
  /** Reads how many bytes a value has. */
  length(reader: ByteReader): number
  /** The text of a value, as PostgreSQL would write it; undefined if it has none that Prisma would give. */
  text(bytes: Buffer): string | undefined
}

export const columnTypes = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  longLong: 8,
  medium: 9,
  date: 10,
  year: 13,
  varchar: 15,
  bit: 16,
  timestamp: 17,
  datetime: 18,
  time: 19,
  blobCompressed: 140,
  varcharCompressed: 141,
  vector: 242,
  json: 245,
  decimal: 246,
  enum: 247,
  set: 248,
  blob: 252,
  varString: 253,
  string: 254,
  geometry: 255,
} as const
const t = columnTypes

const integers: Readonly<Record<number, number>> = {
  [t.tiny]: 1,
  [t.short]: 2,
  [t.medium]: 3,
  [t.long]: 4,
  [t.longLong]: 8,
}

const none = (): undefined => undefined
const fixed = (length: number, text: ColumnValues['text']): ColumnValues => ({ length: () => length, text })

/**
 * Returns how values of a column are read; undefined for a type whose values have an unknown length: one of a newer server, or a time of
 * before MySQL 5.6, which MariaDB writes in two ways.
 */
export function columnValues(column: ColumnShape): ColumnValues | undefined {
  const { meta, type } = column
  const [first, second] = meta
  const bytes = integers[type]
  if (bytes !== undefined) return fixed(bytes, integerText(column.isUnsigned))
  switch (type) {
    case t.float:
      // Prisma has its shortest text, of which these are not the bytes.
      return fixed(4, none)
    case t.double:
      return fixed(8, (value) => String(value.readDoubleLE()))
    case t.year:
      return fixed(1, (value) => String(value[0] === 0 ? 0 : 1_900 + value[0]!))
    case t.date:
      return fixed(3, dateText)
    case t.timestamp:
      // How Prisma reads it depends on the time zone of its session.
      return fixed(4 + fractionBytes(first), none)
    case t.datetime:
      return fixed(5 + fractionBytes(first), datetimeText)
    case t.time:
      return fixed(3 + fractionBytes(first), timeText)
    case t.decimal:
      return fixed(decimalBytes(first, second), (value) => decimalText(value, first, second))
    case t.bit:
      return fixed(second + (first > 0 ? 1 : 0), (value) =>
        String(BigInt(`0x${value.toString('hex') || '0'}`)),
      )
    case t.enum: {
      const textOf = stringText(column, 0)
      return fixed(second, (value) => {
        const bytes = column.values?.[value.readUIntLE(0, second) - 1]
        return bytes && textOf(bytes)
      })
    }
    case t.set:
      return fixed(second, none)
    case t.string:
      return { length: (reader) => reader.uint(first > 255 ? 2 : 1), text: stringText(column, first) }
    case t.varchar:
    case t.varString:
      return { length: (reader) => reader.uint(first > 255 ? 2 : 1), text: stringText(column, 0) }
    case t.blob:
      return { length: (reader) => reader.uint(first), text: stringText(column, 0) }
    case t.varcharCompressed:
      return { length: (reader) => reader.uint(first > 255 ? 2 : 1), text: none }
    case t.blobCompressed:
    case t.geometry:
    case t.json:
    case t.vector:
      return { length: (reader) => reader.uint(first), text: none }
    default:
      return undefined
  }
}

function integerText(isUnsigned: boolean): ColumnValues['text'] {
  return (value) => {
    const { length } = value
    if (length === 8) return String(isUnsigned ? value.readBigUInt64LE() : value.readBigInt64LE())
    return String(isUnsigned ? value.readUIntLE(0, length) : value.readIntLE(0, length))
  }
}

/** @param width of BINARY(n), whose zeros at the end are not in the log */
function stringText({ charset }: ColumnShape, width: number): ColumnValues['text'] {
  if (charset === 'binary') return (value) => `\\x${value.toString('hex').padEnd(2 * width, '0')}`
  if (charset === undefined || wide.has(charset)) return none
  if (utf8.has(charset)) return (value) => value.toString('utf8')
  return (value) => (value.every((byte) => byte < 0x80) ? value.toString('latin1') : undefined)
}

const utf8 = new Set(['utf8mb4', 'utf8mb3', 'utf8', 'ascii'])
/** Character sets in which a letter of ASCII is not one byte. */
const wide = new Set(['ucs2', 'utf16', 'utf16le', 'utf32'])

const fractionBytes = (digits: number): number => Math.ceil(digits / 2)
const two = (value: number): string => String(value).padStart(2, '0')

/** The part of a time behind the seconds. */
function fractionText(value: Buffer, from: number): string {
  const length = value.length - from
  return length === 0 ? '' : `.${String(value.readUIntBE(from, length)).padStart(2 * length, '0')}`
}

function dateText(value: Buffer): string | undefined {
  const days = value.readUIntLE(0, 3)
  return dayText(days >> 9, (days >> 5) & 15, days & 31)
}

/** A date of zeros is none. */
function dayText(year: number, month: number, day: number): string | undefined {
  if (year === 0 || month === 0 || day === 0) return undefined
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

function datetimeText(value: Buffer): string | undefined {
  const packed = value.readUIntBE(0, 5) - 0x80_0000_0000
  const [days, seconds] = [Math.floor(packed / 0x2_0000), packed % 0x2_0000]
  const months = days >> 5
  const date = dayText(Math.floor(months / 13), months % 13, days & 31)
  return date && `${date} ${clockText(seconds)}${fractionText(value, 5)}`
}

function timeText(value: Buffer): string | undefined {
  const packed = value.readUIntBE(0, 3) - 0x80_0000
  return packed < 0 ? undefined : clockText(packed) + fractionText(value, 3)
}

function clockText(packed: number): string {
  return [packed >> 12, (packed >> 6) & 63, packed & 63].map(two).join(':')
}

/** How many bytes have so many digits. */
const digitBytes = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4] as const

function decimalBytes(precision: number, scale: number): number {
  const whole = precision - scale
  const bytesOf = (digits: number): number => 4 * Math.floor(digits / 9) + digitBytes[digits % 9]!
  return bytesOf(whole) + bytesOf(scale)
}

/** Groups of nine digits, with fewer of them outside, of which a negative number has all bits inverted. */
function decimalText(value: Buffer, precision: number, scale: number): string {
  const isNegative = (value[0]! & 0x80) === 0
  const bytes = Buffer.from(value)
  bytes[0]! ^= 0x80
  if (isNegative) for (let i = 0; i < bytes.length; i++) bytes[i]! ^= 0xff
  let at = 0
  const read = (digits: number): string => {
    const length = digitBytes[digits]!
    at += length
    return length === 0 ? '' : String(bytes.readUIntBE(at - length, length)).padStart(digits, '0')
  }
  const whole = precision - scale
  let text = read(whole % 9)
  for (let i = 0; i < Math.floor(whole / 9); i++) text += read(9)
  let fraction = ''
  for (let i = 0; i < Math.floor(scale / 9); i++) fraction += read(9)
  fraction += read(scale % 9)
  return `${isNegative ? '-' : ''}${text.replace(/^0+(?=\d)/, '') || '0'}${fraction && `.${fraction}`}`
}
