import type { Column } from '../source/columns/column.js'
import type { ScalarColumn } from '../source/columns/scalar-column.js'
import type { Model } from '../source/schema-facts.js'

const idTypes = new Set(['String', 'Int', 'BigInt', 'Float', 'Enum', 'DateTime'])

type Keys = ReadonlyMap<string, readonly string[]>

/** The unique keys of a model that can be ids: by name, their fields. All rows have them, and JavaScript tells their values apart. */
export function idKeysOf(model: Model): Keys {
  return keysOf(model, canBeInId)
}

/** Whether a field can be the id, or a part of it. */
export function canBeInId(column: Column | undefined): boolean {
  if (!hasIdType(column)) return false
  const { kind, objection, type } = column!
  return type !== 'DateTime' || (kind !== 'opaque' && objection === undefined)
}

/** Returns the fields that are dates without a time. */
export function dayFieldsOf({ scalars }: Model, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => scalars.get(field)?.kind === 'day')
}

function hasIdType(column: Column | undefined): boolean {
  return column !== undefined && idTypes.has(column.type)
}

function keysOf({ scalars, uniqueKeys }: Model, isPart: (column: Column | undefined) => boolean): Keys {
  return new Map([...uniqueKeys].filter(([, fields]) => fields.every((field) => isPart(scalars.get(field)))))
}

/** `String @db.Char(6)`, `DateTime[]`. */
export function typeNameOf({ type, isList, nativeType, nativeArguments }: ScalarColumn): string {
  const args = nativeArguments.length > 0 ? `(${nativeArguments.join(', ')})` : ''
  return type + (isList ? '[]' : '') + (nativeType === undefined ? '' : ` @db.${nativeType}${args}`)
}

/** The key that is the id unless a definition names one: `id`, or the only one, as types of definitions find it. They know no precision of dates. */
export function defaultKeyOf(model: Model): string | undefined {
  const keys = keysOf(model, hasIdType)
  if (keys.has('id')) return 'id'
  return keys.size === 1 ? [...keys.keys()][0] : undefined
}
