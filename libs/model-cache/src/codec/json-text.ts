import type { Exception } from './checker.js'
import { parseJson } from './parse-json.js'

/** Puts what JSON loses before the JSON of a row, unless its stringifier has done so. */
export function joinJsonText(exceptions: readonly Exception[], json: string): string {
  return json.startsWith('!') ? json : `!${JSON.stringify(exceptions)}\n${json}`
}

/**
 * Parses the text of the `json` format; scalars are still strings.
 *
 * ```
 * {"id":"…","endsAt":"2024-10-26T09:12:19.363Z"}        a row
 * null                                                   the sentinel of an absent row
 * undefined                                              the sentinel of undefined
 * ![[["note"],"undefined"],[["n"],"-0"]]⏎{"id":"…",…}    a row with values that JSON loses, listed before it; undefined as null
 * ```
 *
 * @throws SyntaxError, TypeError when the text is damaged
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
    // Defined, not assigned: a key of an open record may be `__proto__`.
    Object.defineProperty(parent, last, { value, writable: true, enumerable: true, configurable: true })
  }
  return root.value
}

/** Follows a path through a value's own properties alone; what is inherited belongs to everybody. */
function ownValue(parent: unknown, place: string | number): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, place)) {
    throw new TypeError('no such place')
  }
  return (parent as Record<string, unknown>)[place]
}

/** The list of what JSON lost, from the start of a text that has one. */
export function exceptionsOf(text: string): readonly Exception[] {
  return text.startsWith('!') ? (JSON.parse(text.slice(1, text.indexOf('\n'))) as readonly Exception[]) : []
}
