import { isPlain } from '../../plain.js'
import type { Model, Models } from '../../schema-facts.js'
import type { Args, QueryParams } from '../internals.js'
import { asFindFirst } from './sent-alone.js'

/** The arguments of findUnique. findFirst takes others as well, which Prisma refuses in the former. */
const ofFindUnique: ReadonlySet<string> = new Set([
  'where',
  'select',
  'include',
  'omit',
  'relationLoadStrategy',
])

/**
 * Returns what is sent to load the result of a query; undefined if only Prisma knows what a findUnique finds.
 *
 * Prisma puts each findUnique together with others of its turn, whose errors it then has as well: those that were sent in several turns
 * leave in one. So it is sent as a findFirst.
 */
export function sentFor(models: Models, params: QueryParams, args: Args): QueryParams | undefined {
  if (!params.action.startsWith('findUnique')) return { ...params, args }
  if (!Object.keys(args).every((name) => ofFindUnique.has(name))) return undefined
  return isByKey(models.get(params.model!)!, args) ? asFindFirst(models, { ...params, args }) : undefined
}

/** Whether a findUnique has a key, and nothing but values, so that a findFirst finds what it does. */
function isByKey({ nullableKeys, scalars, uniqueKeys }: Model, { where }: Args): boolean {
  if (!isPlain(where)) return false
  const fieldsOf = (name: string): readonly string[] | undefined =>
    uniqueKeys.get(name) ?? nullableKeys.get(name)
  if (!Object.keys(where).some(fieldsOf)) return false
  return Object.entries(where).every(([name, value]) => {
    const fields = scalars.has(name) ? undefined : fieldsOf(name)
    return fields ? isKey(value, fields) : isValue(value)
  })
}

/** Whether an object has values for these fields, and no other field. */
function isKey(value: unknown, fields: readonly string[]): boolean {
  return (
    isPlain(value) &&
    Object.keys(value).length === fields.length &&
    fields.every((field) => isValue(value[field]))
  )
}

function isValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value !== undefined && value !== null && !isPlain(value) && !Array.isArray(value)
}
