import { maxJsonDepth } from '../plain-json.js'
import { integerOffset, zero } from './digits.js'
import type { JsonShape } from './json-shapes.js'
import { JsonShapes, makeObject } from './json-shapes.js'
import { jsonTags } from './json-tags.js'
import { WideTexts } from './wide-texts.js'

// Called without being looked up, as in the compiled reader. V8 knows a constant of this file, but not an imported one.
const { charCodeAt, substring } = String.prototype

/** Reads the values of `Json` fields that a JsonWriter has written. All methods throw when the text is not such. */
export class JsonReader {
  /** Where the next digits and texts stand; set by {@link read}. */
  head = 0
  body = 0
  readonly #known = new JsonShapes()
  /** The shapes of this record, and of those before it when these had more. */
  readonly #shapes: JsonShape[] = []
  #count = 0
  #wide = new WideTexts()

  /** Begins a record. */
  begin(wide: WideTexts): void {
    this.#count = 0
    this.#wide = wide
  }

  read(text: string, head: number, body: number): unknown {
    this.head = head
    this.body = body
    return this.readValue(text, maxJsonDepth)
  }

  /** @param depth how many levels may follow */
  readValue(text: string, depth: number): unknown {
    const tag = charCodeAt.call(text, this.head++) - zero
    if (tag < jsonTags.longText) return this.#takeText(text, tag)
    switch (tag) {
      case jsonTags.smallInteger:
        return this.#readTwo(text)
      case jsonTags.null:
        return null
      case jsonTags.false:
        return false
      case jsonTags.true:
        return true
      case jsonTags.shapedObject:
        return makeObject(this.#readShape(text), this, text, below(depth))
      case jsonTags.newShape:
        return makeObject(this.#readNewShape(text), this, text, below(depth))
      case jsonTags.array:
        return this.#readArray(text, below(depth))
      case jsonTags.longText:
        return this.#takeText(text, this.#readCount(text))
      case jsonTags.openObject:
        return this.#readOpenObject(text, below(depth))
      case jsonTags.integer:
        return this.#readInteger(text)
      case jsonTags.numberText:
        return this.#readNumberText(text)
      default:
        return refuse()
    }
  }

  #readArray(text: string, depth: number): unknown[] {
    const count = this.#readCount(text)
    // Each element has a digit at least: a damaged count must make no room for more.
    if (count > text.length - this.head) refuse()
    // Of the right length: an array that grows takes room for 16 elements more.
    const array = Array<unknown>(count)
    for (let i = 0; i < count; i++) array[i] = this.readValue(text, depth)
    return array
  }

  #readOpenObject(text: string, depth: number): object {
    const count = this.#readCount(text)
    const object: Record<string, unknown> = {}
    for (let i = 0; i < count; i++) {
      const key = this.readValue(text, depth)
      // Set, this key would change what the object is.
      if (typeof key !== 'string' || key === '__proto__') refuse()
      object[key] = this.readValue(text, depth)
    }
    return object
  }

  #readShape(text: string): JsonShape {
    const index = this.#readTwo(text)
    return index < this.#count ? this.#shapes[index]! : refuse()
  }

  #readNewShape(text: string): JsonShape {
    const length = this.#readTwo(text)
    const shape = this.#known.of(this.#takeText(text, length))
    return (this.#shapes[this.#count++] = shape)
  }

  #takeText(text: string, length: number): string {
    const start = this.body
    const wide = this.#wide
    if (start + length <= wide.next) return substring.call(text, start, (this.body += length))
    return wide.take(start, (this.body = wide.endOf(text, start, length)))
  }

  #readTwo(text: string): number {
    const at = this.head
    this.head = at + 2
    return (charCodeAt.call(text, at) << 6) + charCodeAt.call(text, at + 1) - zero * (2 ** 6 + 1)
  }

  #readCount(text: string): number {
    const at = this.head
    this.head = at + 3
    return (
      (charCodeAt.call(text, at) << 12) +
      (charCodeAt.call(text, at + 1) << 6) +
      charCodeAt.call(text, at + 2) -
      zero * (2 ** 12 + 2 ** 6 + 1)
    )
  }

  #readInteger(text: string): number {
    const upper = this.#readTwo(text)
    return upper * 2 ** 18 + this.#readCount(text) - integerOffset
  }

  #readNumberText(text: string): number {
    const length = charCodeAt.call(text, this.head++) - zero
    const value = +substring.call(text, this.body, (this.body += length))
    return Number.isFinite(value) ? value : refuse()
  }
}

/** The depth one level down. */
function below(depth: number): number {
  return depth < 0 ? refuse() : depth - 1
}

function refuse(): never {
  throw new TypeError('not the digits of JSON')
}
