/**
 * `JSON.parse` for text that `JSON.stringify` or fast-json-stringify wrote.
 *
 * Some versions of V8, those of Node 24 and 26 among them, take an escaped key for another one that they have met in the
 * same place. Keys with escapes are rare; where there is one, what was parsed is written again, and where it is not the same,
 * the text is parsed without V8 seeing a key.
 *
 * @see https://github.com/nodejs/node/issues/63785
 * @throws SyntaxError, TypeError
 */
export function parseJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json)
  return hasEscapedKey(json) && JSON.stringify(parsed) !== json ? new KeylessParser(json).parse() : parsed
}

/**
 * Parses text that is JSON, as `JSON.parse` has found before. Objects and arrays are walked here, so that V8 parses nothing but
 * the texts and numbers in them, a key as a text among others.
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
      // The colon.
      this.#at++
      const value = this.parse()
      // Defined, not set: `__proto__` is a key like others.
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

  /** The next character that is no space. */
  #next(): string {
    while (' \n\r\t'.includes(this.#json[this.#at]!)) this.#at++
    return this.#json[this.#at]!
  }

  /** The text, number or word that begins here. */
  #leaf(): string {
    const start = this.#at
    const rest = /[\s,:\]}]|$/g
    rest.lastIndex = start
    this.#at =
      this.#json[start] === '"' ? closingQuote(this.#json, start - 1) + 1 : rest.exec(this.#json)!.index
    return this.#json.slice(start, this.#at)
  }
}

/** Whether a text that ends behind an escape, in its own quotes, is followed by a colon. Looks at each escape once. */
function hasEscapedKey(json: string): boolean {
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at)) {
    const end = closingQuote(json, at)
    if (end < 0) return false
    if (json[end + 1] === ':') return true
    at = end + 1
  }
  return false
}

/** The quote that ends the text of which two characters, such as an escape, stand at this place; -1 when there is none. */
function closingQuote(json: string, escape: number): number {
  let quote = json.indexOf('"', escape + 2)
  let next = json.indexOf('\\', escape + 2)
  while (next >= 0 && next < quote) {
    // An escaped quote ends nothing. Only then is the next one looked for, so that each character is passed once.
    if (next + 1 === quote) quote = json.indexOf('"', quote + 1)
    next = json.indexOf('\\', next + 2)
  }
  return quote
}
