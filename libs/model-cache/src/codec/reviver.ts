import { undecodable, type Undecodable } from './codec.js'
import { parseJsonText } from './json-text.js'
import type { AnyReviverSchema, ReviverSchema } from './reviver-schema.js'
import { createTrieReviver } from './trie-reviver.js'
import type { DecimalConstructor } from './wire-plan.js'

/** Parses the output of a {@link Stringifier}. */
export interface Reviver<T> {
  /** Returns a new value; {@link undecodable} if the text is not JSON or a declared path does not hold its scalar. */
  revive(text: string): T | null | undefined | Undecodable
}

/**
 * Creates a reviver from declared paths. It parses natively and then visits only these paths.
 *
 * @param options.Decimal the class of decimal paths, required if there are any
 * @throws ConfigurationError if a path declares an unknown scalar, or a decimal without a class
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
