import { isDeepStrictEqual } from 'node:util'
import type { Exception } from './checker.js'
import { createChecker } from './checker.js'
import type { CodecFormat } from './codec.js'
import { undecodable } from './codec.js'
import type { Revive } from './compiled-reviver.js'
import { exceptionsOf, joinJsonText, parseJsonText } from './json-text.js'
import type { WirePlan } from './wire-plan.js'

/**
 * Creates the `json` format: plain JSON with scalars as strings, described at {@link parseJsonText}.
 *
 * @param stringifyExceptional serializes rows with values that JSON loses
 */
export function createJsonFormat<Row>(
  plan: WirePlan,
  model: string,
  stringify: (row: Row) => string,
  stringifyExceptional: (row: Row) => string,
  revive: Revive,
): CodecFormat<Row> {
  const check = createChecker(plan, model)
  const decode: CodecFormat<Row>['decode'] = (payload, start = 0) => {
    try {
      const json = start > 0 ? payload.slice(start) : payload
      const parsed = parseJsonText(json)
      if (parsed === null || parsed === undefined) return json === String(parsed) ? parsed : undecodable
      const row = revive(parsed) as Row
      // The listed exceptions must be those of this row.
      if (json.startsWith('!') && !areEqual(check(row) ?? [], exceptionsOf(json))) return undecodable
      return row
    } catch {
      return undecodable
    }
  }
  return {
    encode(row) {
      if (row === null || row === undefined) return String(row)
      const exceptions = check(row)
      return exceptions ? joinJsonText(exceptions, stringifyExceptional(row)) : stringify(row)
    },
    decode,
    decodeUtf8: (bytes, start = 0) => decode(bytes.toString('utf8', start)),
  }
}

/** Compares regardless of order, since a restored key comes last. */
function areEqual(found: readonly Exception[], listed: readonly Exception[]): boolean {
  const sorted = (list: readonly Exception[]): string[] =>
    list.map((entry) => JSON.stringify(entry)).toSorted()
  return isDeepStrictEqual(sorted(found), sorted(listed))
}
