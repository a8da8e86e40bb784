/** Generates reads by the keys of lookups, and of lists: most are exactly what a definition declares. */
import { skip } from '@prisma/client/runtime/client'
import type { Random } from '../random.ts'
import type { TestLookup } from './lookups.ts'
import { type Model, valueOf } from './models.ts'
import type { ReadDialect } from './read-dialects.ts'
import { type Args, oddities, type Query, readManners } from './query.ts'

/** Parts of reads. */
export interface ReadShapes {
  projection(model: Model): Args
  /** A value of a field, sometimes spelled in another way. */
  id(model: Model, field: string): unknown
  conditions(model: Model): Args
  order(model: Model): Args
  page(model: Model): Args
}

export function lookupRead(random: Random, dialect: ReadDialect, shapes: ReadShapes): Query {
  const lookup = random.pick(dialect.lookups)
  const model = dialect.models[lookup.model]!
  const read = lookup.kind === 'unique' ? uniqueRead : listRead
  const { operation, args } = read(random, lookup, dialect, shapes)
  const manner = random.chance(12) ? { manner: random.pick(readManners) } : {}
  return { model: model.name, operation, args: { ...args, ...shapes.projection(model) }, ...manner }
}

type Read = Pick<Query, 'operation'> & { readonly args: Args }

function uniqueRead(random: Random, lookup: TestLookup, dialect: ReadDialect, shapes: ReadShapes): Read {
  const model = dialect.models[lookup.model]!
  const { by } = lookup
  const name = model.unique.find(({ fields }) => fields.every((field) => by.includes(field)))!.name
  const key = (): Args => keyOf(random, lookup, dialect, shapes)
  const operation = random.pick(['findUnique', 'findUnique', 'findUniqueOrThrow', 'findFirst', 'findMany'])
  if (operation.startsWith('findUnique')) {
    const where = by.length === 1 ? key() : { [name]: key() }
    return {
      operation,
      args: { where: random.chance(5) ? { ...where, ...shapes.conditions(model) } : where },
    }
  }
  const [first] = by as [string]
  const where = random.pick<() => Args>([
    key,
    () => equalTo(key()),
    () => ({ OR: random.list(4, key) }),
    () => (by.length === 1 ? { [first]: { in: random.list(5, () => key()[first]) } } : key()),
    () => ({ ...key(), ...shapes.conditions(model) }),
  ])()
  const ordered = random.chance(20) ? shapes.order(model) : {}
  return { operation, args: { where, ...ordered, ...(random.chance(15) && { take: 1 }) } }
}

function listRead(random: Random, lookup: TestLookup, dialect: ReadDialect, shapes: ReadShapes): Read {
  const model = dialect.models[lookup.model]!
  const { limit } = lookup
  const operation = random.chance(limit === 1 ? 50 : 4)
    ? random.pick(['findFirst', 'findFirstOrThrow'])
    : 'findMany'
  const isFirst = operation !== 'findMany'
  const args: Args = { where: listWhere(random, lookup, dialect, shapes) }
  Object.assign(args, listOrder(random, lookup, dialect, shapes))
  if (limit !== undefined && !isFirst) args.take = limit
  if (random.chance(6)) args.take = random.pick([1, 2, 3, undefined])
  if (random.chance(8)) Object.assign(args, shapes.page(model))
  // Where a page ends between equal rows, a database may choose another row for each query, and MariaDB does for those of a relation.
  if (lookup.through !== undefined && 'take' in args) args.orderBy = totalOrder(lookup, dialect)
  return { operation, args: random.chance(20) ? Object.fromEntries(Object.entries(args).toReversed()) : args }
}

function listWhere(random: Random, lookup: TestLookup, dialect: ReadDialect, shapes: ReadShapes): unknown {
  const { where } = lookup
  const model = dialect.models[lookup.model]!
  const key = keyOf(random, lookup, dialect, shapes)
  const [field, ...others] = Object.keys(where)
  if (random.chance(85)) return random.chance(80) ? { ...key, ...where } : { ...where, ...equalTo(key) }
  return random.pick<() => unknown>([
    () => key,
    () => where,
    () => ({ ...key, ...where, ...shapes.conditions(model) }),
    () => ({ ...shapes.conditions(model), ...where, ...key }),
    () => ({ AND: [key, where] }),
    () => ({ ...key, AND: where }),
    () => ({ OR: [{ ...key, ...where }] }),
    () => ({ ...key, ...where, NOT: random.pick([undefined, {}, key]) }),
    () => ({
      ...key,
      ...where,
      [random.pick(Object.keys(model.fields))]: random.pick([undefined, skip, null]),
    }),
    () =>
      field === undefined || others.length > 0 ? key : { ...key, [field]: otherThan(random, where[field]) },
    () => ({ ...inLists(key), ...where }),
  ])()
}

/** A condition like the declared one, with the same meaning or another. */
function otherThan(random: Random, condition: unknown): unknown {
  const list = (condition as { in?: readonly unknown[] } | null)?.in
  return random.pick<unknown>([
    { equals: condition },
    { not: condition },
    { not: { equals: null } },
    list ? { in: list.toReversed() } : null,
    list ? { in: list.slice(1) } : { not: null },
    list ? { in: [...list, list[0]] } : undefined,
    list ? { in: list, not: 'title 2' } : skip,
  ])
}

function listOrder(random: Random, lookup: TestLookup, dialect: ReadDialect, shapes: ReadShapes): Args {
  const { by, model, orderBy } = lookup
  const total = totalOrder(lookup, dialect)
  return random.pick<() => Args>([
    ...Array.from({ length: 8 }, () => () => ({ orderBy: total })),
    () => ({ orderBy }),
    () => ({ orderBy }),
    () => (orderBy.length === 1 ? { orderBy: orderBy[0] } : { orderBy }),
    () => ({ orderBy: [{}, ...total] }),
    () => ({}),
    () => ({ orderBy: total.slice(0, -1) }),
    () => ({ orderBy: total.toReversed() }),
    () => ({ orderBy: [...total, ascending(by[0]!)] }),
    () => ({ orderBy: total.map((entry) => otherDirection(random, entry)) }),
    () => ({ orderBy: Object.assign({}, ...total) as object }),
    () => shapes.order(dialect.models[model]!),
  ])()
}

/** The order of a list, with the id at its end. */
function totalOrder({ model, orderBy }: TestLookup, { models }: ReadDialect): readonly object[] {
  const [{ fields }] = models[model]!.unique as [(typeof models)[string]['unique'][number]]
  const ordered = orderBy.flatMap((entry) => Object.keys(entry))
  return [...orderBy, ...fields.filter((field) => !ordered.includes(field)).map(ascending)]
}

export const ascending = (field: string): object => ({ [field]: 'asc' })

function otherDirection(random: Random, entry: object): object {
  const [[field, direction]] = Object.entries(entry) as [[string, unknown]]
  const { sort = direction } = direction as { sort?: unknown }
  return {
    [field]: random.pick<unknown>([
      sort,
      direction,
      sort === 'asc' ? 'desc' : 'asc',
      { sort },
      { sort, nulls: random.pick(['first', 'last', undefined, 'none']) },
    ]),
  }
}

/** The fields of a key: mostly values that rows have. */
function keyOf(
  random: Random,
  { by, model: name, through }: TestLookup,
  { models }: ReadDialect,
  shapes: ReadShapes,
): Args {
  const model = through === undefined ? models[name]! : models[models[name]!.relations[through]!.to]!
  const value = (field: string): unknown => {
    if (random.chance(3)) return random.pick(oddities)
    return random.chance(90) ? valueOf(random, model.name, model.fields[field]!) : shapes.id(model, field)
  }
  const entries = by.map((field) => [field, value(field)])
  const key = Object.fromEntries(random.chance(30) ? entries.toReversed() : entries) as Args
  return through === undefined ? key : { [through]: { some: key } }
}

function equalTo(key: Args): Args {
  return Object.fromEntries(Object.entries(key).map(([field, value]) => [field, { equals: value }]))
}

function inLists(key: Args): Args {
  return Object.fromEntries(Object.entries(key).map(([field, value]) => [field, { in: [value] }]))
}
