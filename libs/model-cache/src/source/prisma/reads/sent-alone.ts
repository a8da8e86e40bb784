import { isPlain } from '../../plain.js'
import type { Model, Models, Relation, SchemaFacts } from '../../schema-facts.js'
import type { Args, QueryParams } from '../internals.js'

/** What finds the same row as a query by a unique key, and is not put together with others. */
const alone: ReadonlyMap<string, string> = new Map([
  ['findUnique', 'findFirst'],
  ['findUniqueOrThrow', 'findFirstOrThrow'],
])

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
  const sent = { ...params, args }
  if (!alone.has(params.action)) return sent
  if (!Object.keys(args).every((name) => ofFindUnique.has(name))) return undefined
  const found = keyOf(models, sent)
  if (!found) return undefined
  const { nullableKeys, uniqueKeys } = found.model
  const [others, ...keys] = found.conditions
  const isKey = (name: string): boolean => uniqueKeys.has(name) || nullableKeys.has(name)
  const isKeyed = keys.length > 0 || Object.keys(others).some(isKey)
  return isKeyed && Object.values(others).every(isValue) ? asFindFirst(models, sent, found) : undefined
}

/**
 * Returns how a query that no cache has answered is sent.
 *
 * Prisma puts findUnique queries of one turn together, and then finds no row by another spelling of its key than the stored one. Queries
 * that a cache did not answer leave in one turn though their callers sent them in several. So they are sent alone if the database takes
 * other spellings of their keys for equal. Not where Prisma finds other rows of a relation for findFirst; those with the same `cursor` are put
 * together.
 */
export function sentAlone({ models }: SchemaFacts, params: QueryParams): QueryParams {
  const found = keyOf(models, params)
  if (!found) return params
  const { conditions, model } = found
  const isLoose = conditions.some((each) =>
    Object.keys(each ?? {}).some((name) => model.scalars.get(name)?.isLoose),
  )
  return (isLoose && asFindFirst(models, params, found)) || params
}

/** The findFirst that finds what a findUnique by a key does; undefined if none does. */
function asFindFirst(models: Models, params: QueryParams, { conditions }: Keyed): QueryParams | undefined {
  if (pagesDiffer(models, params)) return undefined
  const [others, ...keys] = conditions
  const where = keys.length > 0 ? { AND: [...keys, others] } : others
  return { ...params, action: alone.get(params.action)!, args: { ...params.args, where } }
}

interface Keyed {
  readonly model: Model
  /** The conditions of a findUnique, and the fields of each of its keys that have several. */
  readonly conditions: readonly [others: Args, ...keys: Args[]]
}

function keyOf(models: Models, { action, args, model: name }: QueryParams): Keyed | undefined {
  const model = models.get(name!)
  const { where } = args ?? {}
  if (!model || !alone.has(action) || !isPlain(where)) return undefined
  const { nullableKeys, scalars, uniqueKeys } = model
  const others = { ...where }
  const keys: Args[] = []
  for (const name of Object.keys(where)) {
    const fields = scalars.has(name) ? undefined : (uniqueKeys.get(name) ?? nullableKeys.get(name))
    if (!fields) continue
    const values = where[name]
    // Prisma refuses it.
    if (!isPlain(values) || Object.keys(values).length !== fields.length) return undefined
    if (!fields.every((field) => isValue(values[field]))) return undefined
    keys.push(values)
    delete others[name]
  }
  return { model, conditions: [others, ...keys] }
}

function isValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value !== undefined && value !== null && !isPlain(value) && !Array.isArray(value)
}

/**
 * Whether Prisma finds other rows of a relation for findFirst than for findUnique: behind a cursor, or in a part of rows whose keys it joins
 * by their text. For one parent it has the database take that part, before it drops rows whose key is spelled differently.
 */
function pagesDiffer(models: Models, { model: name, args }: Pick<QueryParams, 'model' | 'args'>): boolean {
  const model = models.get(name!)
  if (!model || !isPlain(args)) return false
  return [args.include, args.select].some(
    (selected) =>
      isPlain(selected) &&
      Object.entries(selected).some(([field, value]) => differsIn(models, model, field, value)),
  )
}

function differsIn(models: Models, model: Model, field: string, selected: unknown): boolean {
  const relation = model.relations.get(field)
  if (!isPlain(selected)) return false
  if (isPlain(selected['cursor'])) return true
  const isPart = ['take', 'skip', 'distinct'].some((name) => selected[name] !== undefined)
  if (isPart && (!relation || isJoinedLoosely(models, model, relation))) return true
  return pagesDiffer(models, { model: model.relationTargets.get(field), args: selected })
}

function isJoinedLoosely(
  models: Models,
  model: Model,
  { keyHolder, ownKey, target, targetKey }: Relation,
): boolean {
  const other = models.get(target)
  const theirs = keyHolder === 'join-table' ? (other?.primaryKey ?? []) : targetKey
  const isLoose = (of: Model | undefined, name: string): boolean => {
    const column = of?.scalars.get(name)
    return !column || column.isLoose || !column.hasOneText
  }
  return ownKey.some((name) => isLoose(model, name)) || theirs.some((name) => isLoose(other, name))
}
