import { undecodable, type Undecodable } from './codec.js'
import { parseJsonText } from './json-text.js'
import type { AnyReviverSchema, ReviverSchema } from './reviver-schema.js'
import { createTrieReviver } from './trie-reviver.js'
import type { DecimalConstructor } from './wire-plan.js'

/** Reads the text of a {@link Stringifier}. */
export interface Reviver<T> {
  /** A fresh value; {@link undecodable} when the text is not JSON or a declared path does not hold its scalar. */
  revive(text: string): T | null | undefined | Undecodable
}

/**
 * Makes a reviver from declared paths alone. Text is parsed natively, then only these paths are visited.
 *
 * @param options.Decimal the class of decimal paths; needed when there are any
 * @throws ReviverMismatchError when a path declares an unknown scalar, or a decimal without a class
 */
export function createReviver<T>(
  schema: ReviverSchema<T>,
  options: { Decimal?: DecimalConstructor } = {},
): Reviver<T> {
  const revive = createTrieReviver(schema as unknown as AnyReviverSchema, 'reviver', options.Decimal)
  return {
    revive(text) {
      try {
        return revive(parseJsonText(text)) as T | null | undefined
      } catch {
        return undecodable
      }
    },
  }
}
