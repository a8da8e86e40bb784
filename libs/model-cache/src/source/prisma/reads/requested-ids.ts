import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableKey } from './readable-key.js'
import { membersOf, type WhereMember } from './where.js'

/** What a `where` requests. */
export interface RequestedRows {
  /** The ids that it names, each once, in their order. */
  readonly ids: readonly unknown[]
  /** The other conditions of the query. */
  readonly others: readonly WhereMember[]
}

type Requested<Found> = Found | BypassReason
type Where = Readonly<Record<string, unknown>>

/** Reads the `where` of findUnique: `{ id }`, or `{ orgId_slug: { orgId, slug } }`, and further conditions. */
export function idOfUnique(members: readonly WhereMember[], key: ReadableKey): Requested<RequestedRows> {
  const { fields, names } = key
  const [{ name: field, read }] = fields as [ReadableKey['fields'][number]]
  const isNamed = (name: string): boolean => (fields.length === 1 ? name === field : names.has(name))
  const found = members.find(({ isOutermost, name }) => isOutermost && isNamed(name))
  if (!found) return 'condition'
  const { condition } = found
  if (fields.length > 1 && !isPlain(condition)) return 'id_value'
  const id = fields.length === 1 ? read(condition) : compoundIdOf(condition as Where, key)
  return distinct([id], key, membersWithout(members, [found]))
}

/** Reads the `where` of findFirst and findMany: also `{ equals }`, `{ in }`, `OR` of ids, and further conditions. */
export function idsOf(members: readonly WhereMember[], key: ReadableKey): Requested<RequestedRows> {
  return key.fields.length === 1 ? idsOfField(members, key) : idsOfFields(members, key)
}

function idsOfField(members: readonly WhereMember[], key: ReadableKey): Requested<RequestedRows> {
  const [{ name, read }] = key.fields as [ReadableKey['fields'][number]]
  for (const member of members) {
    if (member.name !== name) continue
    const values = valuesOf(member.condition)
    if (values === undefined) continue
    if (typeof values === 'string') return values
    if (values.length > key.maxKeys) return 'too_many_ids'
    // `Array.from` reads the holes of a sparse list as well.
    return distinct(Array.from(values, read), key, membersWithout(members, [member]))
  }
  return idsOfAny(members, key)
}

/** The values of `x`, `{ equals: x }` and `{ in: [x] }`; undefined for other conditions. */
export function valuesOf(condition: unknown): Requested<readonly unknown[]> | undefined {
  if (!isPlain(condition)) return [condition]
  const [operator, ...others] = Object.keys(condition)
  if (others.length > 0) return undefined
  if (operator === 'equals') return [condition['equals']]
  if (operator !== 'in') return undefined
  const values: unknown = condition['in']
  return Array.isArray(values) ? values : 'id_value'
}

/** Keys of several fields, one of which may have several values. */
function idsOfFields(members: readonly WhereMember[], key: ReadableKey): Requested<RequestedRows> {
  const found = valuesOfFields(members, key.fields)
  if (found === undefined) return idsOfAny(members, key)
  if (typeof found === 'string') return found
  return found.keys.length > key.maxKeys ? 'too_many_ids' : distinct(found.keys, key, found.others)
}

export interface RequestedKeys {
  /** Objects of the fields. */
  readonly keys: readonly CachedRow[]
  readonly others: readonly WhereMember[]
}

/** The values that conditions have for each of these fields, of which one may have several; undefined if some have none. */
export function valuesOfFields(
  members: readonly WhereMember[],
  fields: ReadableKey['fields'],
): Requested<RequestedKeys> | undefined {
  const used: WhereMember[] = []
  let keys: readonly CachedRow[] = [{}]
  let hasSeveral = false
  for (const { name, read, takesLists } of fields) {
    const found = members.find((member) => member.name === name && valuesOf(member.condition) !== undefined)
    if (!found) return undefined
    const values = valuesOf(found.condition)!
    if (typeof values === 'string') return values
    const isOne = isEquality(found.condition)
    if (!isOne && (!takesLists || hasSeveral)) return undefined
    hasSeveral ||= !isOne
    // `Array.from` reads the holes of a sparse list as well.
    const known = Array.from(values, read)
    if (known.includes(undefined) || known.some(isRefused)) return 'id_value'
    keys = known.flatMap((value) => keys.map((key) => ({ ...key, [name]: value })))
    used.push(found)
  }
  return { keys, others: membersWithout(members, used) }
}

/** Whether databases refuse a text, also in a query that finds no row whatever it is. */
export function isRefused(value: unknown): boolean {
  return typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())
}

/** `OR` of ids, and of nothing else. */
function idsOfAny(members: readonly WhereMember[], key: ReadableKey): Requested<RequestedRows> {
  const found = members.find(({ name }) => name === 'OR')
  if (!found || !Array.isArray(found.condition)) return 'condition'
  // Within AND, Prisma takes an `OR` of nothing for a condition that all rows fulfil.
  if (found.condition.length === 0 && !found.isOutermost) return 'condition'
  if (found.condition.length > key.maxKeys) return 'too_many_ids'
  const ids: unknown[] = []
  for (const condition of Array.from(found.condition)) {
    const each = membersOf(condition)
    // Not `OR` in `OR`.
    if (!each || each.length !== key.fields.length) return 'condition'
    const requested = each[0]?.name === 'OR' ? 'condition' : idsOf(each, key)
    if (typeof requested === 'string') return requested
    ids.push(...requested.ids)
    if (ids.length > key.maxKeys) return 'too_many_ids'
  }
  return distinct(ids, key, membersWithout(members, [found]))
}

/** Each id once, in the order in which they are named first; undefined stands for a value that is none. */
function distinct(
  ids: readonly unknown[],
  { identify }: ReadableKey,
  others: RequestedRows['others'],
): Requested<RequestedRows> {
  const found = new Map<unknown, unknown>()
  for (const id of ids) {
    const identity = id === undefined ? undefined : identify(id)
    if (identity === undefined) return 'id_value'
    if (!found.has(identity)) found.set(identity, id)
  }
  return { ids: [...found.values()], others }
}

/** The fields of the id in the order of the key; undefined if a value is none, or there are others. */
function compoundIdOf(values: Where, { fields }: ReadableKey): object | undefined {
  let count = 0
  for (const _ in values) count++
  if (count !== fields.length) return undefined
  const found: Record<string, unknown> = {}
  for (const { name, read } of fields) {
    const value = Object.hasOwn(values, name) ? read(values[name]) : undefined
    if (value === undefined) return undefined
    found[name] = value
  }
  return found
}

export function membersWithout(
  members: readonly WhereMember[],
  used: readonly WhereMember[],
): readonly WhereMember[] {
  return members.length === used.length ? [] : members.filter((member) => !used.includes(member))
}

/** `x` of `{ equals: x }`, and any other value as it is. */
export function equalTo(condition: unknown): unknown {
  return isPlain(condition) && Object.keys(condition).join() === 'equals' ? condition['equals'] : condition
}

/** Whether it is `x`, or `{ equals: x }`. */
export function isEquality(condition: unknown): boolean {
  return !isPlain(equalTo(condition))
}
