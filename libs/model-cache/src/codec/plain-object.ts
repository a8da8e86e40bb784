/** Whether a value is an object that came of a literal or of JSON, of whatever realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === null || (prototype as object) === Object.prototype || isRootPrototype(prototype as object)
  )
}

/** Of another realm: the prototype behind which there is none. */
function isRootPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty')
}

/** Names that every object seems to have, so that a field of this name has to be asked for with care. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}

/** The field of a row; what its prototype has under that name is none. */
export function fieldOf(row: object, name: string): unknown {
  return Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : undefined
}
