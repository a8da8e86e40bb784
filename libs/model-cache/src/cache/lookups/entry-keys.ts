import {
  entryIdOf,
  exactKeyOf,
  expectedFields,
  expectedOf,
  guardOf,
  type KeySpace,
  keyTextOf,
  lookupKeyOf,
  type RowId,
  singleKeyOf,
} from '../../protocol/index.js'
import { InvalidIdError } from '../../errors.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { LookupEntry } from './lookup-entry.js'

export interface EntryKeys<Row> extends KeySpace<LookupEntry<Row>, unknown> {
  /** Whether equal keys have equal texts. Only the database knows which rows any other key has, so its entry is never stored. */
  isComparable(key: unknown): boolean
  /** The text of a key, which its entry has as well. */
  textOf(key: unknown): string
}

/**
 * The key space of the entries of a lookup, whose ids are the keys that callers give.
 *
 * @param cache the name of the cache, for messages
 */
export function createEntryKeys<Row, Id>(
  cache: string,
  lookup: BoundLookup,
  rows: KeySpace<Row, Id>,
): EntryKeys<Row> {
  const fields = lookup.description.key
  const valuesOf = lookup.isCompound
    ? (key: unknown) => (Object(key) as Fields | null) ?? {}
    : (key: unknown): Fields => ({ [fields[0]!.name]: key })
  const comparable = lookup.isCompound
    ? (key: unknown): string | undefined => lookupKeyOf(fields, valuesOf(key)) ?? undefined
    : (key: unknown): string | undefined => singleKeyOf(fields[0]!, key)
  const toText = (key: unknown): string => {
    const text = comparable(key)
    if (text !== undefined) return text
    const values = valuesOf(key)
    const exact = fields.map((field) => keyTextOf({ ...field, folds: false }, values[field.name]))
    if (!exact.includes(undefined)) return exactKeyOf(exact as string[])
    const expected = lookup.isCompound ? expectedFields(fields) : expectedOf(fields[0]!)
    throw new InvalidIdError(`${cache}.${lookup.name}`, expected, key, 'key')
  }
  const entryIdOfText = (text: string): RowId => entryIdOf(lookup.name, text)
  const keyOf = (rowId: RowId): string => rows.guardedKeyOf(rowId, '').key
  return {
    registerKey: rows.registerKey,
    channel: rows.channel,
    isComparable: (key) => comparable(key) !== undefined,
    textOf: toText,
    toRowId: (key) => entryIdOfText(toText(key)),
    snapshot: lookup.isCompound
      ? (key) => Object.fromEntries(fields.map(({ name }) => [name, copyOf((key as Fields)[name])]))
      : copyOf,
    rowIdOf: ({ key }) => entryIdOfText(key),
    isRow: ({ key }, rowId) => entryIdOfText(key) === rowId,
    keyOf,
    guardedKeyOf: (rowId) => {
      const key = keyOf(rowId)
      return { key, guard: guardOf(key) }
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Dates and bytes may be changed by the caller. */
function copyOf(value: unknown): unknown {
  if (value instanceof Date) return new Date(value)
  return value instanceof Uint8Array ? new Uint8Array(value) : value
}
