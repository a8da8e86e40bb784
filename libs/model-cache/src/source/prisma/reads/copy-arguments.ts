import { isPlain } from '../../plain.js'
import type { Args } from '../internals.js'
import { copyDate, copyJson, copyValue, isDate, isSkipped } from './argument-values.js'

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
