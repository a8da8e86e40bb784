import { isDeepStrictEqual } from 'node:util'
import type { Exception } from './checker.js'
import { createChecker } from './checker.js'
import type { Codec } from './codec.js'
import { undecodable } from './codec.js'
import type { Revive } from './compiled-reviver.js'
import { exceptionsOf, joinJsonText, parseJsonText } from './json-text.js'
import type { WirePlan } from './wire-plan.js'

/** The `json` format: plain JSON, with scalars as strings; {@link parseJsonText} shows it. */
export function createJsonFormat<Row>(
  plan: WirePlan,
  model: string,
  stringify: (row: Row) => string,
  revive: Revive,
): Pick<Codec<Row>, 'encode' | 'decode'> {
  const check = createChecker(plan, model)
  return {
    encode(row) {
      if (row === null || row === undefined) return String(row)
      return joinJsonText(check(row), stringify(row))
    },
    decode(text, start = 0) {
      try {
        const json = start > 0 ? text.slice(start) : text
        const parsed = parseJsonText(json)
        if (parsed === null || parsed === undefined) return json === String(parsed) ? parsed : undecodable
        const row = revive(parsed) as Row
        // The list of exceptions has to be the one that this row has.
        if (json.startsWith('!') && !areEqual(check(row) ?? [], exceptionsOf(json))) return undecodable
        return row
      } catch {
        return undecodable
      }
    },
  }
}

/** In any order: a key that is restored comes last. */
function areEqual(found: readonly Exception[], listed: readonly Exception[]): boolean {
  const sorted = (list: readonly Exception[]): string[] =>
    list.map((entry) => JSON.stringify(entry)).toSorted()
  return isDeepStrictEqual(sorted(found), sorted(listed))
}
