import { type Type, type } from 'arktype'
import { bytes, decimal, json } from 'model-cache/arktype'
import type { Field, FieldType } from './models.ts'

const types: Record<FieldType, Type> = {
  Int: type('number.integer') as never,
  Float: type('number') as never,
  BigInt: type('bigint') as never,
  String: type('string') as never,
  Boolean: type('boolean') as never,
  DateTime: type('Date') as never,
  Decimal: decimal as never,
  Bytes: bytes as never,
  Json: json as never,
  Role: type("'MEMBER' | 'ADMIN' | 'GUEST'") as never,
}

/**
 * The schema of a row of these fields, for a cache. Ids are not nullable to it: rows without one are not in it.
 *
 * @param own replace those of their fields
 */
export function rowTypeOf(
  fields: Readonly<Record<string, Field>>,
  ids: readonly string[],
  own: Readonly<Record<string, Type>> = {},
): Type {
  const row = Object.entries(fields).map(([name, { type: fieldType, isList, isNullable }]) => {
    const value = types[fieldType]
    if (own[name]) return [name, own[name]]
    if (isList) return [name, value.array()]
    return [name, isNullable && !ids.includes(name) ? value.or('null') : value]
  })
  return type(Object.fromEntries(row) as never) as never
}
