/**
 * Whether a value is an object literal, of this realm or another one, and not a value such as a date or a decimal. Properties that it
 * inherits from any other object count for Prisma, so such an object is none.
 */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return Object.hasOwn(prototype as object, 'isPrototypeOf')
}
