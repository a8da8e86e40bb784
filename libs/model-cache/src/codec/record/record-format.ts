import type { CodecFormat, Decoder } from '../codec.js'
import { undecodable } from '../codec.js'
import type { WirePlan } from '../wire-plan.js'
import { bitsPerDigit, bodyDigits, lengthDigits, mark, zero } from './digits.js'
import { headLengthOf, withoutNullish } from './head-length.js'
import { compileRecordReader } from './record-reader.js'
import { compileRecordWriter } from './record-writer.js'
import { dividedCharacter } from './wide-texts.js'

/**
 * Creates the writer of the `record` format: values only, sorted by the names of their fields, without keys.
 *
 * ```
 * #<bytes><units>#<head><body>#    a record
 * anything else                    the json format
 * ```
 *
 * Both lengths are of the body. The length in bytes must match the received payload, so a truncated record is refused. The
 * length in UTF-16 units shows whether each byte is one character. The mark after them is not a digit, so a lost digit of a
 * length is detected too.
 *
 * The head has a fixed number of digits per field, by its kind. Small integers, booleans, dates and short decimals are stored
 * there; strings have their length there. The body is the concatenation of all strings, unescaped. Decoding is arithmetic on
 * digits at known offsets of the received bytes, and one `substring` of the body per string. V8 makes a slice of it, not a
 * copy, so one string of a row keeps the strings of the whole row in memory.
 *
 * `Json` fields are written in the same way, each value after a digit with its type. Objects with the same keys share one key
 * list, which the first of them writes.
 *
 * Some rows do not fit into a record and use the json format: explicit `undefined`, -0, strings with lone surrogates or more
 * than 262,141 characters, dates after the year 4199, NaN and infinite decimals, the key `__proto__`.
 */
export function createRecordEncoder<Row>(
  plan: WirePlan,
  json: Pick<CodecFormat<Row>, 'encode'>,
): CodecFormat<Row>['encode'] {
  const write = compileRecordWriter(plan)
  // The json format has null and undefined, and throws the error for a row that does not match the plan.
  return (row) => write(row) ?? json.encode(row)
}

/** Creates the reader of the `record` format. */
export function createRecordDecoder<Row>(plan: WirePlan, json: Decoder<Row>): Decoder<Row> {
  const { end, read, wide } = compileRecordReader(plan)
  const fixed = headLengthOf(withoutNullish(plan))
  // Offset from the first mark.
  const headAt = 1 + 2 * bodyDigits + (fixed === undefined ? lengthDigits : 0) + 1
  /** Returns the end of the head; NaN if there is no mark after the lengths. */
  const headEndOf = (bytes: Uint8Array, start: number): number =>
    bytes[start + headAt - 1] === mark
      ? start + headAt + (fixed ?? numberAt(bytes, start + 1 + 2 * bodyDigits, lengthDigits))
      : Number.NaN

  const decode: Decoder<Row>['decode'] = (payload, start = 0) => {
    if (payload.charCodeAt(start) !== mark) return json.decode(payload, start)
    try {
      const rest = start > 0 ? payload.slice(start) : payload
      let digits = beginning
      digits.write(rest, 'latin1')
      const headEnd = headEndOf(digits, 0)
      // A missing digit gives NaN, which is unequal to everything.
      if (rest.length - 1 - headEnd !== numberAt(digits, 1 + bodyDigits, bodyDigits)) return undecodable
      if (headEnd > digits.length) digits = Buffer.from(rest.slice(0, headEnd), 'latin1')
      wide.beginPlain()
      return read(digits, headAt, headEnd, rest, headEnd) as Row
    } catch {
      return undecodable
    }
  }

  return {
    decode,
    decodeUtf8(bytes, start = 0) {
      if (bytes[start] !== mark) return json.decodeUtf8(bytes, start)
      try {
        const headEnd = headEndOf(bytes, start)
        const length = bytes.length - 1 - headEnd
        if (length !== numberAt(bytes, start + 1, bodyDigits)) return undecodable
        const more = length - numberAt(bytes, start + 1 + bodyDigits, bodyDigits)
        const text = wide.begin(bytes, headEnd, more)
        const row = read(bytes, start + headAt, headEnd, text, 0) as Row
        end()
        return row
      } catch (error) {
        end()
        return error === dividedCharacter ? decode(bytes.toString('utf8', start)) : undecodable
      }
    },
  }
}

/** Buffer for the first digits of the decoded payload; most heads fit. */
const beginning = Buffer.allocUnsafeSlow(256)

// V8 embeds constants of this module, but not imported ones. A shift gives a small integer; a power would give a heap number
// and make each digit one.
const base = 1 << bitsPerDigit
const zeroDigit = zero

function numberAt(bytes: Uint8Array, start: number, count: number): number {
  let number = 0
  for (let at = start; at < start + count; at++) number = number * base + bytes[at]! - zeroDigit
  return number
}
