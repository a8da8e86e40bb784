import fc from 'fast-check'
import { anyString, nastyStrings } from './nasty-strings.ts'

/** A change of a text; positions are taken modulo its length. */
export type Damage = (text: string) => string

/** Anywhere, and more often near the beginning, where heads are. */
const position = fc.oneof(fc.nat(), fc.nat(60))

/** One to three bits of the UTF-8 that a store holds. */
export const flippedBits: fc.Arbitrary<Damage> = fc
  .array(fc.oneof(fc.nat(), fc.nat(500)), { minLength: 1, maxLength: 3 })
  .map((bits) => shown(bits, (text) => flip(text, bits)))

function flip(text: string, bits: readonly number[]): string {
  const bytes = Buffer.from(text)
  for (const bit of bits) {
    const at = bit % (bytes.length * 8)
    bytes[at >> 3]! ^= 1 << (at & 7)
  }
  return bytes.toString()
}

/** What means something in JSON and in heads of lengths. */
const piece = fc.oneof(
  fc.constantFrom(...'[]{},:"\\!#-+.eE0123456789 \n\tno~\uFFFF\u0100'),
  fc.constantFrom('null', 'true', '""', '[]', '{}', '1e999', '-0', '9007199254740993', '"__proto__":'),
  fc.constantFrom(...nastyStrings),
)

const edit = fc.record({
  kind: fc.constantFrom('insert', 'replace', 'remove', 'repeat', 'count'),
  position,
  length: fc.integer({ min: 1, max: 12 }),
  piece,
})
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never

/** One to four edits without knowledge of the format. */
export const edits: fc.Arbitrary<Damage> = fc
  .array(edit, { minLength: 1, maxLength: 4 })
  .map((all) => shown(all, (text) => all.reduce(applyEdit, text)))

function applyEdit(text: string, { kind, position, length, piece }: Edit): string {
  const at = position % (text.length + 1)
  switch (kind) {
    case 'insert':
      return text.slice(0, at) + piece + text.slice(at)
    case 'replace':
      return text.slice(0, at) + piece + text.slice(at + piece.length)
    case 'remove':
      return text.slice(0, at) + text.slice(at + length)
    case 'repeat':
      return text.slice(0, at + length) + text.slice(at)
    default: {
      // Another digit, in whatever base it is written: the character a few places up or down.
      const code = Math.abs(text.charCodeAt(at % Math.max(1, text.length)) + (length - 6))
      return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
    }
  }
}

const forgedPath = fc.array(
  fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'length', 0, -1, null, [], {}),
    anyString,
  ),
  { maxLength: 4 },
)

/** Paths that lead out of a row, in front of it where the `json` format lists what JSON loses. */
export const forgedExceptions: fc.Arbitrary<Damage> = fc
  .array(fc.tuple(forgedPath, fc.constantFrom('undefined', '-0', 'null', 0, null)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((list) => shown(list, (text) => `!${JSON.stringify(list)}\n${text.replace(/^!.*\n/, '')}`))

/** In a counterexample a function is shown by what it was made from. */
function shown(data: unknown, damage: Damage): Damage {
  return Object.assign(damage, { [fc.toStringMethod]: () => fc.stringify(data) })
}
