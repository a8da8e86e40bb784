import type { Model, Models } from 'model-cache/internal'

/** The fields of a key, or the relation at whose other side they are. */
interface Key {
  readonly by: readonly string[]
  readonly through?: string | undefined
}

/** What a definition says of a key of text that a collation compares: without case, as databases do by default. */
export function foldOption(models: Models, model: Model, { by, through }: Key): { readonly fold?: 'case' } {
  const holder = through === undefined ? model : models.get(model.relationTargets.get(through) ?? '')
  const fields = through === undefined ? by : (holder?.primaryKey ?? [])
  const isCollated = fields.some((field) => holder?.scalars.get(field)?.kind === 'collated')
  return isCollated ? { fold: 'case' } : {}
}
