import type { CodecFormat } from '../codec.js'
import { undecodable } from '../codec.js'
import type { WirePlan } from '../wire-plan.js'
import { bitsPerDigit, bodyDigits, lengthDigits, mark, zero } from './digits.js'
import { headLengthOf, withoutAbsence } from './head-length.js'
import { compileRecordReader } from './record-reader.js'
import { compileRecordWriter } from './record-writer.js'

/**
 * The `record` format: values only, in the order of the plan; keys never travel.
 *
 * ```
 * #<bytes><units>#<head><body>#    a record
 * anything else                    the json format
 * ```
 *
 * Both lengths are of the body. That in bytes has to be the length of what arrived, so that a record of which anything was lost
 * is refused; that in UTF-16 units says whether each byte is a character. The mark behind them, which is no digit, shows
 * where a digit of a length itself was lost.
 *
 * The head has a place for each field, of as many digits as its kind needs: small integers, flags, dates and short
 * decimals stand there themselves, of every text there is the length. The body is all texts, raw and unescaped, one
 * behind the other. Reading is arithmetic on digits at known places, of the bytes as they arrived, and one `substring` of
 * the body per text, of which V8 makes a slice, not a copy; so a text of a row keeps the texts of the whole row in memory.
 *
 * JSON is written in the same way, each value behind a digit that says what it is. Objects that have the same keys share
 * one list of these, which the first of them writes.
 *
 * What a record cannot hold (explicit `undefined`, -0, text that is not well formed or longer than 262,141 characters,
 * dates beyond the year 4199, NaN and infinite decimals, the key `__proto__`) makes that row one of the json format.
 */
export function createRecordFormat<Row>(plan: WirePlan, json: CodecFormat<Row>): CodecFormat<Row> {
  const write = compileRecordWriter(plan)
  const { read, wide } = compileRecordReader(plan)
  const fixed = headLengthOf(withoutAbsence(plan))
  // From the first mark on.
  const headAt = 1 + 2 * bodyDigits + (fixed === undefined ? lengthDigits : 0) + 1
  /** Where the head ends; NaN where there are no lengths with a mark behind them. */
  const headEndOf = (bytes: Uint8Array, start: number): number =>
    bytes[start + headAt - 1] === mark
      ? start + headAt + (fixed ?? numberAt(bytes, start + 1 + 2 * bodyDigits, lengthDigits))
      : Number.NaN

  const decode: CodecFormat<Row>['decode'] = (text, start = 0) => {
    if (text.charCodeAt(start) !== mark) return json.decode(text, start)
    try {
      const rest = start > 0 ? text.slice(start) : text
      let digits = beginning
      digits.write(rest, 'latin1')
      const headEnd = headEndOf(digits, 0)
      // What is not there is NaN, and so unequal to everything.
      if (rest.length - 1 - headEnd !== numberAt(digits, 1 + bodyDigits, bodyDigits)) return undecodable
      if (Buffer.byteLength(rest) - 1 - headEnd !== numberAt(digits, 1, bodyDigits)) return undecodable
      if (headEnd > digits.length) digits = Buffer.from(rest.slice(0, headEnd), 'latin1')
      wide.beginPlain()
      return read(digits, headAt, headEnd, rest, headEnd) as Row
    } catch {
      return undecodable
    }
  }

  return {
    // The json format also tells what is wrong with a row that does not match the plan.
    encode: (row) => (row === null || row === undefined ? null : write(row)) ?? json.encode(row),
    decode,
    decodeUtf8(bytes, start = 0) {
      if (bytes[start] !== mark) return json.decodeUtf8(bytes, start)
      try {
        const headEnd = headEndOf(bytes, start)
        const length = bytes.length - 1 - headEnd
        if (length !== numberAt(bytes, start + 1, bodyDigits)) return undecodable
        const more = length - numberAt(bytes, start + 1 + bodyDigits, bodyDigits)
        const text = bytes.toString('latin1', headEnd)
        if (more === 0) wide.beginPlain()
        else if (!wide.begin(text, bytes, headEnd, more)) return decode(bytes.toString('utf8', start))
        return read(bytes, start + headAt, headEnd, text, 0) as Row
      } catch {
        return undecodable
      }
    },
  }
}

/** The first digits of the text that is decoded, which are all of most heads. */
const beginning = Buffer.allocUnsafeSlow(256)

// V8 knows the value of a constant of this file, but not of an imported one. A shift gives a small integer; a power would give a
// number of the heap, and so would each digit.
const base = 1 << bitsPerDigit
const zeroDigit = zero

function numberAt(bytes: Uint8Array, start: number, count: number): number {
  let number = 0
  for (let at = start; at < start + count; at++) number = number * base + bytes[at]! - zeroDigit
  return number
}
