import { isPlain } from '../../plain.js'
import type { ClientQueries } from '../reads/client-queries.js'

/** Finds queries in JSON: those of one client, or of each root in an answer of the inspector. Empty for anything else. */
export function queriesIn(json: unknown): readonly ClientQueries[] {
  if (!isPlain(json)) return []
  if (Array.isArray(json['roots'])) return json['roots'].flatMap(queriesIn)
  return areQueries(json) ? [json] : []
}

function areQueries(json: object): json is ClientQueries {
  const { composed, models } = json as Partial<Record<keyof ClientQueries, unknown>>
  return (
    areTexts(composed) &&
    Array.isArray(models) &&
    models.every(
      ({ answered, bypassed, caches = [], model, omitted }: Readonly<Record<string, unknown>>) =>
        typeof model === 'string' &&
        typeof answered === 'number' &&
        areTexts(omitted) &&
        Array.isArray(caches) &&
        Array.isArray(bypassed),
    )
  )
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
