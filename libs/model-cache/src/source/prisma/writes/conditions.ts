import type { RelationPath } from '../../referential-actions.js'
import type { Args } from '../internals.js'
import { listOf, type Row } from './literals.js'
import type { WritePlanning } from './planning.js'

/** The `where` of the rows at the start of a path, given the `where` of the row at its end. */
export function whereOf(path: RelationPath, where: Args): Args {
  return path.reduceRight<Args>(
    (inner, { field, isList }) => ({ [field]: isList ? { some: inner } : inner }),
    where,
  )
}

/** A `where` with a condition added. Within `AND`, Prisma would take an `OR` of nothing for a condition that all rows fulfil. */
export function both(where: Args, condition: Args): Args {
  return { ...where, AND: [...listOf(where.AND), condition] }
}

/** Whether a `where` matches the same rows when it filters by a relation, without a doubt. */
export function isPlainlyNested(where: Args): boolean {
  return !['AND', 'OR', 'NOT'].some((operator) => operator in where)
}

/** The maximum number of keys per query. */
const keysPerQuery = 1_000

/**
 * Conditions that match rows by their keys, each small enough for one query: Prisma takes a list as one value, but compiles a condition
 * for each group of compound keys that differ in more than one field. Rows without a key are left out.
 */
export function keysIn(
  planning: WritePlanning,
  key: readonly string[],
  rows: readonly Row[],
): readonly Args[] {
  return conditionsOf(planning, key, groupsOf(key, rows))
}

/**
 * As {@link keysIn}, but compound keys without values in common are matched by fewer conditions, which may match other rows as
 * well: those with the values of several keys.
 */
export function keysAround(
  planning: WritePlanning,
  key: readonly string[],
  rows: readonly Row[],
): { readonly conditions: readonly Args[]; readonly areExact: boolean } {
  const groups = groupsOf(key, rows)
  const queries = Math.ceil(rows.length / keysPerQuery)
  const areExact = groups.length <= planning.groupsPerQuery * queries
  const conditions = areExact
    ? conditionsOf(planning, key, groups)
    : partsOf(groups.flat(), keysPerQuery).map((part) => productOf(key, part))
  return { conditions, areExact }
}

/** Whether one query names all of these keys. */
export function areFew(planning: WritePlanning, key: readonly string[], rows: readonly Row[]): boolean {
  return rows.length <= keysPerQuery && groupsOf(key, rows).length <= planning.groupsPerQuery
}

function conditionsOf(
  { groupsPerQuery }: WritePlanning,
  key: readonly string[],
  all: readonly (readonly Row[])[],
): readonly Args[] {
  const conditions: Args[] = []
  let groups: (readonly Row[])[] = []
  let size = 0
  const close = (): void => {
    if (groups.length > 0) conditions.push(oneOf(groups.map((group) => productOf(key, group))))
    groups = []
    size = 0
  }
  for (const group of all) {
    if (groups.length === groupsPerQuery || size + group.length > keysPerQuery) close()
    groups.push(group)
    size += group.length
  }
  close()
  return conditions
}

/** Groups rows whose keys differ in one field only. */
function groupsOf(key: readonly string[], all: readonly Row[]): readonly (readonly Row[])[] {
  const rows = all.filter((row) => key.every((field) => row[field] !== null))
  if (key.length === 1) return partsOf(rows, keysPerQuery)
  const distinct = key.map((field) => new Set(rows.map((row) => textOf(row[field]))).size)
  const varied = key[distinct.indexOf(Math.max(...distinct))]
  const fixed = key.filter((field) => field !== varied)
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const name = JSON.stringify(fixed.map((field) => textOf(row[field])))
    const group = groups.get(name)
    if (group) group.push(row)
    else groups.set(name, [row])
  }
  return [...groups.values()].flatMap((group) => partsOf(group, keysPerQuery))
}

/** Matches all rows whose fields each have a value that one of these has. */
function productOf(key: readonly string[], rows: readonly Row[]): Args {
  return Object.fromEntries(
    key.map((field) => {
      const values = [...new Map(rows.map((row) => [textOf(row[field]), row[field]])).values()]
      return [field, values.length === 1 ? values[0] : { in: values }]
    }),
  )
}

function oneOf(conditions: readonly Args[]): Args {
  return conditions.length === 1 ? conditions[0]! : { OR: conditions }
}

function partsOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** The values of a key as a string, for comparison. */
export function rowKeyTextOf(key: readonly string[], row: Row): string {
  return JSON.stringify(key.map((field) => textOf(row[field])))
}

function textOf(value: unknown): string {
  return String(value instanceof Date ? value.getTime() : value)
}

export function selecting(fields: readonly string[]): Record<string, true> {
  return Object.fromEntries(fields.map((field) => [field, true]))
}
