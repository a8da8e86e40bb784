import type { ConfigurationError } from '../errors.js'
import { copyByValue } from './copy-by-value.js'
import type { RowFunctions } from './codec.js'
import { undecodable } from './codec.js'
import type { Makers } from './first-use.js'
import { freezeDate } from './frozen-date.js'
import { isPlainObject } from './plain-object.js'

/**
 * What a codec does after its proof has failed: it writes no payload and reads none, and copies rows as they are, by their
 * values instead of the plan. A cache then loads every row from its source and stores none.
 */
export function unprovenFunctions<Row>(error: ConfigurationError): Makers<RowFunctions<Row>> {
  const refuse = (): typeof undecodable => undecodable
  return {
    encode: () => () => {
      throw error
    },
    decode: () => refuse,
    decodeUtf8: () => refuse,
    clone: () => copyByValue,
    cloneMany: () => (row, count) => Array.from({ length: count }, () => copyByValue(row)),
    freeze: () => freezeAll as (row: Row) => Row,
    normalize: () => (row) => row,
  }
}

/** Freezes containers and dates. */
function freezeAll(value: unknown): unknown {
  // What is no object is frozen, too.
  if (Object.isFrozen(value)) return value
  if (value instanceof Date) return freezeDate(value)
  if (!Array.isArray(value) && !isPlainObject(value)) return value
  for (const entry of Object.values(value)) freezeAll(entry)
  return Object.freeze(value)
}
