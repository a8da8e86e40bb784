/**
 * Copies the arguments of a query, so that later changes by the caller have no effect. Only plain objects, lists, dates and
 * bytes can change. Other values are shared: decimals, field references, and the null values of Json fields.
 */
export function copyOfArgs(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOfArgs)
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return new Uint8Array(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOfArgs(inner)]))
}
