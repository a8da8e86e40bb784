/**
 * `JSON.parse` for JSON from `JSON.stringify` or fast-json-stringify.
 *
 * Some V8 versions, including those of Node 24 and 26, confuse an escaped key with another key seen in the same place. Keys
 * with escapes are rare. If there is one, the result is serialized again; if that differs from the input, the input is parsed
 * without passing keys to V8.
 *
 * @see https://github.com/nodejs/node/issues/63785
 * @throws SyntaxError, TypeError
 */
export function parseJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json)
  return hasEscapedKey(json) && JSON.stringify(parsed) !== json ? new KeylessParser(json).parse() : parsed
}

/**
 * Parses input that `JSON.parse` has accepted. This parser handles objects and arrays; V8 parses only the strings and numbers
 * in them, keys included.
 */
class KeylessParser {
  readonly #json: string
  #at = 0

  constructor(json: string) {
    this.#json = json
  }

  parse(): unknown {
    const first = this.#next()
    if (first === '{') return this.#object()
    return first === '[' ? this.#array() : JSON.parse(this.#leaf())
  }

  #object(): object {
    const object = {}
    this.#at++
    while (this.#next() !== '}') {
      const key = JSON.parse(this.#leaf()) as string
      this.#next()
      // Skips the colon.
      this.#at++
      const value = this.parse()
      // Defined, not assigned: `__proto__` is an ordinary key here.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
      if (this.#next() === ',') this.#at++
    }
    this.#at++
    return object
  }

  #array(): unknown[] {
    const array: unknown[] = []
    this.#at++
    while (this.#next() !== ']') {
      array.push(this.parse())
      if (this.#next() === ',') this.#at++
    }
    this.#at++
    return array
  }

  /** Returns the next character that is not white space. */
  #next(): string {
    while (' \n\r\t'.includes(this.#json[this.#at]!)) this.#at++
    return this.#json[this.#at]!
  }

  /** Returns the string, number or word that begins here. */
  #leaf(): string {
    const start = this.#at
    const rest = /[\s,\]}]/g
    rest.lastIndex = start
    this.#at =
      this.#json[start] === '"' ? closingQuote(this.#json, start - 1) + 1 : rest.exec(this.#json)!.index
    return this.#json.slice(start, this.#at)
  }
}

/** Whether any key of valid JSON contains an escape: whether a colon follows a string with an escape. Visits each escape once. */
function hasEscapedKey(json: string): boolean {
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at)) {
    const end = closingQuote(json, at)
    if (json[end + 1] === ':') return true
    at = end + 1
  }
  return false
}

/** Returns the index of the quote that ends the string around an escape at this index. */
function closingQuote(json: string, escape: number): number {
  let quote = json.indexOf('"', escape + 2)
  let next = json.indexOf('\\', escape + 2)
  while (next >= 0 && next < quote) {
    // An escaped quote does not end the string; search for the next one. Each character is passed once.
    if (next + 1 === quote) quote = json.indexOf('"', quote + 1)
    next = json.indexOf('\\', next + 2)
  }
  return quote
}
