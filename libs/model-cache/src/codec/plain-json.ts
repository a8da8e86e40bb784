/**
 * How many objects and arrays may stand in each other in a `Json` field, the field's own value included. Deeper JSON could
 * overflow the stack of the code that walks it.
 */
export const maxJsonDepth = 1_000

/**
 * Whether a value that `JSON.parse` gave can be written again: nested no deeper than may be, its numbers finite.
 *
 * @param depth how many levels may follow
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
  // Not Object.keys, which makes an array of each; parsed objects inherit nothing that is enumerable.
  for (const key in value) {
    if (!isWritableJson((value as Record<string, unknown>)[key], depth - 1)) return false
  }
  return true
}
