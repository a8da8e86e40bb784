import type { Exception } from './checker.js'

/** Puts what JSON loses, if anything, before the JSON of a row, unless its stringifier has done so. */
export function joinJsonText(exceptions: readonly Exception[] | null, json: string): string {
  return exceptions === null || json.startsWith('!') ? json : `!${JSON.stringify(exceptions)}\n${json}`
}

/**
 * Parses the text of the `json` format; scalars are still strings.
 *
 * ```
 * {"id":"…","endsAt":"2024-10-26T09:12:19.363Z"}        a row
 * null                                                   the sentinel of an absent row
 * undefined                                              the sentinel of undefined
 * ![[["note"],"undefined"],[["n"],"-0"]]⏎{"id":"…"}      a row with values that JSON loses, listed before it
 * ```
 *
 * @throws SyntaxError, TypeError when the text is damaged
 */
export function parseJsonText(text: string): unknown {
  if (text === 'undefined') return undefined
  return text.startsWith('!') ? parseWithExceptions(text) : JSON.parse(text)
}

function parseWithExceptions(text: string): unknown {
  const end = text.indexOf('\n')
  const exceptions = JSON.parse(text.slice(1, end)) as readonly Exception[]
  const root = { value: JSON.parse(text.slice(end + 1)) as unknown }
  for (const [path, kind] of exceptions) {
    const places = ['value', ...path]
    const last = places.pop()!
    // Throws, and so makes the text undecodable, when the place is not there.
    const parent = places.reduce<unknown>((at, place) => (at as Record<string, unknown>)[place], root)
    const value = (parent as Record<string, unknown>)[last]
    const restored = kind === 'undefined' ? undefined : typeof value === 'string' ? '-0' : -0
    // Defined, not assigned: a key of an open record may be `__proto__`.
    Object.defineProperty(parent, last, {
      value: restored,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return root.value
}
