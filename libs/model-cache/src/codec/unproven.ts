import type { CodecProofError } from '../errors.js'
import type { RowFunctions } from './codec.js'
import { undecodable } from './codec.js'
import type { Makers } from './first-use.js'
import { freezeDate } from './frozen-date.js'
import { isPlainObject } from './plain-object.js'

/**
 * What a codec does after its proof has failed: it writes no payload and reads none, and copies rows as they are, by their
 * values instead of the plan. A cache then loads every row from its source and stores none.
 */
export function unprovenFunctions<Row>(error: CodecProofError): Makers<RowFunctions<Row>> {
  const clone = copyOf as (row: Row) => Row
  const refuse = (): typeof undecodable => undecodable
  return {
    encode: () => () => {
      throw error
    },
    decode: () => refuse,
    decodeUtf8: () => refuse,
    clone: () => clone,
    cloneMany: () => (row, count) => Array.from({ length: count }, () => clone(row)),
    freeze: () => freezeAll as (row: Row) => Row,
    normalize: () => (row) => row,
  }
}

/** Copies containers, dates and bytes; instances of other classes, such as decimals, are immutable by contract. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyOf(entry)]))
}

/** Freezes containers and dates. */
function freezeAll(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Date) return freezeDate(value)
  if (!Array.isArray(value) && !isPlainObject(value)) return value
  for (const entry of Object.values(value)) freezeAll(entry)
  return Object.freeze(value)
}
