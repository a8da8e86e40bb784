import type { Args } from './prisma-internals.js'
import type { DataModel, Model, Scalar } from './data-model.js'

export type Row = Readonly<Record<string, unknown>>

/** Native types of strings that databases return as they were given. `undefined` is the default of the database. */
const plainTexts = new Set([
  undefined,
  'Text',
  'VarChar',
  'String',
  'NVarChar',
  'TinyText',
  'MediumText',
  'LongText',
])
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Whole milliseconds at most: a date of JavaScript holds no smaller parts. */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * The value as a row of the database shows it, or undefined when it cannot be determined from what was given: decimals
 * and bytes, and text that the database compares or stores in a way of its own. `null` is `null`.
 */
export function literalOf({ type, nativeType }: Scalar, value: unknown): unknown {
  if (value === null) return null
  switch (type) {
    case 'String':
      return typeof value === 'string' ? textOf(nativeType, value) : undefined
    case 'Enum':
      return typeof value === 'string' ? value : undefined
    case 'Int':
      // A negative zero is a zero in the database.
      return Number.isSafeInteger(value) ? (value as number) + 0 : undefined
    case 'Boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'BigInt':
      return typeof value === 'bigint' || Number.isSafeInteger(value)
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
 * Whether a row is found by the value that it shows of the field. Of some types values of JavaScript lose a part, such as
 * the microseconds of `@db.Timestamptz(6)`.
 */
export function isExact({ type, nativeType }: Scalar): boolean {
  switch (type) {
    case 'String':
      return plainTexts.has(nativeType) || nativeType === 'Uuid' || nativeType === 'Citext'
    case 'DateTime':
      return nativeType === undefined
    default:
      return type === 'Int' || type === 'BigInt' || type === 'Boolean' || type === 'Enum'
  }
}

/** Whether rows can be found by their values of the fields, which all are fields of the model. */
export function areExact({ scalars }: Model, fields: readonly string[]): boolean {
  return fields.every((field) => {
    const scalar = scalars.get(field)
    return scalar !== undefined && isExact(scalar)
  })
}

/**
 * The scalar fields that the `data` of a create or an update sets, also those of foreign keys that it sets through
 * relations. The value is undefined where it cannot be determined.
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
  return pinnedIn(model, flattenUnique(model, where))
}

/** The rows that the `where` of a bulk write can reach at most, as far as `{ id }` or `{ id: { in: […] } }` says it. */
export function pinnedRows(model: Model, where: unknown): readonly Row[] {
  const conditions = isPlain(where) ? where : {}
  const pinned = pinnedIn(model, conditions)
  for (const [field, condition] of Object.entries(conditions)) {
    const scalar = model.scalars.get(field)
    const list = scalar && operandOf(condition, 'in')
    if (!Array.isArray(list)) continue
    const values = list.map((value) => literalOf(scalar!, value))
    if (!values.includes(undefined)) return values.map((value) => ({ ...pinned, [field]: value }))
  }
  return [pinned]
}

/** The models of the relations that a `where` looks at. */
export function modelsIn(models: DataModel, model: Model, where: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (model: Model, filter: unknown): void => {
    for (const part of listOf(filter)) {
      for (const [key, value] of Object.entries(isPlain(part) ? part : {})) {
        const relation = model.relations.get(key)
        if (['AND', 'OR', 'NOT'].includes(key)) visit(model, value)
        else if (relation) {
          found.add(relation.target)
          // `{ some: … }` of a list, `{ is: … }` or the condition itself of a single row.
          const target = models.get(relation.target)!
          visit(target, value)
          for (const inner of Object.values(isPlain(value) ? value : {})) visit(target, inner)
        }
      }
    }
  }
  visit(model, where)
  return found
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

function pinnedIn(model: Model, conditions: Args): Row {
  const pinned: Record<string, unknown> = {}
  for (const [field, condition] of Object.entries(conditions)) {
    const scalar = model.scalars.get(field)
    const value = scalar && literalOf(scalar, isPlain(condition) ? operandOf(condition, 'equals') : condition)
    if (value !== undefined) pinned[field] = value
  }
  return pinned
}

/**
 * The operand of a filter that consists of this one operator. Others beside it may change what it means, as
 * `mode: 'insensitive'` does, and so may those of a later Prisma.
 */
function operandOf(filter: unknown, operator: 'equals' | 'in'): unknown {
  if (!isPlain(filter)) return undefined
  for (const [key, value] of Object.entries(filter)) {
    if (key !== operator && value !== undefined && !(key === 'mode' && value === 'default')) return undefined
  }
  return filter[operator]
}

function textOf(nativeType: string | undefined, text: string): string | undefined {
  if (nativeType === 'Uuid') return uuid.test(text) ? text.toLowerCase() : undefined
  // Half of a surrogate pair cannot be stored, and a length limit cuts spaces at the end.
  const isKept = plainTexts.has(nativeType) && !/\p{Surrogate}/u.test(text)
  return isKept && (nativeType === undefined || !text.endsWith(' ')) ? text : undefined
}

function dateOf(value: unknown): Date | undefined {
  if (!(value instanceof Date) && !(typeof value === 'string' && timestamp.test(value))) return undefined
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}
