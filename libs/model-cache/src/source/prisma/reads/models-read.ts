import { addRelated } from '../../related-models.js'
import type { Models } from '../../schema-facts.js'
import { findActions } from '../operations.js'

/** The arguments of aggregations that may name relations. In others, `_count` counts rows of the model. */
const conditions = ['where', 'orderBy', 'having', 'cursor'] as const

/**
 * Returns all models that a query reads: its own, and those of the relations that any of its arguments names. There may be more of them: a
 * value of a Json field may have the name of a relation.
 *
 * @param args a copy, of plain objects
 */
export function modelsRead(
  models: Models,
  { action, args, model }: { readonly action: string; readonly args: object; readonly model: string },
): ReadonlySet<string> {
  const found = new Set([model])
  const given = args as Readonly<Record<string, unknown>>
  const parts = findActions.has(action) ? Object.values(given) : conditions.map((name) => given[name])
  for (const part of parts) addRelated(models, found, model, part)
  return found
}
