import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableKey } from './readable-key.js'

/** The ids that a `where` names, each once, in their order. */
export type RequestedIds = readonly unknown[]

type Requested = RequestedIds | BypassReason
type Where = Readonly<Record<string, unknown>>

/** Reads the `where` of findUnique: `{ id }`, or `{ orgId_slug: { orgId, slug } }`. */
export function idOfUnique(where: unknown, key: ReadableKey): Requested {
  const name = onlyKeyOf(where)
  if (name === undefined) return 'condition'
  const { fields, names } = key
  const value = (where as Where)[name]
  if (fields.length === 1) {
    const [{ name: field, read }] = fields as [ReadableKey['fields'][number]]
    return name === field ? distinct([read(value)], key) : 'condition'
  }
  if (!names.has(name)) return 'condition'
  return isPlain(value) ? distinct([compoundIdOf(value, key, valueOf)], key) : 'id_value'
}

/** Reads the `where` of findFirst and findMany: also `{ equals }`, `{ in }`, and `OR` of ids. */
export function idsOf(where: unknown, key: ReadableKey): Requested {
  if (!isPlain(where)) return 'condition'
  const { fields } = key
  if (onlyKeyOf(where) === 'OR') return idsOfAny(where['OR'], key)
  if (fields.length > 1)
    return hasFields(where, key) ? distinct([compoundIdOf(where, key, equalTo)], key) : 'condition'
  const [{ name, read }] = fields as [ReadableKey['fields'][number]]
  if (onlyKeyOf(where) !== name) return 'condition'
  const condition = where[name]
  if (!isPlain(condition)) return distinct([read(condition)], key)
  const operator = onlyKeyOf(condition)
  if (operator === 'equals') return distinct([read(condition['equals'])], key)
  if (operator !== 'in') return 'condition'
  const values: unknown = condition['in']
  if (!Array.isArray(values)) return 'id_value'
  if (values.length > key.maxKeys) return 'too_many_ids'
  // Also holes of a sparse list.
  return distinct(Array.from(values, read), key)
}

function idsOfAny(conditions: unknown, key: ReadableKey): Requested {
  if (!Array.isArray(conditions)) return 'condition'
  if (conditions.length > key.maxKeys) return 'too_many_ids'
  const ids: unknown[] = []
  for (let i = 0; i < conditions.length; i++) {
    const condition: unknown = conditions[i]
    if (isPlain(condition) && onlyKeyOf(condition) === 'OR') return 'condition'
    const found = idsOf(condition, key)
    if (typeof found === 'string') return found
    ids.push(...found)
    if (ids.length > key.maxKeys) return 'too_many_ids'
  }
  return distinct(ids, key)
}

/** Each id once, in the order in which they are named first; undefined stands for a value that is none. */
function distinct(ids: readonly unknown[], { identify }: ReadableKey): Requested {
  const found = new Map<unknown, unknown>()
  for (const id of ids) {
    const identity = id === undefined ? undefined : identify(id)
    if (identity === undefined) return 'id_value'
    if (!found.has(identity)) found.set(identity, id)
  }
  return [...found.values()]
}

/** The fields of the id in the order of the key; undefined if a value is none. */
function compoundIdOf(
  values: Where,
  key: ReadableKey,
  given: (condition: unknown) => unknown,
): object | undefined {
  if (!hasFields(values, key)) return undefined
  const found: Record<string, unknown> = {}
  for (const { name, read } of key.fields) {
    const value = read(given(values[name]))
    if (value === undefined) return undefined
    found[name] = value
  }
  return found
}

const valueOf = (condition: unknown): unknown => condition

/** `x` of `{ equals: x }`, and any other value as it is. */
export function equalTo(condition: unknown): unknown {
  return isPlain(condition) && onlyKeyOf(condition) === 'equals' ? condition['equals'] : condition
}

/** Whether an object has the fields of the id, and no others. */
function hasFields(values: Where, { fields }: ReadableKey): boolean {
  let count = 0
  for (const _ in values) count++
  return count === fields.length && fields.every(({ name }) => Object.hasOwn(values, name))
}

/** The name of the only property of an object literal. */
function onlyKeyOf(value: unknown): string | undefined {
  if (!isPlain(value)) return undefined
  let only: string | undefined
  for (const key in value) {
    if (only !== undefined) return undefined
    only = key
  }
  return only
}
