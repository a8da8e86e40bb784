import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableList } from './readable-list.js'
import { equalTo, membersWithout, type RequestedKeys, valuesOfFields } from './requested-ids.js'
import { membersOfOperator, type WhereMember } from './where.js'

/** Reads the `where` of a list: values for each field of its key, its own conditions, and further ones. */
export function keysOfList(
  members: readonly WhereMember[],
  list: ReadableList,
): RequestedKeys | BypassReason {
  const rest = restOf(members, list)
  if (!rest) return 'condition'
  const { through } = list.lookup
  if (through === undefined) return keysIn(rest, list)
  const found = rest.find(({ name }) => name === through)
  const requested = found ? keysIn(membersOfOperator(found.condition, 'some') ?? [], list) : 'condition'
  if (typeof requested === 'string') return requested
  // Rows at the other side with other conditions are not those of the key; a row of several keys is found once.
  if (requested.others.length > 0 || requested.keys.length > 1) return 'condition'
  return { keys: requested.keys, others: membersWithout(rest, [found!]) }
}

function keysIn(members: readonly WhereMember[], list: ReadableList): RequestedKeys | BypassReason {
  const found = valuesOfFields(members, list.fields)
  if (found === undefined) return 'condition'
  if (typeof found === 'string') return found
  const distinct = new Map<string, CachedRow>()
  for (const key of found.keys) {
    const text = list.lookup.keyOf(key)
    if (text == null) return 'id_value'
    distinct.set(text, key)
  }
  return { keys: [...distinct.values()], others: found.others }
}

/** The conditions that are not those of the list; undefined if some of these are missing. */
export function restOf(
  members: readonly WhereMember[],
  { lookup }: ReadableList,
): readonly WhereMember[] | undefined {
  const used: WhereMember[] = []
  for (const name in lookup.where) {
    const found = members.find(
      (member) => member.name === name && isCondition(lookup.where[name], member.condition),
    )
    if (!found) return undefined
    used.push(found)
  }
  return membersWithout(members, used)
}

function isCondition(declared: unknown, given: unknown): boolean {
  return isSame(declared, isPlain(declared) ? given : equalTo(given))
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
