import type { IdKind, KeyKind } from 'model-cache/internal'

/**
 * Returns the value that Prisma gives for a text of PostgreSQL (`DateStyle` ISO, `TimeZone` UTC, `bytea_output` hex), or for one that the log of
 * another database writes in the same way, where it is the id of a row or a part of the key of a lookup. Undefined for a text that has no such value, such as a date of 'infinity'.
 */
export function valueOf(kind: IdKind | KeyKind, text: string): unknown {
  switch (kind) {
    case 'number':
      return Number(text)
    case 'bigint':
      return /^-?\d+$/.test(text) ? BigInt(text) : undefined
    case 'boolean':
      return truthValues.get(text)
    case 'date':
    case 'day':
      return dateOf(text)
    case 'decimal':
      return decimalOf(text)
    case 'bytes':
      return text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : undefined
    default:
      // Bytes of a column that Prisma reads as text, such as UUID of MariaDB.
      return text.startsWith('\\x') ? undefined : text
  }
}

/** MySQL has numbers: Prisma reads others than these as false, and finds them by neither value. */
const truthValues: ReadonlyMap<string, boolean> = new Map([
  ['t', true],
  ['f', false],
  ['1', true],
  ['0', false],
])

/** A date, a time, or both, with or without an offset. Prisma has times on the first day of 1970, and no more than milliseconds. */
function dateOf(text: string): Date | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)?(?:(?:^| )(\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d(?::\d\d)?)?)?$/.exec(text)
  if (!parts || text === '') return undefined
  const [, day = '1970-01-01', time = '00:00:00', offset = ''] = parts
  const zone = offset === '' ? 'Z' : offset.length === 3 ? `${offset}:00` : offset
  const date = new Date(`${day}T${time}${zone}`)
  // MySQL has times of more than a day.
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Returns as much of a decimal as the keys of lookups need. */
function decimalOf(text: string): object | undefined {
  // An amount of money has a currency and separators.
  const digits = text.replace(/[^\d.-]/g, '')
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? []
  if (whole === '') return undefined
  const short = fraction.replace(/0+$/, '')
  const plain = `${sign}${whole.replace(/^0+(?=\d)/, '')}${short && `.${short}`}`
  return { isFinite: () => true, toFixed: () => plain }
}
