/**
 * `JSON.parse` for text that `JSON.stringify` or fast-json-stringify wrote.
 *
 * Some versions of V8, those of Node 24 and 26 among them, take an escaped key for another one that they have met in the
 * same place. Keys with escapes are rare; where there is one, what was parsed is written again and has to be the same.
 *
 * @see https://github.com/nodejs/node/issues/63785
 * @throws SyntaxError, TypeError
 */
export function parseJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json)
  if (hasEscapedKey(json) && JSON.stringify(parsed) !== json)
    throw new TypeError('an escaped key was misread')
  return parsed
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

/** The quote that ends the text in which there is an escape at this place; -1 when there is none. */
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
