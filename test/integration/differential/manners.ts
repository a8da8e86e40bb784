/** The ways in which a caller may give arguments that mean the same to Prisma. */
import { runInNewContext } from 'node:vm'
import { Decimal, skip } from '@prisma/client/runtime/client'
import { isDecimal } from './show.ts'

/**
 * Of each query one: objects of a class, without a prototype, with getters, of another realm, frozen, or proxies; objects whose properties
 * are inherited, also those of all arguments (`inherited`); with `Prisma.skip` and `undefined` beside them; with `toJSON`, objects or
 * single values; getters with another answer the next time (`fickle`); with an iterator, in lists of a class (`iterable`); changed by the
 * caller once the query has begun.
 */
export const manners = [
  'class',
  'nullPrototype',
  'computed',
  'foreign',
  'frozen',
  'proxy',
  'inherited',
  'heirs',
  'beside',
  'json',
  'jsonValues',
  'fickle',
  'iterable',
  'changed',
] as const
export type Manner = (typeof manners)[number]

type Fields = Record<string, unknown>

/** Where an object is: what all arguments are in, what is selected, or anything else. Of the first two only own properties count. */
type Place = 'query' | 'selection' | 'argument'

/** A copy of arguments, as the caller gives them. */
export function given(value: unknown, manner?: Manner, place: Place = 'query'): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => given(item, manner, 'argument'))
    if (manner === 'foreign') return realm.Array.from(items)
    if (manner === 'iterable') return List.from(items)
    return manner === 'frozen' ? Object.freeze(items) : items
  }
  if (!isPlain(value)) return place === 'argument' ? givenValue(value, manner) : copyOf(value)
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, given(inner, manner, placeOf(name, place))]),
  )
  return manner === undefined ? fields : objectOf(fields, manner, place)
}

function placeOf(name: string, place: Place): Place {
  if (place === 'query') return /^(select|include|omit)$/.test(name) ? 'selection' : 'argument'
  return place === 'selection' ? 'query' : 'argument'
}

class Given {}
class List extends Array<unknown> {}
class LocalDate extends Date {}
const realm = runInNewContext('({ Object, Array, Date })') as Pick<
  typeof globalThis,
  'Array' | 'Date' | 'Object'
>

function objectOf(fields: Fields, manner: Manner, place: Place): object {
  switch (manner) {
    case 'class':
      return Object.assign(new Given(), fields)
    case 'nullPrototype':
      return Object.assign(Object.create(null) as object, fields)
    case 'computed':
      return withGetters(fields, (name) => fields[name])
    case 'foreign':
      return Object.assign(new realm.Object(), fields)
    case 'frozen':
      return Object.freeze(fields)
    case 'proxy':
      return new Proxy(Object.assign(new Given(), fields), {})
    case 'inherited':
      return Object.create(fields) as object
    case 'iterable':
      return { ...fields, *[Symbol.iterator]() {} }
    default:
      return place === 'argument' ? argumentOf(fields, manner) : fields
  }
}

function argumentOf(fields: Fields, manner: Manner): object {
  switch (manner) {
    case 'heirs': {
      const [[name, value] = ['', undefined], ...others] = Object.entries(fields)
      return Object.assign(Object.create({ [name]: value }) as object, Object.fromEntries(others))
    }
    case 'beside':
      return { nothing: skip, ...fields, missing: undefined }
    case 'json': {
      // Those within would be more than JSON.
      const isInnermost = Object.values(fields).every((value) => typeof value !== 'object' || value === null)
      return isInnermost ? { toJSON: () => fields } : fields
    }
    case 'fickle': {
      const isRead = new Set<string>()
      return withGetters(fields, (name) =>
        isRead.has(name) ? otherThan(fields[name]) : isRead.add(name) && fields[name],
      )
    }
    default:
      return fields
  }
}

function withGetters(fields: Fields, get: (name: string) => unknown): object {
  const getters = Object.keys(fields).map((name) => [name, { get: () => get(name), enumerable: true }])
  return Object.defineProperties({}, Object.fromEntries(getters) as PropertyDescriptorMap)
}

function givenValue(value: unknown, manner: Manner | undefined): unknown {
  if (manner === 'class' && value instanceof Date) return new LocalDate(value)
  if (manner === 'class' && Decimal.isDecimal(value)) {
    const { d, e, s } = value
    return { d, e, s, toFixed: () => value.toFixed() }
  }
  if (manner === 'foreign' && value instanceof Date) return new realm.Date(+value)
  if (manner === 'jsonValues' && /^(string|number|boolean)$/.test(typeof value))
    return { toJSON: () => value }
  return copyOf(value)
}

/** Bytes and dates may change. */
function copyOf(value: unknown): unknown {
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? Buffer.from(value) : new Uint8Array(value)
  return value
}

/** Other values, which ids of rows have. */
const others: Readonly<Record<string, unknown>> = { number: 1, bigint: 1n, string: 'all', boolean: false }

function otherThan(value: unknown): unknown {
  return others[typeof value] ?? undefined
}

/** Replaces whatever arguments hold. */
export function change(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) change(item)
    value.length = 0
  } else if (value instanceof Date) {
    value.setTime(0)
  } else if (value instanceof Uint8Array) {
    value.fill(1)
  } else if (isPlain(value)) {
    for (const [key, inner] of Object.entries(value)) {
      change(inner)
      if (Object.hasOwn(others, typeof inner)) value[key] = otherThan(inner)
    }
  }
}

function isPlain(value: unknown): value is Fields {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isDecimal(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  )
}
