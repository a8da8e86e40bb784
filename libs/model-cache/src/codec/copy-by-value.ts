import { isPlainObject } from './plain-object.js'

/**
 * Copies a value that need not match a plan: containers, dates and bytes. Instances of other classes, such as decimals, are immutable
 * by contract.
 */
export function copyByValue<T>(value: T): T {
  return copyWith(value, itself) as T
}

/** As {@link copyByValue}. @param copyOther copies anything else */
export function copyWith(value: unknown, copyOther: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copyWith(item, copyOther))
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (!isPlainObject(value)) return copyOther(value)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyWith(entry, copyOther)]))
}

const itself = (value: unknown): unknown => value
