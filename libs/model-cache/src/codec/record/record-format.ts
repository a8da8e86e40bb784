import type { CodecFormat } from '../codec.js'
import { undecodable } from '../codec.js'
import type { WirePlan } from '../wire-plan.js'
import { mark } from './digits.js'
import { compileRecordReader } from './record-reader.js'
import { compileRecordWriter } from './record-writer.js'

/**
 * The `record` format: values only, in the order of the plan; keys never travel.
 *
 * ```
 * #<units><head><body>#    a record
 * anything else            the json format
 * ```
 *
 * The units are the length of the body in UTF-16, from which a reader of bytes knows whether each is a character.
 * The head has a place for each field, of as many digits as its kind needs: small integers, flags, dates and short
 * decimals stand there themselves, of every text there is the length. The body is all texts, raw and unescaped, one
 * behind the other. Reading is arithmetic on digits at known places and one `substring` per text, of which V8 makes a
 * slice of the whole, not a copy; so a text of a row keeps the text of the whole row in memory.
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
  const decode: CodecFormat<Row>['decode'] = (text, start = 0) => {
    if (text.charCodeAt(start) !== mark) return json.decode(text, start)
    try {
      return (read(text, start) as Row | null) ?? undecodable
    } catch {
      return undecodable
    }
  }
  return {
    // The json format also tells what is wrong with a row that does not match the plan.
    encode: (row) => (row === null || row === undefined ? null : write(row)) ?? json.encode(row),
    decode,
    decodeUtf8(bytes, latin1, start = 0) {
      if (latin1.charCodeAt(start) !== mark) return json.decodeUtf8(bytes, latin1, start)
      wide.bytes = bytes
      try {
        const row = read(latin1, start) as Row | null
        if (row !== null) return row
      } catch {
        return undecodable
      } finally {
        wide.bytes = undefined
      }
      return decode(bytes.toString('utf8', start))
    },
  }
}
