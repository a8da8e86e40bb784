import { maxJsonDepth } from '../plain-json.js'
import { integerOffset, zero } from './digits.js'
import type { JsonShape } from './json-shapes.js'
import { JsonShapes, makeObject } from './json-shapes.js'
import { jsonTags } from './json-tags.js'
import { WideTexts } from './wide-texts.js'

// Called without a property lookup, as in the compiled reader.
const { substring } = String.prototype

// V8 embeds constants of this module, but not imported ones.
const zeroDigit = zero
const twoZeros = zero * (2 ** 6 + 1)
const threeZeros = zero * (2 ** 12 + 2 ** 6 + 1)

const none = Buffer.alloc(0)

/** Reads the values of `Json` fields that a JsonWriter wrote. All methods throw for other input. */
export class JsonReader {
  /** Offsets of the next digits and strings; set by {@link read}. */
  head = 0
  body = 0
  readonly #known = new JsonShapes()
  /** Shapes of this record; entries from `#count` on are left from earlier records. */
  readonly #shapes: JsonShape[] = []
  #count = 0
  #bytes: Uint8Array = none
  /** How many elements the arrays of this record may still have. */
  #elements = 0
  #wide = new WideTexts()

  /** Starts a record. */
  begin(bytes: Uint8Array, headEnd: number, wide: WideTexts): void {
    this.#count = 0
    this.#bytes = bytes
    this.#elements = headEnd
    this.#wide = wide
  }

  /** Lets go of the bytes of the record. */
  end(): void {
    this.#bytes = none
  }

  read(text: string, head: number, body: number): unknown {
    this.head = head
    this.body = body
    return this.readValue(text, maxJsonDepth)
  }

  /** @param depth number of levels that may follow */
  readValue(text: string, depth: number): unknown {
    const tag = this.#bytes[this.head++]! - zeroDigit
    if (tag < jsonTags.longText) return this.#takeText(text, tag)
    switch (tag) {
      case jsonTags.smallInteger:
        return this.#readTwo()
      case jsonTags.null:
        return null
      case jsonTags.false:
        return false
      case jsonTags.true:
        return true
      case jsonTags.shapedObject:
        return makeObject(this.#readShape(), this, text, below(depth))
      case jsonTags.newShape:
        return makeObject(this.#readNewShape(text), this, text, below(depth))
      case jsonTags.array:
        return this.#readArray(text, below(depth))
      case jsonTags.longText:
        return this.#takeText(text, this.#readCount())
      case jsonTags.openObject:
        return this.#readOpenObject(text, below(depth))
      case jsonTags.integer:
        return this.#readInteger()
      case jsonTags.numberText:
        return this.#readNumberText(text)
      default:
        return refuse()
    }
  }

  #readArray(text: string, depth: number): unknown[] {
    const count = this.#readCount()
    // Each element has at least one digit, so damaged counts cannot allocate more than that: all of them together, as arrays nest.
    if ((this.#elements -= count) < 0) refuse()
    // Preallocated: a growing array reserves 16 more elements.
    const array = Array<unknown>(count)
    for (let i = 0; i < count; i++) array[i] = this.readValue(text, depth)
    return array
  }

  #readOpenObject(text: string, depth: number): object {
    const count = this.#readCount()
    const object: Record<string, unknown> = {}
    for (let i = 0; i < count; i++) {
      const key = this.readValue(text, depth)
      // Assigning this key would replace the prototype.
      if (typeof key !== 'string' || key === '__proto__') refuse()
      object[key] = this.readValue(text, depth)
    }
    return object
  }

  #readShape(): JsonShape {
    const index = this.#readTwo()
    return index < this.#count ? this.#shapes[index]! : refuse()
  }

  #readNewShape(text: string): JsonShape {
    const length = this.#readTwo()
    const shape = this.#known.of(this.#takeText(text, length))
    return (this.#shapes[this.#count++] = shape)
  }

  #takeText(text: string, length: number): string {
    const start = this.body
    const wide = this.#wide
    if (start + length <= wide.next) return substring.call(text, start, (this.body += length))
    return wide.take(start, (this.body = wide.endOf(text, start, length)))
  }

  #readTwo(): number {
    const at = this.head
    this.head = at + 2
    const bytes = this.#bytes
    return (bytes[at]! << 6) + bytes[at + 1]! - twoZeros
  }

  #readCount(): number {
    const at = this.head
    this.head = at + 3
    const bytes = this.#bytes
    return (bytes[at]! << 12) + (bytes[at + 1]! << 6) + bytes[at + 2]! - threeZeros
  }

  #readInteger(): number {
    const upper = this.#readTwo()
    return upper * 2 ** 18 + this.#readCount() - integerOffset
  }

  #readNumberText(text: string): number {
    const length = this.#bytes[this.head++]! - zeroDigit
    const value = +substring.call(text, this.body, (this.body += length))
    return Number.isFinite(value) ? value : refuse()
  }
}

/** Returns the depth one level down. */
function below(depth: number): number {
  return depth === 0 ? refuse() : depth - 1
}

function refuse(): never {
  throw new TypeError('not the digits of JSON')
}
