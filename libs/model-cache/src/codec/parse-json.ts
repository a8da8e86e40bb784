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
  if (json.includes('\\') && escapedKey.test(json) && JSON.stringify(parsed) !== json) {
    throw new TypeError('an escaped key was misread')
  }
  return parsed
}

const escapedKey = /\\[^"]*"\s*:/
