import type { RowId } from './row-id.js'
/**
 * Wraps a payload into what is stored for a row: a header, then the payload.
 *
 * ```
 * <fingerprint>;<epoch>;<created><expires><length>;<payload>
 * ```
 *
 * Both times are milliseconds since 1970 in nine digits of base 36. The length of the payload, in as many, is in bytes: a value
 * that has lost some is no envelope, even if its payload could be decoded. An expired row may still be stored, to be served
 * stale. The fingerprint is part of the key as well; in the value it reveals one that was copied from another key.
 */
export function sealEnvelope(
  fingerprint: string,
  epoch: string,
  times: { readonly createdMs: number; readonly expiresMs: number },
  payload: string,
): { readonly text: string; readonly bytes: number } {
  const { createdMs, expiresMs } = times
  const length = Buffer.byteLength(payload)
  const numbers = digitsOf(createdMs) + digitsOf(expiresMs) + digitsOf(length)
  const text = `${startOf(fingerprint, epoch)}${numbers};${payload}`
  // What stands before the payload is ASCII.
  return { text, bytes: text.length - payload.length + length }
}

/** What all envelopes of a schema and an epoch begin with, for {@link openEnvelope}. Without an epoch no stored value counts. */
export function envelopeStart(fingerprint: string, epoch: string | null): Buffer {
  return epoch === null ? noStart : Buffer.from(startOf(fingerprint, epoch))
}

/** No envelope begins with it. */
const noStart = Buffer.from('\0')

const startOf = (fingerprint: string, epoch: string): string => `${fingerprint};${epoch};`

/** The digits of one number: enough for times until the year 5188. */
const digits = 9

/** The length of all numbers, with the semicolon behind them. */
const numbersLength = 3 * digits + 1

/** @returns where the payload begins; less than 0 for another epoch or schema, 0 for a damaged envelope */
export function openEnvelope(envelope: Uint8Array, start: Uint8Array): number {
  for (let i = 0; i < start.length; i++) if (envelope[i] !== start[i]) return -1
  const payloadStart = start.length + numbersLength
  if (envelope[payloadStart - 1] !== semicolon) return 0
  const isWhole = numberAt(envelope, payloadStart - 1 - digits) === envelope.length - payloadStart
  return isWhole ? payloadStart : 0
}

const semicolon = ';'.charCodeAt(0)

/** Reads a number byte by byte: a string of its digits would be made for each row. */
function numberAt(envelope: Uint8Array, start: number): number {
  let number = 0
  // From `a` on, which is 97, letters are the digits from 10 on.
  for (let i = start; i < start + digits; i++) {
    const code = envelope[i]!
    number = number * 36 + code - (code < 97 ? 48 : 87)
  }
  return number
}

/** When an envelope was written, and when its row expires, in milliseconds since 1970. */
export function timesOf(
  envelope: Buffer,
  payloadStart: number,
): { readonly createdMs: number; readonly expiresMs: number } {
  const createdMs = numberAt(envelope, payloadStart - numbersLength)
  return { createdMs, expiresMs: expiryOf(envelope, payloadStart) }
}

export function expiryOf(envelope: Buffer, payloadStart: number): number {
  return numberAt(envelope, payloadStart - numbersLength + digits)
}

/** Whether bytes are an envelope of a schema, of any epoch. */
export function isEnvelopeOf(envelope: Buffer, fingerprint: string): boolean {
  const start = `${fingerprint};`
  return (
    envelope.toString('latin1', 0, start.length) === start && envelope.indexOf(semicolon, start.length) > 0
  )
}

/** Base 36, for which V8 alone takes several times as long. Both parts of the number are small enough for integer arithmetic. */
function digitsOf(number: number): string {
  const high = Math.floor(number / fourDigits)
  const first = Math.floor(high / fourDigits)
  return (
    pairs[first]!.charAt(1) +
    fourDigitsOf(high - first * fourDigits) +
    fourDigitsOf(number - high * fourDigits)
  )
}

const fourDigitsOf = (number: number): string =>
  pairs[(number / pairs.length) | 0]! + pairs[number % pairs.length]!

const fourDigits = 36 ** 4

/** Two digits of base 36 by their value. */
const pairs = Array.from({ length: 36 ** 2 }, (_, value) => value.toString(36).padStart(2, '0'))

/**
 * The payload of a negative entry: a mark that no codec's payload begins with, a semicolon, and the row id, so that one copied
 * under another key is refused, as a row of another id is. Its envelope has the existence epoch where that of a row has the
 * epoch: creating a row ends negative entries, and leaves rows as they are.
 *
 * ```
 * -;<id>
 * ```
 */
export function negativeEntryOf(rowId: RowId): string {
  return `${start}${String(rowId)}`
}

export function isNegativeEntry(bytes: Buffer, payloadStart: number): boolean {
  return bytes[payloadStart] === mark
}

export function isNegativeEntryOf(bytes: Buffer, payloadStart: number, rowId: RowId): boolean {
  return (
    isNegativeEntry(bytes, payloadStart) && bytes.toString('utf8', payloadStart) === negativeEntryOf(rowId)
  )
}

const start = '-;'
const mark = start.charCodeAt(0)
