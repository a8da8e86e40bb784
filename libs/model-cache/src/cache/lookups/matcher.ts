import { lookupKeyOf } from '../../consistency/lookup-key.js'
import type { BoundLookup } from '../policy/lookup-options.js'

type Fields = Readonly<Record<string, unknown>>

/** Decides from a row whether it belongs to a list. */
export interface Matcher {
  keyOf(row: Fields): string | null | undefined
  fulfils(row: Fields): boolean
}

export function compileMatcher({ description }: BoundLookup): Matcher {
  return { keyOf: (row) => lookupKeyOf(description.key!, row), fulfils: () => true }
}
