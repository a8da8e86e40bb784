import { isPlain } from '../../plain.js'
import type { Model, Models } from '../../schema-facts.js'
import type { Args } from '../internals.js'

/** The fields of a row by name; undefined where a value cannot be determined. */
export type Row = Readonly<Record<string, unknown>>

/** The conditions of a `where` that hold other conditions. */
const combining: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT'])
const none: readonly never[] = []

/** Whether all of these are fields of the model that a query finds rows by. */
export function areExact({ scalars }: Model, fields: readonly string[]): boolean {
  return fields.every((field) => scalars.get(field)?.isFoundAgain)
}

/**
 * The fields by which a query finds each row of a model again, and locks it: the primary key, or else a unique key that all rows have.
 * Empty if there is none that JavaScript represents exactly.
 */
export function rowKeyOf(model: Model): readonly string[] {
  const { primaryKey, uniqueKeys } = model
  const keys = [primaryKey, ...uniqueKeys.values()]
  return keys.find((key) => key.length > 0 && areExact(model, key)) ?? []
}

/** Thrown where the arguments of a query do not show what it writes. */
export class UnknownWriteError extends Error {}

/**
 * The fields of an object that says what is written; none if it is missing.
 *
 * @throws UnknownWriteError for anything else. This Prisma refuses it.
 */
export function fieldsOf(data: unknown): Args {
  if (data === undefined) return noFields
  if (isPlain(data)) return data
  throw new UnknownWriteError()
}

const noFields: Args = {}

/**
 * The scalar fields that the `data` of a create or an update sets, including foreign keys that it sets through
 * relations.
 *
 * @throws UnknownWriteError
 */
export function changesOf(model: Model, data: unknown): Row {
  const changes: Record<string, unknown> = {}
  const fields = fieldsOf(data)
  for (const name of Object.keys(fields)) {
    const given = fields[name]
    if (given === undefined) continue
    const scalar = model.scalars.get(name)
    if (scalar) changes[name] = scalar.literalOf(isPlain(given) && 'set' in given ? given.set : given)
    for (const field of model.relations.get(name)?.fields ?? none) changes[field] = undefined
  }
  return changes
}

/** Whether the `data` of a create or an update writes through relations. */
export function hasRelations({ relations }: Model, data: unknown): boolean {
  return Object.keys(fieldsOf(data)).some((field) => relations.has(field))
}

/** Whether the `data` of an update only connects and disconnects rows of implicit many-to-many relations. */
export function changesJoinTablesOnly(model: Model, data: unknown): boolean {
  const fields = fieldsOf(data)
  const given = Object.keys(fields).filter((field) => fields[field] !== undefined)
  return given.length > 0 && given.every((field) => model.relations.get(field)?.keyHolder === 'join-table')
}

/** The fields that a unique `where` pins to one value, including those of compound keys. */
export function pinnedBy(model: Model, where: unknown): Row {
  return pinnedIn(model, flattenUnique(model, where))
}

/** The most rows that the `where` of a bulk write can match, as far as `{ id }`, `{ id: { in: […] } }` or `{ OR: [{ a, b }, …] }` pins them. */
export function pinnedRows(model: Model, where: unknown): readonly Row[] {
  const conditions = isPlain(where) ? where : {}
  const pinned = pinnedIn(model, conditions)
  const { OR: alternatives } = conditions
  if (Array.isArray(alternatives) && alternatives.every(isPlain))
    return alternatives.map((alternative) => ({ ...pinned, ...pinnedIn(model, alternative) }))
  for (const [field, condition] of Object.entries(conditions)) {
    const scalar = model.scalars.get(field)
    const list = scalar && operandOf(condition, 'in')
    if (!Array.isArray(list)) continue
    const values = list.map((value) => scalar!.matchedBy(value))
    if (!values.includes(undefined)) return values.map((value) => ({ ...pinned, [field]: value }))
  }
  return [pinned]
}

/** The models that a `where` filters by, through relations. */
export function modelsFilteredBy(models: Models, model: Model, where: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (model: Model, filter: unknown): void => {
    for (const part of listOf(filter)) {
      for (const [key, value] of Object.entries(isPlain(part) ? part : {})) {
        const relation = model.relations.get(key)
        if (combining.has(key)) visit(model, value)
        else if (relation) {
          found.add(relation.target)
          // A list has `{ some: … }`; a single row has `{ is: … }` or the condition itself.
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
  if (!isPlain(where)) return flat
  for (const key of Object.keys(where)) {
    const value = where[key]
    const isField = model.scalars.has(key) || model.relations.has(key) || combining.has(key)
    if (!isField && isPlain(value)) Object.assign(flat, value)
    else flat[key] = value
  }
  return flat
}

/** Returns `[]` for undefined, `[x]` for `x`, and a list as it is, as Prisma does for operations on lists. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function pinnedIn(model: Model, conditions: Args): Row {
  const pinned: Record<string, unknown> = {}
  for (const field of Object.keys(conditions)) {
    const condition = conditions[field]
    const scalar = model.scalars.get(field)
    const value = scalar?.matchedBy(isPlain(condition) ? operandOf(condition, 'equals') : condition)
    if (value !== undefined) pinned[field] = value
  }
  return pinned
}

/**
 * The operand of a filter that consists of this operator alone. Other operators may change its meaning, as
 * `mode: 'insensitive'` does, and so may operators of a later Prisma.
 */
function operandOf(filter: unknown, operator: 'equals' | 'in'): unknown {
  if (!isPlain(filter)) return undefined
  for (const [key, value] of Object.entries(filter)) {
    if (key !== operator && value !== undefined && !(key === 'mode' && value === 'default')) return undefined
  }
  return filter[operator]
}
