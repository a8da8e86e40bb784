import { isPlain } from '../../plain.js'
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
  if (findActions.has(action)) addRelated(models, found, model, args)
  else
    for (const name of conditions)
      addRelated(models, found, model, (args as Readonly<Record<string, unknown>>)[name])
  return found
}

/**
 * Adds the models of the relations that a part of a query names, of rows of a model.
 *
 * @param value a copy, of plain objects
 */
export function addRelated(models: Models, found: Set<string>, name: string, value: unknown): void {
  if (Array.isArray(value)) for (const each of value) addRelated(models, found, name, each)
  if (!isPlain(value)) return
  const targets = models.get(name)?.relationTargets
  for (const key in value) {
    const target = targets?.get(key)
    if (target !== undefined) found.add(target)
    else if (key === '_count' && value[key] === true)
      for (const each of targets?.values() ?? []) found.add(each)
    addRelated(models, found, target ?? name, value[key])
  }
}
