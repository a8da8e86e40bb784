import { keptOutOf, type ReturnedFields, selectedKeptOut } from '../../kept-out.js'
import { findActions } from '../operations.js'

type Arguments = Readonly<Record<string, unknown>>

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
  if (findActions.has(action)) return selectedKeptOut(returned, model, args) !== undefined
  const grouped = [args['by']].flat()
  return keptOutOf(returned.models, model).some(
    (field) =>
      grouped.includes(field) ||
      aggregations.some((name) => Boolean((args[name] as Arguments | undefined)?.[field])),
  )
}
