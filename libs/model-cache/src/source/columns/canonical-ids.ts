import type { SchemaFacts } from '../schema-facts.js'
import type { Source } from '../source.js'

type Fields = Readonly<Record<string, unknown>>

/** How the database spells the ids of a model, as a {@link Source} says it. */
export function canonicalIds<Id>(
  { models }: SchemaFacts,
  model: string,
  idFields: readonly string[],
): Pick<Source<unknown, Id>, 'isCanonical' | 'canonicalOf'> {
  const scalars = models.get(model)?.scalars
  const columns = idFields.flatMap((field) => scalars?.get(field) ?? [])
  if (columns.length < idFields.length) return {}
  const [column, ...others] = columns
  if (others.length === 0) {
    const { canonicalOf, isCanonical } = column!
    return { isCanonical, canonicalOf: canonicalOf as (id: Id) => Id | undefined }
  }
  return {
    isCanonical: (id) => columns.every(({ isCanonical, name }) => isCanonical((id as Fields)[name])),
    canonicalOf(id) {
      const values = columns.map(
        ({ canonicalOf, name }) => [name, canonicalOf((id as Fields)[name])] as const,
      )
      return values.every(([, value]) => value !== undefined) ? (Object.fromEntries(values) as Id) : undefined
    },
  }
}
