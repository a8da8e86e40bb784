import { jsonObjectIn } from './json-object.js'
import type { IdField, IdKind } from './key-space.js'
import { exactPartsOf, type KeyKind, unescapePart } from './lookup-key.js'
import type { RowId } from './row-id.js'

/** A field of an id, or of the key of a lookup. */
export interface TypedField {
  readonly name: string
  readonly kind: IdKind | KeyKind
}

/**
 * Reads the fields of an id or of a key from a text that a person has typed: the value itself if there is one field, otherwise JSON, such as
 * `{"auctionId":7,"place":2}`, with texts for what JSON has no values for.
 *
 * @returns undefined if the text says no value of the kinds
 */
export function fieldsOfText(
  fields: readonly TypedField[],
  text: string,
): Readonly<Record<string, unknown>> | undefined {
  const [first, ...others] = fields
  const texts: Readonly<Record<string, unknown>> | undefined =
    others.length === 0 ? { [first!.name]: text } : jsonObjectIn(text, asWritten)
  if (!texts) return undefined
  const values: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const part = texts[name]
    const isText = typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean'
    const value = isText ? readers[kind](String(part)) : undefined
    if (value === undefined) return undefined
    values[name] = value
  }
  return values
}

/** Returns the digits of a number, as JavaScript would round many of them, and another row would be named. */
function asWritten(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value
}

/** The text that {@link fieldsOfText} reads the id of a row from. */
export function textOfRowId(fields: readonly IdField[], rowId: RowId): string {
  const text = String(rowId)
  return textOfParts(fields, fields.length === 1 ? [text] : partsOf(text))
}

/** The text that {@link fieldsOfText} reads the key of an entry from. */
export function textOfKey(fields: readonly TypedField[], key: string): string {
  const exact = exactPartsOf(key)
  return textOfParts(fields, exact ?? partsOf(key))
}

const partsOf = (text: string): readonly string[] => text.split(':').map(unescapePart)

function textOfParts(fields: readonly TypedField[], parts: readonly string[]): string {
  if (fields.length === 1) return String(typedPart(fields[0]!.kind, parts[0]!))
  return JSON.stringify(
    Object.fromEntries(fields.map(({ kind, name }, i) => [name, typedPart(kind, parts[i]!)])),
  )
}

function typedPart(kind: TypedField['kind'], part: string): string | number {
  if (kind === 'date' || kind === 'day') return new Date(Number(part)).toISOString()
  return kind === 'number' ? Number(part) : part
}

/** How an id or a key of these fields is typed, for messages. */
export function typedForm(fields: readonly TypedField[]): string {
  const [first, ...others] = fields
  if (others.length === 0) return `a ${first!.kind}`
  return `JSON with ${fields.map(({ name, kind }) => `"${name}" (${kind})`).join(', ')}`
}

const itself = (text: string): string => text

/** Undefined for a text that says no value of the kind. What is read is checked again wherever it is used as an id or a key. */
const readers: Readonly<Record<IdKind | KeyKind, (text: string) => unknown>> = {
  string: itself,
  casedString: itself,
  uuid: itself,
  number: (text) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  bigint: (text) => (/^-?\d+n?$/.test(text) ? BigInt(text.replace('n', '')) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  date: dateOf,
  day: dateOf,
  decimal: decimalOf,
  bytes: (text) => (/^([\da-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : undefined),
}

function dateOf(text: string): Date | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Returns as much of a Decimal as a key needs. */
function decimalOf(text: string): { isFinite(): boolean; toFixed(): string } | undefined {
  const [, sign, whole, part = ''] = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const fixed = `${sign}${whole}${part === '' ? '' : `.${part}`}`
  return { isFinite: () => true, toFixed: () => fixed }
}
