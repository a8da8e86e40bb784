import type { Args } from './prisma-internals.js'
import type { Model, Scalar } from './data-model.js'

export type Row = Readonly<Record<string, unknown>>

/**
 * The value as a row of the database will show it, or undefined when that cannot be told from what was given: decimals
 * and bytes, and text that the database compares or stores in a way of its own.
 */
export function literalOf({ type, nativeType }: Scalar, value: unknown): unknown {
  switch (type) {
    case 'String':
      if (typeof value !== 'string' || nativeType === 'Citext' || nativeType === 'Char') return undefined
      return nativeType === 'Uuid' ? value.toLowerCase() : value
    case 'Enum':
      return typeof value === 'string' ? value : undefined
    case 'Int':
      return Number.isInteger(value) ? value : undefined
    case 'Boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'BigInt':
      return typeof value === 'bigint' || Number.isInteger(value)
        ? BigInt(value as bigint | number)
        : undefined
    case 'DateTime':
      // Native types may drop a part of it.
      return nativeType === undefined ? dateOf(value) : undefined
    default:
      return undefined
  }
}

/**
 * The scalar fields that the `data` of a create or an update sets, also those of foreign keys that it sets through
 * relations. The value is undefined where it cannot be told.
 */
export function changesOf(model: Model, data: unknown): Row {
  const changes: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(isPlain(data) ? data : {})) {
    if (given === undefined) continue
    const scalar = model.scalars.get(name)
    if (scalar) changes[name] = literalOf(scalar, isPlain(given) && 'set' in given ? given.set : given)
    for (const field of model.relations.get(name)?.fields ?? []) changes[field] = undefined
  }
  return changes
}

/** The fields that a unique `where` pins to one value, those of compound keys included. */
export function pinnedBy(model: Model, where: unknown): Row {
  const pinned: Record<string, unknown> = {}
  for (const [field, condition] of Object.entries(flattenUnique(model, where))) {
    const scalar = model.scalars.get(field)
    const value =
      scalar && literalOf(scalar, isPlain(condition) && 'equals' in condition ? condition.equals : condition)
    if (value !== undefined) pinned[field] = value
  }
  return pinned
}

/** The rows that the `where` of a bulk write can reach at most, as far as `{ id }` or `{ id: { in: […] } }` says it. */
export function pinnedRows(model: Model, where: unknown): readonly Row[] {
  const pinned = pinnedBy(model, where)
  for (const [field, condition] of Object.entries(isPlain(where) ? where : {})) {
    const scalar = model.scalars.get(field)
    if (!scalar || !isPlain(condition) || !Array.isArray(condition.in)) continue
    const values = condition.in.map((value) => literalOf(scalar, value))
    if (!values.includes(undefined)) return values.map((value) => ({ ...pinned, [field]: value }))
  }
  return [pinned]
}

/** A unique `where` as an ordinary one: `{ a_b: { a, b }, c }` to `{ a, b, c }`. */
export function flattenUnique(model: Model, where: unknown): Args {
  const flat: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(isPlain(where) ? where : {})) {
    const isField = model.scalars.has(key) || model.relations.has(key) || ['AND', 'OR', 'NOT'].includes(key)
    if (!isField && isPlain(value)) Object.assign(flat, value)
    else flat[key] = value
  }
  return flat
}

export function hasAll(row: Row, fields: readonly string[]): boolean {
  return fields.every((field) => row[field] !== undefined)
}

/** An object of the caller's that is no value of its own, such as a date or a decimal. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** `[]` of nothing, `[x]` of `x`, and a list as it is: how Prisma takes operations of lists. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function dateOf(value: unknown): Date | undefined {
  if (!(value instanceof Date) && typeof value !== 'string') return undefined
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}
