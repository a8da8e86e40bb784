import { maxJsonDepth } from '../plain-json.js'
import { integerOffset, lengthDigits, maxLength, zero } from './digits.js'
import { jsonTags, maxShapes, smallIntegers } from './json-tags.js'
import { KeyTrie } from './key-trie.js'

/** Returned instead of an end offset for a value that is not plain JSON or does not fit into a record. */
export const unwritable = -1

/**
 * Writes the values of `Json` fields. The first object of a record with a key list writes the list, later ones its number. The
 * output depends on this record alone, not on earlier ones. See {@link jsonTags}.
 */
export class JsonWriter {
  readonly #lists = new KeyTrie()
  #bytes: Uint8Array = new Uint8Array()
  #texts = ''
  #shapes = 0
  #record = 0

  /**
   * Starts a record, whose head is written to these bytes.
   *
   * @returns false if Object.prototype has enumerable keys or `toJSON`, so that objects cannot be written safely
   */
  begin(bytes: Uint8Array): boolean {
    this.#lists.prune()
    this.#bytes = bytes
    this.#shapes = 0
    this.#record++
    for (const inherited in Object.prototype) return false
    return !('toJSON' in Object.prototype)
  }

  /** Writes a value and returns the end of its digits, or {@link unwritable}. {@link takeTexts} then returns its strings. */
  write(value: unknown, end: number): number {
    this.#texts = ''
    const written = this.#writeValue(value, end, maxJsonDepth)
    // Nobody takes those of a refused value, and they may be long.
    if (written === unwritable) this.#texts = ''
    return written
  }

  takeTexts(): string {
    const texts = this.#texts
    this.#texts = ''
    return texts
  }

  /** @param depth number of levels that may follow */
  #writeValue(value: unknown, end: number, depth: number): number {
    const bytes = this.#bytes
    // Not a switch, for which V8 looks up the name of the type.
    if (typeof value === 'string') {
      if (value.length < jsonTags.longText) bytes[end++] = value.length + zero
      else {
        if (value.length > maxLength) return unwritable
        end = this.#writeCount(jsonTags.longText, value.length, end)
      }
      this.#texts += value
      return end
    }
    if (typeof value === 'number') return this.#writeNumber(value, end)
    if (typeof value === 'boolean') {
      bytes[end] = (value ? jsonTags.true : jsonTags.false) + zero
      return end + 1
    }
    if (value === null) {
      bytes[end] = jsonTags.null + zero
      return end + 1
    }
    if (typeof value !== 'object' || depth === 0) return unwritable
    if (Array.isArray(value)) return this.#writeArray(value, end, depth)
    return isShapable(value) ? this.#writeObject(value, end, depth) : unwritable
  }

  #writeNumber(value: number, end: number): number {
    const bytes = this.#bytes
    if ((value | 0) === value && value >= -integerOffset && value < integerOffset) {
      if (value >= 0 && value < smallIntegers) {
        if (value === 0 && 1 / value < 0) return unwritable
        return this.#writeTwo(jsonTags.smallInteger, value, end)
      }
      const shifted = value + integerOffset
      bytes[end++] = jsonTags.integer + zero
      for (let shift = 24; shift >= 0; shift -= 6) bytes[end++] = ((shifted >> shift) & 63) + zero
      return end
    }
    if (!Number.isFinite(value)) return unwritable
    const text = String(value)
    bytes[end] = jsonTags.numberText + zero
    bytes[end + 1] = text.length + zero
    this.#texts += text
    return end + 2
  }

  #writeArray(array: readonly unknown[], end: number, depth: number): number {
    if (array.length > maxLength) return unwritable
    end = this.#writeCount(jsonTags.array, array.length, end)
    for (let i = 0; i < array.length; i++) {
      end = this.#writeValue(array[i], end, depth - 1)
      if (end === unwritable) return unwritable
    }
    return end
  }

  #writeObject(object: Readonly<Record<string, unknown>>, end: number, depth: number): number {
    const list = this.#lists.find(object)
    if (list === undefined) return this.#writeOpenObject(object, end, depth)
    if (list.record === this.#record) end = this.#writeTwo(jsonTags.shapedObject, list.index, end)
    else {
      if (this.#shapes === maxShapes) return this.#writeOpenObject(object, end, depth)
      list.record = this.#record
      list.index = this.#shapes++
      end = this.#writeTwo(jsonTags.newShape, list.text.length, end)
      this.#texts += list.text
    }
    for (const key in object) {
      end = this.#writeValue(object[key], end, depth - 1)
      if (end === unwritable) return unwritable
    }
    return end
  }

  #writeOpenObject(object: Readonly<Record<string, unknown>>, end: number, depth: number): number {
    const keys = Object.keys(object)
    if (keys.length > maxLength) return unwritable
    end = this.#writeCount(jsonTags.openObject, keys.length, end)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!
      if (key === '__proto__') return unwritable
      end = this.#writeValue(key, end, depth)
      if (end === unwritable) return unwritable
      end = this.#writeValue(object[key], end, depth - 1)
      if (end === unwritable) return unwritable
    }
    return end
  }

  #writeTwo(tag: number, value: number, end: number): number {
    const bytes = this.#bytes
    bytes[end] = tag + zero
    bytes[end + 1] = (value >> 6) + zero
    bytes[end + 2] = (value & 63) + zero
    return end + 3
  }

  #writeCount(tag: number, count: number, end: number): number {
    const bytes = this.#bytes
    bytes[end] = tag + zero
    bytes[end + 1] = (count >> 12) + zero
    bytes[end + 2] = ((count >> 6) & 63) + zero
    bytes[end + 3] = (count & 63) + zero
    return end + 1 + lengthDigits
  }
}

/**
 * Whether this is a plain object of this realm; the json format handles others. An own `toJSON` is an ordinary key, and a
 * record holds no functions.
 */
function isShapable(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
