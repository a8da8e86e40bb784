import type { Column } from '../../columns/column.js'
import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { Model } from '../../schema-facts.js'
import type { ReadArguments } from './read-arguments.js'
import { decidedOrder, type FieldLookup } from './row-test.js'

export type Comparator = (one: CachedRow, other: CachedRow) => number

/** Whether an order takes two neighbours for equal. `'always'`: there is no order, or none whose values JavaScript can compare. */
export type Ties = 'always' | ((row: CachedRow, next: CachedRow) => boolean)

/** How a query orders rows. */
export interface RowOrder {
  readonly compare: Comparator
  /** Whether no two rows are equal in it. */
  readonly isTotal: boolean
}

interface OrderedRows {
  readonly fieldOf: FieldLookup
  readonly most: number
  readonly uniqueKeys: readonly (readonly string[])[]
}

/**
 * Reads `orderBy`. Returns how the rows are ordered, `undefined` if they need not be, and `'order'` if the database alone knows.
 *
 * @param uniqueKeys the fields of each key of which no two rows have the same values
 * @param most how many rows there are at most
 */
export function rowOrderOf(
  orderBy: unknown,
  { fieldOf, most, uniqueKeys }: OrderedRows,
): RowOrder | undefined | 'order' {
  if (orderBy === undefined) return undefined
  const terms = termsIn(orderBy)
  if (!terms) return 'order'
  const comparators: (Comparator | undefined)[] = []
  for (const { direction, name } of terms) {
    const field = fieldOf(name)
    // PostgreSQL refuses to order by XML and JSON.
    if (!field?.read || field.nativeType === 'Xml') return 'order'
    // Prisma takes the longer form for fields that may be null only.
    if (isPlain(direction) && !field.isNullable) return 'order'
    comparators.push(comparatorOf(field, direction))
  }
  if (terms.length === 0 || most <= 1) return undefined
  if (!comparators.every((compare) => compare !== undefined)) return 'order'
  const compare: Comparator = (one, other) => {
    for (const compare of comparators) {
      const order = compare(one, other)
      if (order !== 0) return order
    }
    return 0
  }
  const names = terms.map(({ name }) => name)
  return { compare, isTotal: isTotalOrder(names, uniqueKeys) }
}

/** Whether a query returns a part of its rows. If it has no order, Prisma gives these one. */
export function isPage({ cursor, skip = 0, take }: ReadArguments): boolean {
  return cursor !== undefined || skip !== 0 || take !== undefined
}

/** The order that Prisma gives a page: by the primary key. Without one, it takes the first unique key, and null is returned. */
export function pageOrderOf({ primaryKey }: Model): readonly Readonly<Record<string, 'asc'>>[] | null {
  return primaryKey.length > 0 ? primaryKey.map((field) => ({ [field]: 'asc' })) : null
}

/** Whether no two rows have the same values of all these fields. */
export function isTotalOrder(fields: readonly string[], uniqueKeys: readonly (readonly string[])[]): boolean {
  return uniqueKeys.some((key) => key.every((field) => fields.includes(field)))
}

function comparatorOf(field: Column, direction: unknown): Comparator | undefined {
  const { compare, isNullable, name } = field
  if (!compare) return undefined
  const { sort = direction, nulls } = direction as { sort?: unknown; nulls?: unknown }
  const sign = sort === 'asc' ? 1 : -1
  const byValue: Comparator = (one, other) => sign * decidedOrder(compare(one[name], other[name]))
  if (!isNullable) return byValue
  // In descending order null stands at the other end.
  const end = nulls ?? (sort === 'asc' ? field.nulls : field.nulls && otherEnd[field.nulls])
  if (end === undefined) return undefined
  const ofNull = end === 'first' ? -1 : 1
  return (one, other) => {
    if (one[name] === null) return other[name] === null ? 0 : ofNull
    return other[name] === null ? -ofNull : byValue(one, other)
  }
}

/** Whether two rows are equal in an order, so that the database may return either first. */
export function tiesOf(orderBy: unknown, fieldOf: FieldLookup): Ties {
  // Only the database knows which values of other fields are equal.
  const fields = namesIn(orderBy).flatMap((name) => {
    const field = fieldOf(name)
    return field?.read ? [field] : []
  })
  if (fields.length === 0) return 'always'
  return (one, other) =>
    fields.every((field) => {
      const [a, b] = [one[field.name], other[field.name]]
      return a === null || b === null ? a === b : field.isEqual(a, b) !== false
    })
}

/** The fields of an order, or the relations. */
export function namesIn(orderBy: unknown): readonly string[] {
  return [orderBy ?? []].flat().flatMap((entry) => Object.keys(entry as object))
}

const otherEnd = { first: 'last', last: 'first' } as const

/**
 * Returns what `orderBy` says as a text, which equal orders share: `''` for none, and `undefined` for one that Prisma may refuse, or
 * that is not one of fields.
 */
export function orderText(orderBy: unknown): string | undefined {
  // A field may have any name.
  return termsIn(orderBy)?.reduce((text, { name, shown }) => `${text}${JSON.stringify(name)} ${shown},`, '')
}

interface Term {
  readonly name: string
  readonly direction: unknown
  /** The direction as a text. */
  readonly shown: string
}

function termsIn(orderBy: unknown): readonly Term[] | undefined {
  const terms: Term[] = []
  for (const entry of orderBy === undefined ? [] : Array.isArray(orderBy) ? orderBy : [orderBy]) {
    if (!isPlain(entry)) return undefined
    const names = Object.keys(entry)
    // Prisma refuses several fields in one object.
    if (names.length > 1) return undefined
    for (const name of names) {
      const direction = entry[name]
      const shown = directionText(direction)
      if (shown === undefined) return undefined
      terms.push({ name, direction, shown })
    }
  }
  return terms
}

function directionText(direction: unknown): string | undefined {
  if (direction === 'asc' || direction === 'desc') return direction
  if (!isPlain(direction)) return undefined
  const { nulls, sort, ...others } = direction
  if ((sort !== 'asc' && sort !== 'desc') || Object.keys(others).length > 0) return undefined
  if (!Object.hasOwn(direction, 'nulls')) return `{${sort}}`
  return nulls === 'first' || nulls === 'last' ? `{${sort} nulls ${nulls}}` : undefined
}
