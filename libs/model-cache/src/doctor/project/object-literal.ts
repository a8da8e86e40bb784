import { closingOf, type SourceCode } from './source-code.js'

/** A property of an object literal, as it is written. */
export interface WrittenProperty {
  /** The value; that of a shorthand is its name. */
  readonly text: string
  /** Where the value begins. */
  readonly at: number
}

/** An object literal, as it is written. */
export interface WrittenObject {
  readonly properties: ReadonlyMap<string, WrittenProperty>
  /** Whether it spreads others, so that it may have more properties. */
  readonly isOpen: boolean
}

/** Reads the object literal whose brace is at a place. */
export function objectAt({ code, text }: SourceCode, open: number): WrittenObject {
  const end = closingOf(code, open)
  const properties = new Map<string, WrittenProperty>()
  let isOpen = false
  for (const [from, to] of partsOf(code, open + 1, end)) {
    const part = code.slice(from, to)
    const start = from + part.length - part.trimStart().length
    // The name of a property may be a string, whose content is blank in the code.
    const [head, quoted, plain] = /^(?:['"]([^'"]+)['"]|(\w+))/.exec(text.slice(start, to)) ?? []
    const name = quoted ?? plain
    if (part.trimStart().startsWith('...')) isOpen = true
    if (name === undefined) continue
    const colon = /^\s*:\s*/.exec(code.slice(start + head!.length, to))
    const at = colon ? start + head!.length + colon[0].length : start
    properties.set(name, { text: text.slice(at, to).trim(), at })
  }
  return { properties, isOpen }
}

/** The places between the commas of this level. */
function* partsOf(code: string, from: number, to: number): Generator<[from: number, to: number]> {
  let start = from
  for (let i = from; i < to; i++) {
    if (code[i] === ',') {
      yield [start, i]
      start = i + 1
    } else if ('([{'.includes(code[i]!)) i = closingOf(code, i)
  }
  if (code.slice(start, to).trim() !== '') yield [start, to]
}

/** The value of a string or a number that is written out; undefined for anything else. */
export function literalIn(text: string | undefined): string | number | undefined {
  const [, quoted] =
    /^(?:'([^'\\]*)'|"([^"\\]*)"|`([^`\\$]*)`)/.exec(text ?? '')?.filter((x) => x !== undefined) ?? []
  if (quoted !== undefined) return quoted
  return /^[\d_.]+$/.test(text ?? '') ? Number(text!.replaceAll('_', '')) : undefined
}
