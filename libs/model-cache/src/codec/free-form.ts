import { copyWith } from './copy-by-value.js'
import { isPlainObject } from './plain-object.js'
import { parseJson } from './parse-json.js'
import { maxJsonDepth } from './plain-json.js'
import { newDecimal, type Scalar, scalarNamed } from './scalars.js'
import type { DecimalConstructor, ScalarName } from './wire-plan.js'

/** Writes and reads values of which no schema is known: results of queries. */
export interface FreeForm {
  /**
   * Returns undefined for a value that would not be the same when it is read: an object of an unknown class, an invalid date, dates
   * beside texts in one place, or one that is nested too deeply.
   */
  write(value: unknown): string | undefined
  /** @throws TypeError, SyntaxError if {@link write} has not returned the text */
  read(text: string): unknown
  /** Returns a copy that shares no object with the value. */
  copy(value: unknown): unknown
}

/**
 * JSON, and beside it the places whose values JSON does not have as they are. The items of a list share their places, so that a thousand rows with a
 * date need one.
 *
 * @param Decimal the class of decimals. @default there are none
 */
export function createFreeForm(Decimal?: DecimalConstructor): FreeForm {
  const scalars = new Map<ScalarName, WrittenScalar>([['date', date]])
  for (const name of scalarNames) {
    const scalar = scalarNamed(name, Decimal)
    if (scalar) scalars.set(name, scalar)
  }
  return {
    write(value) {
      const place: Place = {}
      const plain = new Writer(scalars).write(value, place)
      return plain === unwritable ? undefined : JSON.stringify([listed(place) ?? null, plain])
    },
    read(text) {
      const [places, value] = parseJson(text) as [ListedPlace | null, unknown]
      return places === null ? value : restored(value, places, scalars)
    },
    copy: (value) =>
      copyWith(value, (other) => (Decimal?.isDecimal(other) ? newDecimal(Decimal, other as never) : other)),
  }
}

/** How values are written that JSON does not have: as texts, or as numbers. */
interface WrittenScalar extends Pick<Scalar, 'accepts' | 'isNegativeZero'> {
  toText(value: never): string | number
  fromText(text: never): unknown
}

/** Dates are written in milliseconds, which are read four times as fast as a text. */
const date: WrittenScalar = {
  accepts: scalarNamed('date')!.accepts,
  toText: (value: Date) => value.getTime(),
  fromText(ms: unknown) {
    if (!Number.isInteger(ms)) throw new TypeError('not a date')
    return new Date(ms as number)
  },
}

const scalarNames: readonly ScalarName[] = ['decimal', 'bigint', 'bytes']

/** What the values at one place of a value are. */
interface Place {
  scalar?: ScalarName | typeof oddNumber
  /** Whether JSON has some of them as they are: numbers aside. */
  hasPlain?: boolean
  hasNumbers?: boolean
  items?: Place
  fields?: Map<string, Place>
}

/** The name of numbers that JSON does not have, beside others. */
const oddNumber = 'number'

/** A place with scalars below it: their name; or the place of the items of a list, and those of fields. */
type ListedPlace =
  | ScalarName
  | typeof oddNumber
  | readonly [items: ListedPlace | null, fields: { readonly [name: string]: ListedPlace } | null]

const unwritable = Symbol('unwritable')

class Writer {
  readonly #scalars: ReadonlyMap<ScalarName, WrittenScalar>
  /** Levels of lists and objects that may follow. */
  #depth = maxJsonDepth

  constructor(scalars: ReadonlyMap<ScalarName, WrittenScalar>) {
    this.#scalars = scalars
  }

  /** Returns what JSON has of a value, and notes in its place what it is. */
  write(value: unknown, place: Place): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return this.#plain(value, place)
      case 'number':
        return this.#number(value, place)
      case 'bigint':
        return this.#scalar('bigint', value, place)
      case 'object':
        break
      default:
        return unwritable
    }
    if (value === null) return null
    if (Array.isArray(value) || isPlainObject(value)) return this.#nested(value, place)
    for (const [name, scalar] of this.#scalars)
      if (scalar.accepts(value)) return this.#scalar(name, value, place)
    return unwritable
  }

  #plain(value: unknown, place: Place): unknown {
    place.hasPlain = true
    return place.scalar ? unwritable : value
  }

  #number(value: number, place: Place): unknown {
    const { scalar } = place
    if (scalar !== undefined && scalar !== oddNumber) return unwritable
    place.hasNumbers = true
    if (Number.isFinite(value) && !Object.is(value, -0)) return value
    const { fields, hasPlain, items } = place
    if (hasPlain || items || fields) return unwritable
    place.scalar = oddNumber
    return Object.is(value, -0) ? '-0' : String(value)
  }

  #scalar(name: ScalarName, value: unknown, place: Place): unknown {
    const { fields, hasNumbers, hasPlain, items, scalar } = place
    if (hasPlain || hasNumbers || items || fields || (scalar !== undefined && scalar !== name))
      return unwritable
    place.scalar = name
    const { isNegativeZero, toText } = this.#scalars.get(name)!
    return isNegativeZero?.(value) ? unwritable : toText(value as never)
  }

  #nested(value: readonly unknown[] | Readonly<Record<string, unknown>>, place: Place): unknown {
    if (place.scalar || this.#depth === 0) return unwritable
    this.#depth--
    const written = Array.isArray(value)
      ? this.#items(value, (place.items ??= {}))
      : this.#fields(value as Readonly<Record<string, unknown>>, place)
    this.#depth++
    return written
  }

  #items(values: readonly unknown[], place: Place): unknown {
    const items: unknown[] = []
    for (let i = 0; i < values.length; i++) {
      const item = this.write(values[i], place)
      if (item === unwritable) return unwritable
      items.push(item)
    }
    return items
  }

  #fields(values: Readonly<Record<string, unknown>>, place: Place): unknown {
    const places = (place.fields ??= new Map<string, Place>())
    const fields: Record<string, unknown> = {}
    for (const name of Object.keys(values)) {
      // Assigned, it would be the prototype.
      if (name === '__proto__') return unwritable
      let of = places.get(name)
      if (!of) places.set(name, (of = {}))
      const field = this.write(values[name], of)
      if (field === unwritable) return unwritable
      fields[name] = field
    }
    return fields
  }
}

function listed({ fields, items, scalar }: Place): ListedPlace | undefined {
  if (scalar !== undefined) return scalar
  const ofItems = items && listed(items)
  const ofFields = [...(fields ?? [])].flatMap(([name, place]) => {
    const found = listed(place)
    return found === undefined ? [] : [[name, found] as const]
  })
  if (ofItems === undefined && ofFields.length === 0) return undefined
  return [ofItems ?? null, ofFields.length > 0 ? Object.fromEntries(ofFields) : null]
}

/** Restores scalars in what JSON has of a value. */
function restored(
  value: unknown,
  place: ListedPlace,
  scalars: ReadonlyMap<ScalarName, WrittenScalar>,
): unknown {
  if (value === null) return null
  if (place === oddNumber) return Number(value)
  if (typeof place === 'string') return scalars.get(place)!.fromText(value as never)
  if (typeof value !== 'object') return value
  const [items, fields] = place
  if (Array.isArray(value)) {
    if (items !== null) for (let i = 0; i < value.length; i++) value[i] = restored(value[i], items, scalars)
    return value
  }
  const object = value as Record<string, unknown>
  if (fields !== null)
    for (const name in fields)
      if (Object.hasOwn(object, name)) object[name] = restored(object[name], fields[name]!, scalars)
  return object
}
