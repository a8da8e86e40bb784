import type { Model, ScalarColumn } from '../source/schema-facts.js'

const idTypes = new Set(['String', 'Int', 'BigInt', 'Float', 'Enum'])

/** The unique keys of a model that can be ids: by name, their fields. All rows have them, and all their values are plain. */
export function idKeysOf({ uniqueKeys, scalars }: Model): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...uniqueKeys].filter(([, fields]) => fields.every((field) => canBeInId(scalars.get(field)))),
  )
}

/** Whether a field can be the id, or a part of it. */
export function canBeInId(scalar: ScalarColumn | undefined): boolean {
  return scalar !== undefined && idTypes.has(scalar.type)
}

/** `String @db.Char(6)`, `DateTime[]`. */
export function typeNameOf({ type, isList, nativeType, nativeArguments }: ScalarColumn): string {
  const args = nativeArguments.length > 0 ? `(${nativeArguments.join(', ')})` : ''
  return type + (isList ? '[]' : '') + (nativeType === undefined ? '' : ` @db.${nativeType}${args}`)
}

/** The key that is the id unless a definition names one: `id`, or the only one. */
export function defaultKeyIn(keys: ReadonlyMap<string, unknown>): string | undefined {
  if (keys.has('id')) return 'id'
  return keys.size === 1 ? [...keys.keys()][0] : undefined
}

/** The key that a printed definition names, because it is not found otherwise: the primary key, or another one. */
export function printedKeyOf(model: Model): string | undefined {
  const keys = idKeysOf(model)
  if (defaultKeyIn(keys) !== undefined) return undefined
  const names = [...keys.keys()]
  return names.find((name) => keys.get(name)!.join() === model.primaryKey.join()) ?? names[0]
}
