/** Finds whatever a caller could use to tell two results apart. */
import { show } from '../show.ts'

/**
 * Returns the first difference with its path, or undefined. Compares classes and prototypes, property keys in their order with
 * their attributes, extensibility, the memory of bytes, the sign of zero, and which objects are one and the same.
 */
export function differenceOf(expected: unknown, actual: unknown): string | undefined {
  return new Comparer().compare(expected, actual, 'result')
}

class Comparer {
  /** What stands for what: an object that one result has twice, the other has twice. */
  readonly #actualOf = new Map<object, object>()
  readonly #expectedOf = new Map<object, object>()

  compare(expected: unknown, actual: unknown, path: string): string | undefined {
    if (!isObject(expected) || !isObject(actual)) {
      return Object.is(expected, actual)
        ? undefined
        : `${path} is ${brief(actual)} instead of ${brief(expected)}`
    }
    if (expected === actual) {
      return typeof expected === 'function' ? undefined : `${path} is the same object in both results`
    }
    // Prisma itself gives parts of one error to all queries that it has put together.
    if (expected instanceof Error) {
      const inner = new Comparer()
      return inner.#compareClass(expected, actual, path) ?? inner.#compareProperties(expected, actual, path)
    }
    const known = this.#actualOf.get(expected)
    if (known !== undefined || this.#expectedOf.has(actual)) {
      if (known === actual) return undefined
      return `${path} ${known === undefined ? 'shares an object' : 'does not share an object'} with another part of the results`
    }
    this.#actualOf.set(expected, actual)
    this.#expectedOf.set(actual, expected)
    return this.#compareClass(expected, actual, path) ?? this.#compareProperties(expected, actual, path)
  }

  #compareClass(expected: object, actual: object, path: string): string | undefined {
    const prototypes = [Object.getPrototypeOf(expected), Object.getPrototypeOf(actual)] as (object | null)[]
    if (prototypes[0] !== prototypes[1]) {
      const [one, other] = prototypes.map((prototype) => prototype?.constructor?.name ?? 'null')
      return `${path} has the prototype ${other} instead of ${one}`
    }
    const tags = [expected, actual].map((value) => Object.prototype.toString.call(value))
    if (tags[0] !== tags[1]) return `${path} is ${tags[1]} instead of ${tags[0]}`
    if (Object.isExtensible(expected) !== Object.isExtensible(actual)) {
      return `${path} is ${Object.isExtensible(actual) ? 'extensible' : 'not extensible'}`
    }
    if (typeof expected === 'function') {
      return expected.toString() === actual.toString() ? undefined : `${path} is another function`
    }
    if (expected instanceof Date) {
      return Object.is(expected.getTime(), (actual as Date).getTime())
        ? undefined
        : `${path} is ${brief(actual)} instead of ${brief(expected)}`
    }
    if (expected instanceof Uint8Array && actual instanceof Uint8Array) {
      if (show(expected) !== show(actual)) return `${path} is ${brief(actual)} instead of ${brief(expected)}`
      // Prisma 6 gives views of Node's pool.
      return ownsMemory(actual) || !ownsMemory(expected) ? undefined : `${path} is a view of larger memory`
    }
    return undefined
  }

  #compareProperties(expected: object, actual: object, path: string): string | undefined {
    if (expected instanceof Uint8Array) return undefined
    const [keys, others] = [Reflect.ownKeys(expected), Reflect.ownKeys(actual)].map((keys) =>
      keys.filter((key) => key !== 'stack' || !(expected instanceof Error)),
    )
    if (keys!.length !== others!.length || keys!.some((key, index) => key !== others![index])) {
      return `${path} has the keys ${others!.map(String).join(', ')} instead of ${keys!.map(String).join(', ')}`
    }
    for (const key of keys!) {
      const inner = `${path}${/^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`}`
      const [one, other] = [expected, actual].map((value) => Object.getOwnPropertyDescriptor(value, key)!)
      const attributes = [one!, other!].map(attributesOf)
      if (attributes[0] !== attributes[1]) {
        return `${inner} is ${attributes[1]} instead of ${attributes[0]}`
      }
      const difference = this.compare(
        (expected as Record<PropertyKey, unknown>)[key],
        (actual as Record<PropertyKey, unknown>)[key],
        inner,
      )
      if (difference !== undefined) return difference
    }
    return undefined
  }
}

function attributesOf({ get, enumerable, configurable, writable }: PropertyDescriptor): string {
  const names = [
    get ? 'computed' : 'a value',
    enumerable ? 'enumerable' : 'hidden',
    configurable ? 'configurable' : 'fixed',
    get || writable ? 'writable' : 'read-only',
  ]
  return names.join(', ')
}

/** The rows in an order that depends on what they hold, where the database promises none. */
export function inAnyOrder(rows: readonly unknown[]): readonly unknown[] {
  const texts = new Map(rows.map((row) => [row, show(row)]))
  return rows.toSorted((one, other) => (texts.get(one)! < texts.get(other)! ? -1 : 1))
}

/** All objects that can be reached from a value. */
export function objectsIn(value: unknown, found: Set<object> = new Set()): Set<object> {
  if (!isObject(value) || typeof value === 'function' || found.has(value)) return found
  found.add(value)
  if (value instanceof Uint8Array) return ownsMemory(value) ? found.add(value.buffer) : found
  for (const key of Object.keys(value)) objectsIn((value as Record<string, unknown>)[key], found)
  return found
}

/** Changes everything in a result that can be changed. */
export function spoil(value: unknown): void {
  for (const found of objectsIn(value)) {
    if (found instanceof ArrayBuffer) continue
    if (found instanceof Uint8Array) found.fill(0x5e)
    else if (found instanceof Date) found.setTime(0)
    else if (Array.isArray(found)) found.splice(0, 1, 'spoilt')
    else {
      for (const key of Object.keys(found)) Reflect.set(found, key, 'spoilt')
      Reflect.set(found, 'spoilt', true)
    }
  }
}

function ownsMemory({ buffer, byteLength }: Uint8Array): boolean {
  return buffer.byteLength === byteLength
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function brief(value: unknown): string {
  const text = typeof value === 'symbol' || typeof value === 'function' ? String(value) : show(value)
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
}
