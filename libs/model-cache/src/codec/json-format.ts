import { isDeepStrictEqual } from 'node:util'
import type { Exception } from './checker.js'
import { createChecker } from './checker.js'
import type { CodecFormat, Decoder } from './codec.js'
import { undecodable } from './codec.js'
import { exceptionsOf, joinJsonText, parseJsonText } from './json-text.js'
import { createExceptionalStringify, createStringify } from './lowering.js'
import type { Revive } from './plan-reviver.js'
import type { WirePlan } from './wire-plan.js'

/**
 * Creates the writer of the `json` format: plain JSON with scalars as strings, described at {@link parseJsonText}.
 *
 * @param byHand serializes rows. @default derived from the plan
 */
export function createJsonEncoder<Row>(
  plan: WirePlan,
  model: string,
  byHand?: (row: Row) => string,
): CodecFormat<Row>['encode'] {
  const check = createChecker(plan, model)
  const stringify = byHand ?? createStringify(plan)
  const stringifyExceptional = byHand ?? createExceptionalStringify(plan)
  return (row) => {
    if (row === null || row === undefined) return String(row)
    const exceptions = check(row)
    return exceptions ? joinJsonText(exceptions, stringifyExceptional(row)) : stringify(row)
  }
}

/** Creates the reader of the `json` format. */
export function createJsonDecoder<Row>(plan: WirePlan, model: string, revive: Revive): Decoder<Row> {
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
  return { decode, decodeUtf8: (bytes, start = 0) => decode(bytes.toString('utf8', start)) }
}

/** Compares regardless of order, since a restored key comes last. */
function areEqual(found: readonly Exception[], listed: readonly Exception[]): boolean {
  const sorted = (list: readonly Exception[]): string[] =>
    list.map((entry) => JSON.stringify(entry)).toSorted()
  return isDeepStrictEqual(sorted(found), sorted(listed))
}
