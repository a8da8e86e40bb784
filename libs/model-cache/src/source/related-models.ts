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
  const visit = (from: string, part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const described = models.get(from)
    const relations = described?.relationTargets
    for (const [key, value] of Object.entries(part)) {
      const target = relations?.get(key)
      if (value === undefined || value === false) continue
      if (target !== undefined) found.add(target)
      // `_count: true` counts the relations that are lists.
      if (key === '_count' && value === true)
        for (const [field, counted] of relations ?? [])
          if (described!.relations.get(field)?.isList ?? true) found.add(counted)
      // Keywords such as `where` and `some` stay within the current model.
      visit(target ?? from, value)
    }
  }
  visit(model, { select, include })
  return [...found]
}
