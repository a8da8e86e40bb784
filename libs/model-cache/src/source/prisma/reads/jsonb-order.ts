type JsonObject = Record<string, unknown>

/**
 * Puts the keys of all objects in a JSON value in the order in which PostgreSQL stores those of `jsonb`: by length in bytes, then byte by
 * byte. Returns the value itself if they are in this order already.
 */
export function inJsonbOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      if (typeof item === 'object') value[i] = inJsonbOrder(item)
    }
    return value
  }
  const object = value as JsonObject
  let previous: string | undefined
  let isOrdered = true
  for (const key in object) {
    const inner = object[key]
    // Defined, not assigned: `__proto__` may be a key.
    if (typeof inner === 'object' && inner !== null) {
      const ordered = inJsonbOrder(inner)
      if (ordered !== inner) Object.defineProperty(object, key, { value: ordered })
    }
    if (previous !== undefined && compare(previous, key) > 0) isOrdered = false
    previous = key
  }
  if (isOrdered) return object
  return Object.fromEntries(Object.entries(object).toSorted(([one], [other]) => compare(one, other)))
}

const isAscii = /^[ -~]*$/

function compare(one: string, other: string): number {
  if (isAscii.test(one) && isAscii.test(other)) {
    return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0)
  }
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length - b.length || Buffer.compare(a, b)
}
