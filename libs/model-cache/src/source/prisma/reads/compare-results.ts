import type { RowPlan } from './read-plan.js'

type Row = Readonly<Record<string, unknown>>

/**
 * The fields in which two results of a query differ: their values, their classes, or their order. `'(row)'` stands for a row that only
 * one of them has, `'(order)'` for the order of rows, `'(count)'` for a number of rows.
 */
export function differingFields(
  { plan }: { readonly plan: RowPlan },
  one: unknown,
  other: unknown,
): readonly string[] {
  if (typeof one === 'number' || typeof other === 'number') return one === other ? [] : ['(count)']
  const [first, second] = [one, other].map((result) => inOneOrder(plan, result))
  if (!Array.isArray(first) || !Array.isArray(second))
    return differingIn(first as Row | null, second as Row | null)
  if (first.length !== second.length) return ['(row)']
  return [...new Set(first.flatMap((row, i) => differingIn(row as Row, second[i] as Row)))]
}

/** As {@link differingFields}, of two results of which nothing is known: rows may have any order, also those of relations. */
export function differingInAny(one: unknown, other: unknown): readonly string[] {
  if (typeof one === 'number' || typeof other === 'number') return one === other ? [] : ['(count)']
  if (textOf(one, true) === textOf(other, true)) return []
  if (isRow(one) && isRow(other)) return differingIn(one, other, true)
  const areRows = Array.isArray(one) && Array.isArray(other) && one.length === other.length
  if (!areRows || !one.every(isRow) || !other.every(isRow)) return ['(row)']
  // Most often, one of several rows differs, and none moves.
  const differing = new Set(one.flatMap((row, i) => differingIn(row, (other as readonly Row[])[i]!, true)))
  return differing.size > 0 ? [...differing] : ['(order)']
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Whether two results whose fields do not differ have their rows in the same order, also those of relations. */
export function areInOneOrder(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other)
}

/** Puts rows that the database may return in any order in the same one, also those of relations. */
function inOneOrder(plan: RowPlan, result: unknown): unknown {
  if (Array.isArray(result)) {
    const rows = result.map((row) => inOneOrder(plan, row) as Row)
    return plan.selection.isOrdered ? rows : inOrder(plan, rows)
  }
  const names = plan.projection.relations
  if (names.length === 0 || result === null) return result
  const copy = { ...(result as Record<string, unknown>) }
  for (const [i, name] of names.entries()) {
    const related = plan.related[i]!
    if (!('counts' in related) && name in copy) copy[name] = inOneOrder(related, copy[name])
  }
  return copy
}

function differingIn(one: Row | null, other: Row | null, isUnordered = false): readonly string[] {
  if (one === null || other === null) return one === other ? [] : ['(row)']
  const differs = (a: unknown, b: unknown): boolean => textOf(a, isUnordered) !== textOf(b, isUnordered)
  if (!differs(one, other)) return []
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  const differing = [...keys].filter((key) => differs(one[key], other[key]))
  return differing.length > 0 ? differing : ['(order)']
}

/** Orders rows by their ids, or by everything. */
function inOrder({ readable }: RowPlan, rows: readonly Row[]): readonly Row[] {
  const keyOf = (row: Row): string => {
    const hasId = readable.id.fields.every(({ name }) => name in row)
    return hasId ? textOf(readable.id.fields.map(({ name }) => row[name])) : textOf(row)
  }
  return rows
    .map((row) => [keyOf(row), row] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row)
}

/**
 * A value as text that tells classes and the order of keys apart.
 *
 * @param isUnordered whether lists are in the order of the texts of their elements
 */
function textOf(value: unknown, isUnordered = false): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  if (Array.isArray(value)) {
    const items = value.map((each) => textOf(each, isUnordered))
    return `[${(isUnordered ? items.toSorted() : items).join()}]`
  }
  if (value instanceof Date) return `Date(${value.getTime()})`
  if (value instanceof Uint8Array) return `Bytes(${Buffer.from(value).toString('hex')})`
  if (isDecimal(value)) return `Decimal(${value.toFixed()})`
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${textOf(inner, isUnordered)}`)
    .join()}}`
}

function isDecimal(value: object): value is { toFixed(): string } {
  return typeof (value as { toFixed?: unknown }).toFixed === 'function'
}
