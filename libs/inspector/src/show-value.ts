import type { ShownValue } from './row-report.js'

/** Characters of a shown value; longer ones are cut. */
const MAX_CHARACTERS = 2_000
/** Fields and elements of a nested value, over all of its levels. */
const MAX_FIELDS = 200
/** Levels of a nested value. */
const MAX_DEPTH = 32
/** Bytes of a shown value; its length is shown besides. */
const MAX_BYTES = 32
const UNREADABLE = '(cannot be read)'

/**
 * Returns a value of a row as text: an ISO date, digits, a length with the first bytes in hex, JSON for objects and arrays. Text is cut
 * at 2,000 characters, and nested values after 200 fields, before more of them is looked at. Never throws.
 */
export function shownValue(value: unknown): ShownValue {
  if (value === undefined) return { kind: 'absent' }
  const type = typeOf(value)
  if (type === 'object' || type === 'array') {
    const json = new JsonText()
    json.write(value, 0)
    return shownText(type, json.text, json.isCut)
  }
  return shownText(type, plainText(value), value instanceof Uint8Array && value.length > MAX_BYTES)
}

/** Returns what is shown of a value that must not be: its type. */
export function maskedValue(value: unknown): ShownValue {
  return value === undefined ? { kind: 'absent' } : { kind: 'masked', type: typeOf(value) }
}

function shownText(type: string, text: string, isCut: boolean): ShownValue {
  if (text.length <= MAX_CHARACTERS) return { kind: 'text', type, text, isCut }
  // Not between the two halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(MAX_CHARACTERS - 1)) ? MAX_CHARACTERS - 1 : MAX_CHARACTERS
  return { kind: 'text', type, text: text.slice(0, end), isCut: true }
}

function typeOf(value: unknown): string {
  if (typeof value !== 'object') return typeof value
  if (value === null) return 'null'
  return orElse('object', () => {
    if (value instanceof Date) return 'date'
    if (value instanceof Uint8Array) return 'bytes'
    if (Array.isArray(value)) return 'array'
    return isDecimal(value) ? 'decimal' : 'object'
  })
}

/** Returns the text of a value that is neither an object nor an array. */
function plainText(value: unknown): string {
  return orElse(UNREADABLE, () => {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
    if (value instanceof Uint8Array) return bytesText(value)
    return Object.is(value, -0) ? '-0' : String(value)
  })
}

function bytesText(value: Uint8Array): string {
  const first = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, MAX_BYTES))
  return `${value.byteLength} bytes: ${first.toString('hex')}`
}

/** Recognizes decimals by the methods of decimal.js, of which an application may have several copies. */
function isDecimal(value: object): boolean {
  const { toFixed, isFinite } = value as { toFixed?: unknown; isFinite?: unknown }
  return typeof toFixed === 'function' && typeof isFinite === 'function'
}

/** Returns the keys of an object or array, at most one more than are shown. */
function keysOf(value: object): string[] {
  const some = (keys: readonly (string | number)[]) => keys.slice(0, MAX_FIELDS + 1).map(String)
  return orElse([], () =>
    Array.isArray(value) ? some([...value.slice(0, MAX_FIELDS + 1).keys()]) : some(Object.keys(value)),
  )
}

function valueAt(value: object, key: string): unknown {
  return orElse(UNREADABLE, () => (value as Record<string, unknown>)[key])
}

/** Code of the application runs when a value is read: getters, proxies, methods of classes. */
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read()
  } catch {
    return fallback
  }
}

/** Writes a nested value until it is long enough. JSON.stringify reads all of it first, and throws for cycles. */
class JsonText {
  text = ''
  isCut = false
  #fields = 0
  readonly #within = new Set<object>()

  write(value: unknown, depth: number): void {
    const type = typeOf(value)
    if (type === 'object' || type === 'array') this.#writeNested(value as object, type, depth)
    else if (type === 'number' || type === 'boolean' || type === 'null') this.text += plainText(value)
    else this.#writeText(plainText(value))
  }

  #writeNested(value: object, type: string, depth: number): void {
    if (this.#within.has(value) || depth === MAX_DEPTH) {
      this.isCut = true
      this.#writeText(depth === MAX_DEPTH ? '(nested too deeply)' : '(contains itself)')
      return
    }
    this.#within.add(value)
    this.text += type === 'array' ? '[' : '{'
    const keys = keysOf(value)
    for (const [i, key] of keys.entries()) {
      if (this.#isFull) break
      this.#fields++
      if (i > 0) this.text += ','
      if (type === 'object') {
        this.#writeText(key)
        this.text += ':'
      }
      this.write(valueAt(value, key), depth + 1)
    }
    this.text += type === 'array' ? ']' : '}'
    this.#within.delete(value)
  }

  /** Whether anything further is left out. */
  get #isFull(): boolean {
    this.isCut ||= this.#fields >= MAX_FIELDS || this.text.length > MAX_CHARACTERS
    return this.isCut
  }

  #writeText(text: string): void {
    this.text += JSON.stringify(text.slice(0, MAX_CHARACTERS))
  }
}
