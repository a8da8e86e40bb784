import { Decimal } from '@prisma/client/runtime/client'
import { familyOf } from '../../columns/column-kinds.js'
import type { Column } from '../../columns/column.js'
import type { Model } from '../../schema-facts.js'

/** Fields of a row by name, as the driver adapter returns them. */
export type StoredRow = Readonly<Record<string, unknown>>

/** Fields of a row by name, as the client has them. */
export type ClientRow = Readonly<Record<string, unknown>>

const fieldsByColumn = new WeakMap<Model, ReadonlyMap<string, string>>()

/** The fields of a model by column. */
export function fieldsOf(model: Model): ReadonlyMap<string, string> {
  let fields = fieldsByColumn.get(model)
  if (!fields) {
    fields = new Map([...model.scalars].map(([field, { column }]) => [column, field]))
    fieldsByColumn.set(model, fields)
  }
  return fields
}

/** The fields that change with columns: those of the client, and those that it lacks. A column of no field stays. */
export function changedFields(model: Model, columns: readonly string[]): readonly string[] {
  const fields = fieldsOf(model)
  return columns.flatMap((column) => {
    const hidden = model.hiddenFields.get(column)
    return hidden === undefined ? [fields.get(column) ?? column] : [column, hidden]
  })
}

export function clientRow({ scalars }: Model, row: StoredRow): ClientRow {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, clientValue(scalars.get(field)!, value)]),
  )
}

/** The value that Prisma makes of what the driver adapter returns; undefined if it is not known. */
function clientValue({ databaseValues, isList, type }: Column, value: unknown): unknown {
  if (value === null) return null
  if (value === undefined || isList) return undefined
  switch (type) {
    case 'String':
      return typeof value === 'string' ? value : undefined
    case 'Int':
      return Math.trunc(Number(value))
    case 'Float':
      return Number(value)
    case 'BigInt':
      return BigInt(value as string | number)
    case 'Boolean':
      return booleanOf(value)
    case 'Decimal':
      return new Decimal(value as string | number)
    case 'Bytes':
      return value instanceof Uint8Array ? Uint8Array.from(value) : undefined
    case 'Enum':
      return databaseValues ? nameOfValue(databaseValues, value) : value
    case 'DateTime':
      return typeof value === 'string' ? dateOf(value) : new Date(value as number | Date)
    default:
      return undefined
  }
}

/** The name that the client has for a value of an enum. */
export function nameOfValue(databaseValues: ReadonlyMap<string, string>, value: unknown): string | undefined {
  for (const [name, own] of databaseValues) if (own === value) return name
  return undefined
}

function booleanOf(value: unknown): boolean | undefined {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'number':
      return value === 1
    case 'string':
      return /^(?:true|1)$/i.test(value)
    default:
      return value instanceof Uint8Array ? value.some((byte) => byte !== 0) : undefined
  }
}

function dateOf(text: string): Date {
  const [, time, zone] = /(\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|[+-]\d{2}(?::?\d{2})?)?$/.exec(text) ?? []
  if (time === undefined) return new Date(`${text}T00:00:00Z`)
  const date = text.startsWith(time) ? `1970-01-01T${text}` : text.replace(' ', 'T')
  return new Date(
    zone === undefined
      ? `${date}Z`
      : date.replace(/([+-]\d{2})(\d{2})?$/, (_, hours, minutes) => `${hours}:${minutes ?? '00'}`),
  )
}

/** A parameter by which a statement finds a stored value again; undefined if there is none. */
export function parameterFor(
  scalar: Column,
  value: unknown,
  provider: string,
): { readonly arg: unknown; readonly argType: object } | undefined {
  const { nativeType, type } = scalar
  if (familyOf(provider) === 'postgresql') {
    // The adapter leaves out the zone, which it takes for UTC.
    if (type === 'DateTime' && (nativeType === 'Timetz' || typeof value !== 'string')) return undefined
    if (type === 'DateTime') return { arg: (value as string).replace(/\+00:00$/, ''), argType: asText }
    return { arg: value, argType: type === 'Bytes' ? { ...asText, scalarType: 'bytes' } : asText }
  }
  if (!scalar.isFoundAgain) return undefined
  // A BIT of MySQL, which is no text.
  if (value instanceof Uint8Array) return { arg: clientValue(scalar, value), argType: asText }
  return type === 'DateTime'
    ? { arg: clientValue(scalar, value), argType: { ...asText, scalarType: 'datetime' } }
    : { arg: value, argType: asText }
}

/** PostgreSQL infers the type from the column. */
const asText = { scalarType: 'string', arity: 'scalar' }
