import { isPlainObject } from './plain-object.js'

/**
 * Copies a value that need not match a plan: containers, dates and bytes. Instances of other classes, such as decimals, are immutable
 * by contract.
 */
export function copyByValue<T>(value: T): T {
  return copyOf(value) as T
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyOf(entry)]))
}
