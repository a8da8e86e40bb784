import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type fc from 'fast-check'
import type { Codec } from 'model-cache/codec'

/** One promise of the codec, over everything that an arbitrary can think of. */
export interface CodecProperty {
  /** A sentence in the present tense. */
  readonly name: string
  readonly property: fc.IRawProperty<unknown>
  /** How often `npm test` tries it; fuzzing goes on. */
  readonly runs: number
}

export type AnyCodec = Codec<unknown>

/** What a socket makes of a text: UTF-8 and back. */
export function throughSocket(text: string): string {
  return Buffer.from(text).toString()
}

/** Reads a text as it comes from a store: as bytes, behind something else. */
export function decodeArrived(codec: AnyCodec, text: string): unknown {
  const bytes = Buffer.from(`1;é;${text}`)
  return codec.decodeUtf8(bytes, 5)
}

/**
 * Node's own equality, which distinguishes -0 from 0, a missing key from undefined, and one class from another. Jest's
 * reads `constructor` and `toJSON` of values, which are data here.
 */
export function assertSame(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) assert.deepStrictEqual(actual, expected, what)
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Date.prototype]
const shapeOf = (prototype: object) => Object.getOwnPropertyDescriptors(prototype)
const untouched = prototypes.map(shapeOf)

/** Whatever was read, the rest of the process does not notice. */
export function assertPrototypesUntouched(): void {
  prototypes.forEach((prototype, i) => {
    if (isDeepStrictEqual(shapeOf(prototype), untouched[i])) return
    // Mended, so that what follows is not the next failure.
    for (const key of Reflect.ownKeys(prototype)) {
      if (!Object.hasOwn(untouched[i]!, key)) Reflect.deleteProperty(prototype, key)
    }
    Object.defineProperties(prototype, untouched[i] as PropertyDescriptorMap)
    assert.fail('a prototype of the process was changed')
  })
}
