/**
 * Maximum nesting depth of objects and arrays in a `Json` field, including the value itself. Deeper JSON could overflow the
 * stack of the code that visits it.
 */
export const maxJsonDepth = 1_000

/**
 * Whether a result of `JSON.parse` can be encoded again: it does not exceed the nesting depth, and its numbers are finite.
 *
 * @param depth number of levels that may follow
 */
export function isWritableJson(value: unknown, depth = maxJsonDepth): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (!isWritableJson(value[i], depth - 1)) return false
    }
    return true
  }
  // Object.keys would allocate an array. Parsed objects inherit no enumerable keys.
  for (const key in value) {
    if (!isWritableJson((value as Record<string, unknown>)[key], depth - 1)) return false
  }
  return true
}
