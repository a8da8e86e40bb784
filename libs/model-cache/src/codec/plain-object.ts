/** Whether a value is an object from a literal or from JSON, of any realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === null || (prototype as object) === Object.prototype || isRootPrototype(prototype as object)
  )
}

/** Whether this is the `Object.prototype` of another realm. */
function isRootPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty')
}

/** Whether every object inherits this name, so that reading a field of this name needs an own-property check. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}

/** Returns an own field of a row, never an inherited property. */
export function ownFieldOf(row: object, name: string): unknown {
  return Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : undefined
}
