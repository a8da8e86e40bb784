import { isPlain } from './plain.js'
import type { Selection } from './row-shape.js'
import type { Models } from './schema-facts.js'

/**
 * Finds the models that a selection reads through relations at any depth: those that it selects or counts, and those in its filters
 * and orders.
 */
export function relatedModelsOf(
  models: Models,
  model: string,
  { select, include }: Selection,
): readonly string[] {
  const found = new Set<string>()
  for (const part of [select, include]) addRelated(models, found, model, part)
  return [...found]
}

/** Keywords with conditions, orders or fields in them. A relation may have such a name. */
const keywords: ReadonlySet<string> = new Set([
  'where',
  'select',
  'include',
  'orderBy',
  'AND',
  'OR',
  'NOT',
  'is',
  'isNot',
  'some',
  'every',
  'none',
])

/** Adds the models of the relations that an argument of a query names, of rows of a model. */
export function addRelated(models: Models, found: Set<string>, name: string, part: unknown): void {
  if (Array.isArray(part)) for (const each of part) addRelated(models, found, name, each)
  if (!isPlain(part)) return
  const { relations, relationTargets } = models.get(name) ?? {}
  for (const key in part) {
    const value = part[key]
    if (value === undefined || value === false) continue
    const target = relationTargets?.get(key)
    if (target !== undefined) found.add(target)
    // `_count: true` counts the relations that are lists.
    else if (key === '_count' && value === true)
      for (const [field, counted] of relationTargets ?? [])
        if (relations!.get(field)?.isList ?? true) found.add(counted)
    // Keywords stay within the current model. One that is also the name of a relation is taken for both.
    if (target === undefined || keywords.has(key)) addRelated(models, found, name, value)
    if (target !== undefined) addRelated(models, found, target, value)
  }
}
