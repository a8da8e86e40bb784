import { createChecker } from './checker.js'
import type { Codec } from './codec.js'
import { undecodable } from './codec.js'
import type { Revive } from './compiled-reviver.js'
import { joinJsonText, parseJsonText } from './json-text.js'
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
    decode(text) {
      try {
        const parsed = parseJsonText(text)
        return parsed === null || parsed === undefined ? parsed : (revive(parsed) as Row)
      } catch {
        return undecodable
      }
    },
  }
}
