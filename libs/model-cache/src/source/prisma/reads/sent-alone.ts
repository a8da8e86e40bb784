import { isPlain } from '../../plain.js'
import type { SchemaFacts } from '../../schema-facts.js'
import type { QueryParams } from '../internals.js'

/** What finds the same row as a query by a unique key, and is not put together with others. */
const alone: ReadonlyMap<string, string> = new Map([
  ['findUnique', 'findFirst'],
  ['findUniqueOrThrow', 'findFirstOrThrow'],
])

/**
 * Returns how a query that no cache has answered is sent.
 *
 * Prisma puts findUnique queries of one turn together, and then finds no row by another spelling of its key than the stored one. Queries
 * that a cache did not answer leave in one turn though their callers sent them in several. So they are sent alone if the database takes
 * other spellings of their keys for equal. Not with a `cursor` in a relation, after which Prisma finds other rows for findFirst; those with
 * the same one are put together.
 */
export function sentAlone({ models }: SchemaFacts, params: QueryParams): QueryParams {
  const model = models.get(params.model!)
  const action = alone.get(params.action)
  const { where } = params.args ?? {}
  if (!model || !action || !isPlain(where)) return params
  const { nullableKeys, uniqueKeys } = model
  const key = Object.keys(where).find(
    (name) => !model.scalars.has(name) && (uniqueKeys.has(name) || nullableKeys.has(name)),
  )
  const compound = key === undefined ? undefined : where[key]
  const fields = isPlain(compound) ? compound : {}
  const others = Object.fromEntries(Object.entries(where).filter(([name]) => name !== key))
  const isLoose = [...Object.keys(others), ...Object.keys(fields)].some(
    (name) => model.scalars.get(name)?.isLoose,
  )
  if (!isLoose || hasCursor(params.args)) return params
  return { ...params, action, args: { ...params.args, where: key ? { AND: [fields, others] } : others } }
}

/** Whether a relation that is selected begins at a cursor, at any depth. */
function hasCursor(args: unknown): boolean {
  if (!isPlain(args)) return false
  const { include, select } = args
  return [include, select].some(
    (selected) =>
      isPlain(selected) &&
      Object.values(selected).some(
        (value) => isPlain(value) && (isPlain(value['cursor']) || hasCursor(value)),
      ),
  )
}
