import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableList } from './readable-list.js'
import { equalTo } from './requested-ids.js'

/** Reads the `where` of a list: a value for each field of its key, and exactly its own conditions. */
export function keyOfList(where: unknown, list: ReadableList): CachedRow | BypassReason {
  if (!isPlain(where)) return 'condition'
  const { conditions, fields, lookup } = list
  let count = 0
  for (const _ in where) count++
  if (count !== conditions) return 'condition'
  for (const name in lookup.where) {
    if (!Object.hasOwn(where, name) || !isSame(lookup.where[name], equalTo(where[name]))) return 'condition'
  }
  const key: Record<string, unknown> = {}
  for (const { name, read } of fields) {
    if (!Object.hasOwn(where, name)) return 'condition'
    const value = equalTo(where[name])
    if (isPlain(value)) return 'condition'
    key[name] = read(value)
  }
  // Also where a value is undefined.
  return lookup.keyOf(key) == null ? 'id_value' : key
}

/** Whether two conditions are written in the same way, up to the order in which the properties and `in` name their values. */
function isSame(declared: unknown, given: unknown): boolean {
  if (Object.is(declared, given)) return true
  if (Array.isArray(declared) && Array.isArray(given)) {
    return areSame(declared, given) && areSame(given, declared)
  }
  if (declared instanceof Date) return given instanceof Date && declared.getTime() === given.getTime()
  if (!isPlain(declared) || !isPlain(given)) return false
  const names = Object.keys(declared)
  return (
    names.length === Object.keys(given).length &&
    names.every((name) => Object.hasOwn(given, name) && isSame(declared[name], given[name]))
  )
}

function areSame(ones: readonly unknown[], others: readonly unknown[]): boolean {
  return ones.every((one) => others.some((other) => isSame(one, other)))
}
