import { Decimal } from '@prisma/client/runtime/client'
import { isPlain } from '../../plain.js'

/*
 * Which objects are values to Prisma, by what they look like: an application may have several copies of Prisma's classes, as a
 * CommonJS module and as an ES module, and values of another realm.
 */

export function isDate(given: object): given is Date {
  return given instanceof Date || Object.prototype.toString.call(given) === '[object Date]'
}

/** Returns undefined for a date of a class that writes its text, which Prisma takes, in another way: with microseconds, for example. */
export function copyDate(given: Date): Date | undefined {
  if (given.toISOString === Date.prototype.toISOString) return new Date(given)
  if (given.toString() === 'Invalid Date') return new Date(NaN)
  const text = given.toISOString()
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined
}

/** Copies another object that is a value: bytes, a decimal, a null of Json fields, a field reference. Returns undefined if it is none. */
export function copyValue(given: object): unknown {
  if (ArrayBuffer.isView(given)) return copyBytes(given)
  if (Decimal.isDecimal(given)) return given
  if (isDecimalLike(given)) return new Decimal(given.toFixed())
  const { _getNamespace: enumValue, _toGraphQLInputType: fieldReference } = given as Record<string, unknown>
  return typeof enumValue === 'function' || typeof fieldReference === 'function' || isSkipped(given)
    ? given
    : undefined
}

/** Whether a value is `Prisma.skip`. Prisma ignores a property with it, and refuses it in a list. */
export function isSkipped(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { ifUndefined?: unknown }).ifUndefined === 'function' &&
    Object.keys(value).length === 0
  )
}

/**
 * Copies what a `toJSON` has returned, which Prisma sends as it is. Returns undefined where only Prisma knows what arrives: dates,
 * objects with another `toJSON`, `$type`, by which Prisma marks values, and `__proto__`, which it drops from the copy.
 */
export function copyJson(json: unknown): unknown {
  if (json === null || typeof json === 'string' || typeof json === 'boolean' || typeof json === 'number')
    return json
  if (Array.isArray(json)) {
    const items = Array.from(json, copyJson)
    return items.includes(undefined) ? undefined : items
  }
  if (!isPlain(json) || '$type' in json || typeof json.toJSON === 'function') return undefined
  const copy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(json)) {
    if (value === undefined) continue
    const copied = name === '__proto__' ? undefined : copyJson(value)
    if (copied === undefined) return undefined
    copy[name] = copied
  }
  return copy
}

function copyBytes(given: ArrayBufferView): Uint8Array {
  // What Prisma says of a query that it refuses tells them apart.
  if (Buffer.isBuffer(given)) return Buffer.from(given)
  return new Uint8Array(Buffer.from(given.buffer, given.byteOffset, given.byteLength))
}

function isDecimalLike(value: object): value is { toFixed(): string } {
  const { d, e, s, toFixed } = value as Record<string, unknown>
  return typeof s === 'number' && typeof e === 'number' && typeof toFixed === 'function' && Array.isArray(d)
}
