import type { Column } from '../../columns/column.js'
import type { Scope } from '../../query-results.js'
import type { Models } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import { type ScopeFields, scopesRead } from './scopes-read.js'

/** As {@link scopesRead}, with the values as rows have them: only of models all of whose values are stored as the query has them. */
export function storedScopesOf(
  models: Models,
  fields: ScopeFields,
  query: { readonly model: string; readonly action: string; readonly args: Args },
): ReadonlyMap<string, readonly Scope[]> {
  return scopesRead(models, fields, query, storedValue)
}

/** A value as rows have it, by which a write names them; undefined if the database may compare it with other ones. */
function storedValue({ hasOneText, isLoose, read }: Column, value: unknown): unknown {
  return hasOneText && !isLoose ? read?.(value) : undefined
}
