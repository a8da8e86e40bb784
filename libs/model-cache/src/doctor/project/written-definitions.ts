import { literalIn, objectAt, type WrittenObject } from './object-literal.js'
import { behindTypes, closingOf, isAcknowledged, placeOf, type SourceCode } from './source-code.js'

/** A definition of a cache, as it is written. */
export interface WrittenDefinition {
  readonly place: string
  readonly file: SourceCode
  /** Undefined if it is not written out. */
  readonly model: string | undefined
  readonly name: string | undefined
  readonly options: WrittenObject
  /** Whether its rows are derived from the Prisma schema. */
  readonly isDerived: boolean
  /** Whether a comment says that its findings are known. */
  readonly isAcknowledged: boolean
}

/** Finds the calls of `defineModelCache`. */
export function findDefinitions(files: readonly SourceCode[]): WrittenDefinition[] {
  return files.flatMap((file) =>
    Array.from(file.code.matchAll(/(?<!function\s+)\bdefineModelCache\b/g)).flatMap(
      ({ index, 0: { length } }) => definitionAt(file, index, index + length) ?? [],
    ),
  )
}

function definitionAt(file: SourceCode, index: number, behindName: number): WrittenDefinition | undefined {
  const { code, text } = file
  let open = behindTypes(code, behindName)
  if (code[open] !== '(') return undefined
  const isByHand = code.slice(open + 1, closingOf(code, open)).trim() === ''
  if (isByHand) open = closingOf(code, open) + 1
  if (code[open] !== '(') return undefined
  const brace = code.indexOf('{', open)
  if (brace < 0 || brace > closingOf(code, open)) return undefined
  const options = objectAt(file, brace)
  const { properties } = options
  const given = isByHand ? properties.get('model')?.text : text.slice(open + 1, brace).trim()
  const model = literalIn(given)
  const name = properties.has('name') ? literalIn(properties.get('name')!.text) : model
  return {
    place: placeOf(file, index),
    file,
    model: typeof model === 'string' ? model : undefined,
    name: typeof name === 'string' ? name : undefined,
    options,
    isDerived: !isByHand && !properties.has('schema'),
    isAcknowledged: isAcknowledged(file, index),
  }
}
