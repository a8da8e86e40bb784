import type { Codec } from '../codec.js'
import { undecodable } from '../codec.js'
import type { WirePlan } from '../wire-plan.js'
import { mark } from './digits.js'
import { compileRecordReader } from './record-reader.js'
import { compileRecordWriter } from './record-writer.js'

/**
 * The `record` format: values only, in the order of the plan; keys never travel.
 *
 * ```
 * #<head><body>#    a record
 * anything else     the json format
 * ```
 *
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
export function createRecordFormat<Row>(
  plan: WirePlan,
  json: Pick<Codec<Row>, 'encode' | 'decode'>,
): Pick<Codec<Row>, 'encode' | 'decode'> {
  const write = compileRecordWriter(plan)
  const read = compileRecordReader(plan)
  return {
    // The json format also tells what is wrong with a row that does not match the plan.
    encode: (row) => (row === null || row === undefined ? null : write(row)) ?? json.encode(row),
    decode(text, start = 0) {
      if (text.charCodeAt(start) !== mark) return json.decode(text, start)
      try {
        return read(text, start) as Row
      } catch {
        return undecodable
      }
    },
  }
}
