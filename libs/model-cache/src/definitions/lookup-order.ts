import { type LookupContext, refusedLookup } from './lookup-context.js'
import { scalarFieldOf } from './lookup-fields.js'

/** A member of `orderBy`. */
export interface OrderMember {
  readonly field: string
  readonly sort: 'asc' | 'desc'
  /** Undefined for what the database does by default. */
  readonly nulls: 'first' | 'last' | undefined
}

/**
 * Returns the order of the rows of a lookup, which ends with the id, so that it is the same for each read. A whole list without one
 * has that in which the database returns its rows, as a query without `orderBy` has.
 *
 * @throws ConfigurationError
 */
export function orderOf(context: LookupContext): readonly OrderMember[] {
  const { idFields, lookup } = context
  const given = lookup.orderBy.map((order) => memberOf(context, order))
  const names = given.map(({ field }) => field)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw refusedLookup(context, `has "${twice}" in \`orderBy\` twice; remove one.`)
  if (lookup.kind === 'list' && given.length === 0 && lookup.limit === undefined) return []
  const added = idFields.filter((field) => !names.includes(field))
  return [...given, ...added.map((field): OrderMember => ({ field, sort: 'asc', nulls: undefined }))]
}

/** Returns a member as Prisma takes it. */
export function toPrismaOrder({ field, nulls, sort }: OrderMember): Readonly<Record<string, unknown>> {
  return { [field]: nulls === undefined ? sort : { sort, nulls } }
}

function memberOf(context: LookupContext, order: Readonly<Record<string, unknown>>): OrderMember {
  const [name, ...others] = Object.keys(order)
  if (name === undefined || others.length > 0) {
    throw refusedLookup(
      context,
      `has ${name === undefined ? 'no field' : 'several fields'} in one object of \`orderBy\`; expected one each, as in Prisma: ` +
        "`[{ a: 'asc' }, { b: 'desc' }]`.",
    )
  }
  const { isNullable } = scalarFieldOf(context, 'orderBy', name)
  const value = order[name]
  if (isDirection(value)) return { field: name, sort: value, nulls: undefined }
  const { nulls, sort, ...unknown } = Object(value) as Record<string, unknown>
  const isKnown = isDirection(sort) && (nulls === undefined || nulls === 'first' || nulls === 'last')
  if (!isKnown || Object.keys(unknown).length > 0) {
    throw refusedLookup(
      context,
      `has a direction for "${name}" in \`orderBy\` that Prisma does not know; expected 'asc', 'desc' or { sort, nulls }.`,
    )
  }
  if (!isNullable)
    throw refusedLookup(
      context,
      `has { sort, nulls } for "${name}" in \`orderBy\`, which is never null; expected '${sort}'.`,
    )
  return { field: name, sort, nulls }
}

function isDirection(value: unknown): value is 'asc' | 'desc' {
  return value === 'asc' || value === 'desc'
}
