import { isPlain } from '../../plain.js'
import type { Model, Models, SchemaFacts } from '../../schema-facts.js'
import type { Args, QueryParams } from '../internals.js'

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
  const found = keyOf(models, params)
  if (!found) return params
  const { conditions, model } = found
  const isLoose = conditions.some((each) =>
    Object.keys(each ?? {}).some((name) => model.scalars.get(name)?.isLoose),
  )
  return (isLoose && asFindFirst(models, params)) || params
}

/** The findFirst that finds what a findUnique by a key does; undefined if none does. */
export function asFindFirst(models: Models, params: QueryParams): QueryParams | undefined {
  const found = keyOf(models, params)
  if (!found || hasCursor(params.args)) return undefined
  const [others, ...keys] = found.conditions
  const where = keys.length > 0 ? { AND: [...keys, others] } : others
  return { ...params, action: alone.get(params.action)!, args: { ...params.args, where } }
}

/** The conditions of a findUnique, and the fields of each of its keys that have several. */
function keyOf(
  models: Models,
  { action, args, model: name }: QueryParams,
): { readonly model: Model; readonly conditions: readonly [others: Args, ...keys: Args[]] } | undefined {
  const model = models.get(name!)
  const { where } = args ?? {}
  if (!model || !alone.has(action) || !isPlain(where)) return undefined
  const { nullableKeys, scalars, uniqueKeys } = model
  const others = { ...where }
  const keys: Args[] = []
  for (const name of Object.keys(where)) {
    if (scalars.has(name) || !(uniqueKeys.has(name) || nullableKeys.has(name))) continue
    const fields = where[name]
    // Prisma refuses it.
    if (!isPlain(fields)) return undefined
    keys.push(fields)
    delete others[name]
  }
  return { model, conditions: [others, ...keys] }
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
