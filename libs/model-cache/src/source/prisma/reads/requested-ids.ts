import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'

/** The ids that a `where` names, each once, in their order. */
export type RequestedIds = readonly unknown[]

type Requested = RequestedIds | BypassReason
type Where = Readonly<Record<string, unknown>>

/** Reads the `where` of findUnique: `{ id }`, or `{ orgId_slug: { orgId, slug } }`. */
export function idOfUnique(where: unknown, readable: ReadableCache): Requested {
  const key = onlyKeyOf(where)
  if (key === undefined) return 'condition'
  const { id, keyNames } = readable
  const value = (where as Where)[key]
  if (id.length === 1) return key === id[0]!.name ? asIds(id[0]!.read(value)) : 'condition'
  if (!keyNames.has(key)) return 'condition'
  return isPlain(value) ? asIds(compoundIdOf(value, readable, valueOf)) : 'id_value'
}

/** Reads the `where` of findFirst and findMany: also `{ equals }`, `{ in }`, and `OR` of ids. */
export function idsOf(where: unknown, readable: ReadableCache): Requested {
  if (!isPlain(where)) return 'condition'
  const { id } = readable
  if (onlyKeyOf(where) === 'OR') return idsOfAny(where['OR'], readable)
  if (id.length > 1)
    return hasFields(where, readable) ? asIds(compoundIdOf(where, readable, equalTo)) : 'condition'
  const [{ name, read }] = id as [ReadableCache['id'][number]]
  if (onlyKeyOf(where) !== name) return 'condition'
  const condition = where[name]
  if (!isPlain(condition)) return asIds(read(condition))
  const operator = onlyKeyOf(condition)
  if (operator === 'equals') return asIds(read(condition['equals']))
  if (operator !== 'in') return 'condition'
  const values = condition['in']
  if (!Array.isArray(values)) return 'id_value'
  const ids = new Set<unknown>()
  for (let i = 0; i < values.length; i++) {
    const value = read(values[i])
    if (value === undefined) return 'id_value'
    ids.add(value)
  }
  return [...ids]
}

function idsOfAny(conditions: unknown, readable: ReadableCache): Requested {
  if (!Array.isArray(conditions)) return 'condition'
  const ids = new Map<unknown, unknown>()
  for (let i = 0; i < conditions.length; i++) {
    const condition: unknown = conditions[i]
    if (isPlain(condition) && onlyKeyOf(condition) === 'OR') return 'condition'
    const found = idsOf(condition, readable)
    if (typeof found === 'string') return found
    for (const id of found) ids.set(typeof id === 'object' ? Object.values(id as object).join('\0') : id, id)
  }
  return [...ids.values()]
}

/** The fields of the id in the order of the cache; undefined if a value is none. */
function compoundIdOf(
  values: Where,
  readable: ReadableCache,
  given: (condition: unknown) => unknown,
): object | undefined {
  if (!hasFields(values, readable)) return undefined
  const found: Record<string, unknown> = {}
  for (const { name, read } of readable.id) {
    const value = read(given(values[name]))
    if (value === undefined) return undefined
    found[name] = value
  }
  return found
}

const valueOf = (condition: unknown): unknown => condition

/** `x` of `{ equals: x }`, and any other value as it is. */
function equalTo(condition: unknown): unknown {
  return isPlain(condition) && onlyKeyOf(condition) === 'equals' ? condition['equals'] : condition
}

/** Whether an object has the fields of the id, and no others. */
function hasFields(values: Where, { id }: ReadableCache): boolean {
  let count = 0
  for (const _ in values) count++
  return count === id.length && id.every(({ name }) => Object.hasOwn(values, name))
}

function asIds(id: unknown): Requested {
  return id === undefined ? 'id_value' : [id]
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
