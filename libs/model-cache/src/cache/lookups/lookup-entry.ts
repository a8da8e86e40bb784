import { crc32 } from 'node:zlib'
import { undecodable, type Undecodable } from '../../codec/codec.js'
import type { IdField } from '../../protocol/index.js'
import type { RowCodec } from '../context.js'
import type { Matcher } from './matcher.js'

/** What a lookup caches for one key: the ids of its rows, in the database's order. */
export interface LookupEntry<Row> {
  /** The key as text; see {@link lookupKeyOf}. */
  readonly key: string
  /** The ids of the rows. The array is the entry's own: no caller can change it. */
  readonly ids: readonly unknown[]
  /** A digest of the values that order its rows; see {@link Matcher.orderDigestOf}. */
  readonly orderDigest: number
  /** The rows themselves: as they were loaded with the entry, or as they are delivered. Never stored. */
  readonly rows?: readonly Row[] | undefined
  /** Whether a later read of a loaded entry would find the same rows. */
  readonly isStorable?: boolean
  /** When the query of a loaded entry began, in milliseconds of `performance.now()`. */
  readonly loadedAtMs?: number
  /** Whether a loaded entry is from a standby, so that its rows may be older than what this region has written. */
  readonly mayLag?: boolean
}

/** Whether rows that were read by the ids of an entry still are what it stands for: each belongs to it, at the same place. */
export function areMembers<Row>(
  matcher: Matcher,
  { key, orderDigest }: LookupEntry<Row>,
  rows: readonly (Row | null | undefined)[],
): rows is readonly Row[] {
  for (let i = 0; i < rows.length; i++) {
    const fields = rows[i] as Readonly<Record<string, unknown>> | null | undefined
    if (!fields || !matcher.fulfils(fields)) return false
    if (matcher.rowsHoldKey && matcher.keyOf(fields) !== key) return false
  }
  return matcher.orderDigestOf(rows) === orderDigest
}

type Json = string | number

/**
 * Serializes the entries of one lookup: a check value, then a JSON array of the key, the digest of its order, and the id fields of each row.
 * The key shows an entry that was copied from another key. The check value shows a damaged one: of a list that is ordered by its ids, or
 * that is through a relation, the rows themselves do not show that one of them is another row.
 *
 * @param fingerprint of the lookup; see {@link LookupDescription.fingerprint}
 * @param isOrdered whether the ids have an order, or that in which the database has returned the rows
 */
export function createEntryCodec<Row>(
  fingerprint: string,
  id: readonly IdField[],
  isOrdered = true,
): RowCodec<LookupEntry<Row>> {
  const { toJson, toId } = idFormat(id)
  const decode = (bytes: Buffer, start: number): LookupEntry<Row> | Undecodable => {
    const from = start + checkLength
    try {
      const check = Number.parseInt(bytes.toString('latin1', start, from), 16)
      if (check !== crc32(bytes.subarray(from))) return undecodable
      const values = JSON.parse(bytes.toString('utf8', from)) as Json[]
      const [key, orderDigest] = values
      if (typeof key !== 'string' || typeof orderDigest !== 'number') return undecodable
      const ids: unknown[] = []
      for (let i = 2; i < values.length; i += id.length) ids.push(toId(values, i))
      return { key, orderDigest, ids }
    } catch {
      return undecodable
    }
  }
  const inAnyOrder = (payload: string): string => {
    const entry = decode(Buffer.from(payload), 0)
    if (entry === undecodable) return payload
    return JSON.stringify([entry.key, ...entry.ids.map((each) => JSON.stringify(toJson(each))).toSorted()])
  }
  const itself = (entry: LookupEntry<Row>): LookupEntry<Row> => entry
  return {
    fingerprint,
    encode: (entry) => {
      const text = JSON.stringify([entry!.key, entry!.orderDigest, ...entry!.ids.flatMap(toJson)])
      return crc32(text).toString(16).padStart(checkLength, '0') + text
    },
    decodeUtf8: (bytes, start = 0) => decode(bytes, start),
    // Entries are immutable.
    clone: itself,
    cloneMany: (entry, count) => Array.from({ length: count }, () => entry),
    freeze: itself,
    normalize: itself,
    ...(!isOrdered && { comparable: inAnyOrder }),
  }
}

/** Characters of 32 bits in hexadecimal. */
const checkLength = 8

/** How ids are written: one value for each id field. JSON has no bigints, so they are strings, and dates are numbers. */
function idFormat(id: readonly IdField[]): {
  toJson(this: void, id: unknown): readonly Json[]
  /** @throws TypeError if the values are not those of an id */
  toId(this: void, values: readonly Json[], at: number): unknown
} {
  const [first, ...others] = id
  if (others.length === 0) {
    return { toJson: (value) => [toJsonValue(value)], toId: (values, at) => toValue(first!, values[at]) }
  }
  return {
    toJson: (value) => id.map(({ name }) => toJsonValue((value as Record<string, unknown>)[name])),
    toId: (values, at) =>
      Object.fromEntries(id.map((field, i) => [field.name, toValue(field, values[at + i])])),
  }
}

function toJsonValue(value: unknown): Json {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Date ? value.getTime() : (value as Json)
}

function toValue({ kind }: IdField, json: Json | undefined): unknown {
  const isDate = kind === 'date' || kind === 'day'
  if (typeof json !== (isDate || kind === 'number' ? 'number' : 'string')) throw new TypeError('not an id')
  if (isDate) return new Date(json as number)
  return kind === 'bigint' ? BigInt(json as string) : json
}
