import { isPlain } from './plain.js'
import { omissionsOf, type RowShapeFacts, type Selection } from './row-shape.js'
import type { Models } from './schema-facts.js'

export interface ReturnedFields extends RowShapeFacts {
  /** The fields that Prisma returns for computed ones. @default none */
  readonly neededOf?: (model: string) => readonly string[]
}

/** The fields of a model that the schema marks `/// @cache(omit)`. */
export function keptOutOf(models: Models, name: string): readonly string[] {
  return [...(models.get(name)?.scalars.values() ?? [])].flatMap(({ isKeptOut, name: field }) =>
    isKeptOut ? [field] : [],
  )
}

/** Returns the path of such a field that the rows of a selection have, at any depth; undefined if they have none. */
export function selectedKeptOut(
  returned: ReturnedFields,
  name: string,
  selection: Selection,
): string | undefined {
  const { models, neededOf } = returned
  const { include, select } = selection
  const isOmitted = omissionsOf(returned, name, selection)
  const isReturned = (field: string): boolean =>
    isPlain(select) ? Boolean(select[field]) : !isOmitted(field)
  const own = keptOutOf(models, name).find((field) => isReturned(field) || neededOf?.(name).includes(field))
  if (own !== undefined) return own
  for (const selected of [select, include]) {
    for (const [field, value] of isPlain(selected) ? Object.entries(selected) : []) {
      const target = models.get(name)?.relationTargets.get(field)
      if (target === undefined || value === undefined || value === false) continue
      const found = selectedKeptOut(returned, target, isPlain(value) ? value : {})
      if (found !== undefined) return `${field}.${found}`
    }
  }
  return undefined
}
