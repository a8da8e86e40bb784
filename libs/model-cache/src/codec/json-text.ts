import type { Exception } from './checker.js'
import { parseJson } from './parse-json.js'

/** Prefixes the JSON of a row with the values that JSON loses, unless its stringifier has already done so. */
export function joinJsonText(exceptions: readonly Exception[], json: string): string {
  return json.startsWith('!') ? json : `!${JSON.stringify(exceptions)}\n${json}`
}

/**
 * Parses a payload in the `json` format; scalars are still strings.
 *
 * ```
 * {"id":"…","endsAt":"2024-10-26T09:12:19.363Z"}        a row
 * null                                                   null in place of a row
 * undefined                                              undefined in place of a row
 * ![[["note"],"undefined"],[["n"],"-0"]]⏎{"id":"…",…}    a row with values that JSON loses, listed first; undefined as null
 * ```
 *
 * @throws SyntaxError, TypeError if the payload is damaged
 */
export function parseJsonText(text: string): unknown {
  if (text === 'undefined') return undefined
  return text.startsWith('!') ? parseWithExceptions(text) : parseJson(text)
}

function parseWithExceptions(text: string): unknown {
  const end = text.indexOf('\n')
  const root = { value: parseJson(text.slice(end + 1)) }
  for (const [path, kind] of exceptionsOf(text)) {
    const places = ['value', ...path]
    const last = places.pop()!
    const parent = places.reduce<unknown>(ownValue, root)
    const value = kind === 'undefined' ? undefined : typeof ownValue(parent, last) === 'string' ? '-0' : -0
    // Defined, not assigned, since a key of an open record may be `__proto__`.
    Object.defineProperty(parent, last, { value, writable: true, enumerable: true, configurable: true })
  }
  return root.value
}

/** Reads an own property; a path must not reach inherited ones. */
function ownValue(parent: unknown, place: string | number): unknown {
  if (!Object.hasOwn(parent as object, place)) throw new TypeError('no such place')
  return (parent as Record<string, unknown>)[place]
}

/** Returns the list of values that JSON loses, from the start of the payload. */
export function exceptionsOf(text: string): readonly Exception[] {
  return text.startsWith('!') ? (JSON.parse(text.slice(1, text.indexOf('\n'))) as readonly Exception[]) : []
}
