import { equalityOf } from '../source/equality.js'
import type { Model, ScalarColumn } from '../source/schema-facts.js'

const idTypes = new Set(['String', 'Int', 'BigInt', 'Float', 'Enum', 'DateTime'])

type Keys = ReadonlyMap<string, readonly string[]>

/** The unique keys of a model that can be ids: by name, their fields. All rows have them, and JavaScript tells their values apart. */
export function idKeysOf(model: Model, provider: string): Keys {
  return keysOf(model, (scalar) => canBeInId(scalar, provider))
}

/** Whether a field can be the id, or a part of it. */
export function canBeInId(scalar: ScalarColumn | undefined, provider: string): boolean {
  return hasIdType(scalar) && (scalar!.type !== 'DateTime' || equalityOf(scalar!, provider) !== undefined)
}

/** Returns the fields that are dates without a time. */
export function dayFieldsOf(
  { scalars }: Model,
  provider: string,
  fields: readonly string[],
): readonly string[] {
  return fields.filter((field) => {
    const scalar = scalars.get(field)
    return scalar !== undefined && equalityOf(scalar, provider) === 'day'
  })
}

function hasIdType(scalar: ScalarColumn | undefined): boolean {
  return scalar !== undefined && idTypes.has(scalar.type)
}

function keysOf({ scalars, uniqueKeys }: Model, isPart: (scalar: ScalarColumn | undefined) => boolean): Keys {
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

/** The key that a printed definition names, because it is not found otherwise: the primary key, or another one. */
export function printedKeyOf(model: Model, provider: string): string | undefined {
  const keys = idKeysOf(model, provider)
  if (keys.has(defaultKeyOf(model) ?? '')) return undefined
  const names = [...keys.keys()]
  return names.find((name) => keys.get(name)!.join() === model.primaryKey.join()) ?? names[0]
}
