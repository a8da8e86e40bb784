import { isPlain } from '../../plain.js'
import type { Models } from '../../schema-facts.js'
import { findActions } from '../operations.js'

type Arguments = Readonly<Record<string, unknown>>

export interface ReturnedFields {
  readonly models: Models
  /** The fields that the client omits unless a query says otherwise. */
  readonly omittedOf: (model: string) => Arguments | undefined
  /** The fields that Prisma returns for computed ones. */
  readonly neededOf: (model: string) => readonly string[]
}

/** Aggregations that have values of their fields. Counts have none. */
const aggregations = ['_min', '_max', '_sum', '_avg'] as const

/**
 * Whether a query returns a field that the schema marks `/// @cache(omit)`, at any depth.
 *
 * @param query its arguments are a copy, of plain objects
 */
export function returnsKeptOut(
  returned: ReturnedFields,
  { action, args, model }: { readonly action: string; readonly args: Arguments; readonly model: string },
): boolean {
  if (findActions.has(action)) return selectsKeptOut(returned, model, args)
  const grouped = [args['by']].flat()
  return keptOutOf(returned.models, model).some(
    (field) =>
      grouped.includes(field) ||
      aggregations.some((name) => Boolean((args[name] as Arguments | undefined)?.[field])),
  )
}

function selectsKeptOut(
  returned: ReturnedFields,
  name: string,
  { include, omit, select }: Arguments,
): boolean {
  const { models, neededOf, omittedOf } = returned
  const isOmitted = (field: string): boolean =>
    ((omit as Arguments | undefined)?.[field] ?? omittedOf(name)?.[field]) === true
  const isReturned = (field: string): boolean =>
    isPlain(select) ? select[field] === true : !isOmitted(field)
  if (keptOutOf(models, name).some((field) => isReturned(field) || neededOf(name).includes(field)))
    return true
  return [select, include].some(
    (selected) =>
      isPlain(selected) &&
      Object.entries(selected).some(([field, value]) => {
        const target = models.get(name)?.relationTargets.get(field)
        if (target === undefined || value === undefined || value === false) return false
        return selectsKeptOut(returned, target, isPlain(value) ? value : {})
      }),
  )
}

function keptOutOf(models: Models, name: string): readonly string[] {
  return [...(models.get(name)?.scalars.values() ?? [])].flatMap(({ isKeptOut, name: field }) =>
    isKeptOut ? [field] : [],
  )
}
