import { Decimal } from '@prisma/client/runtime/client'
import { isPlain } from '../../plain.js'
import type { Args } from '../internals.js'

/**
 * Copies the arguments of a query as Prisma reads them, to objects without a class, lists and values. Reads each property once, so a plan
 * and the query that is sent have the same values, even if the caller changes an object later, or a getter or a proxy gives another answer
 * the next time.
 *
 * Prisma takes every object that is not a value for arguments: of a class, without a prototype, with getters, or a proxy. It reads the
 * enumerable properties that an object inherits, too, except in `select`, `include` and `omit`. Errors of a refused query show the copy.
 *
 * @param dropsUndefined whether to leave out what is undefined, which Prisma ignores unless it is strict. Errors show it
 * @returns undefined for arguments of which only Prisma knows what it reads in them, or that it cannot read
 */
export function copyArguments(given: unknown, dropsUndefined: boolean): Args | undefined {
  try {
    const copier = new Copier(dropsUndefined)
    const args = copier.query(given ?? {})
    return copier.isComplete ? args : undefined
  } catch {
    // Prisma meets the error, too.
    return undefined
  }
}

class Copier {
  /** Whether all are copies. What Prisma reads in a way that cannot be repeated is left as it was given. */
  isComplete = true
  readonly #dropsUndefined: boolean

  constructor(dropsUndefined: boolean) {
    this.#dropsUndefined = dropsUndefined
  }

  /** The arguments and the selection of a query, or of a relation that is selected. */
  query(given: object): Args {
    const copy: Record<string, unknown> = { ...given }
    for (const name of ['select', 'include']) {
      // Prisma gets these two wherever they are defined.
      const value = name in copy ? undefined : (given as Args)[name]
      if (value !== undefined) copy[name] = value
    }
    for (const name of Object.keys(copy)) {
      const value = copy[name]
      if (name === 'select' || name === 'include') copy[name] = this.#selection(value)
      else if (name === 'omit') copy[name] = isObject(value) ? { ...value } : value
      else if (this.#isLeftOut(name, value)) delete copy[name]
      else copy[name] = this.#copy(value)
    }
    return copy
  }

  #selection(given: unknown): unknown {
    if (!isObject(given) || Array.isArray(given)) return given
    const copy: Record<string, unknown> = { ...given }
    for (const name of Object.keys(copy)) {
      const value = copy[name]
      if (isObject(value) && !isSkipped(value)) copy[name] = this.query(value)
    }
    return copy
  }

  #copy(given: unknown): unknown {
    if (!isObject(given)) return given
    if (Array.isArray(given)) return this.#items(given)
    const { toJSON, toFixed, __prismaRawParameters__: isRaw } = given as Args
    if (isRaw === true) return this.#leave(given)
    // Nearly all of them. No value looks like this.
    if (isPlain(given) && typeof toJSON !== 'function' && typeof toFixed !== 'function')
      return this.#fields(given)
    if (isDate(given)) return copyDate(given) ?? this.#leave(given)
    const value = copyValue(given)
    if (value !== undefined) return value
    if (typeof toJSON !== 'function') return this.#fields(given as Args)
    const json = copyJson((given as { toJSON(): unknown }).toJSON())
    return json === undefined ? this.#leave(given) : json
  }

  #items(given: readonly unknown[]): unknown[] {
    const copy: unknown[] = []
    for (let i = 0; i < given.length; i++) copy.push(this.#copy(given[i]))
    return copy
  }

  #fields(given: Args): Args {
    const copy: Record<string, unknown> = {}
    // Inherited properties count as well.
    for (const name in given) {
      const value = given[name]
      if (!this.#isLeftOut(name, value)) copy[name] = this.#copy(value)
    }
    return copy
  }

  #leave(given: unknown): unknown {
    this.isComplete = false
    return given
  }

  /** JSON may have a field `__proto__`. It becomes the prototype of the object that Prisma sends, where nothing reads it. */
  #isLeftOut(name: string, value: unknown): boolean {
    if (value === undefined) return this.#dropsUndefined
    return name === '__proto__' || isSkipped(value)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/*
 * Which objects are values to Prisma, by what they look like: an application may have several copies of Prisma's classes, as a
 * CommonJS module and as an ES module, and values of another realm.
 */

function isDate(given: object): given is Date {
  return given instanceof Date || Object.prototype.toString.call(given) === '[object Date]'
}

/** Returns undefined for a date of a class that writes its text, which Prisma takes, in another way: with microseconds, for example. */
function copyDate(given: Date): Date | undefined {
  if (given.toISOString === Date.prototype.toISOString) return new Date(given)
  if (given.toString() === 'Invalid Date') return new Date(NaN)
  const text = given.toISOString()
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined
}

/** Copies another object that is a value: bytes, a decimal, a null of Json fields, a field reference. Returns undefined if it is none. */
function copyValue(given: object): unknown {
  if (ArrayBuffer.isView(given)) return copyBytes(given)
  if (Decimal.isDecimal(given)) return given
  if (isDecimalLike(given)) return new Decimal(given.toFixed())
  const { _getNamespace: enumValue, _toGraphQLInputType: fieldReference } = given as Record<string, unknown>
  return typeof enumValue === 'function' || typeof fieldReference === 'function' || isSkipped(given)
    ? given
    : undefined
}

/** Whether a value is `Prisma.skip`. Prisma ignores a property with it, and refuses it in a list. */
function isSkipped(value: unknown): boolean {
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
function copyJson(json: unknown): unknown {
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
