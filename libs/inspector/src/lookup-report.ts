import type { BoundLookup } from 'model-cache/internal'
import type { LookupDefinitionReport } from './report.js'
import { shownValue } from './show-value.js'

/** Says which rows of a key a lookup finds. */
export function lookupDefinitionOf({
  kind,
  limit,
  maxRows,
  orderBy,
  through,
  where,
}: BoundLookup): LookupDefinitionReport {
  const conditions = shownValue(where)
  return {
    through: through ?? null,
    where: Object.keys(where).length > 0 && conditions.kind === 'text' ? conditions.text : null,
    orderBy: kind === 'list' ? orderBy.flatMap((order) => Object.entries(order).map(textOfOrder)) : [],
    limit: limit ?? null,
    maxRows: kind === 'list' && limit === undefined ? maxRows : null,
  }
}

function textOfOrder([field, order]: readonly [string, unknown]): string {
  if (typeof order === 'string') return `${field} ${order}`
  const { sort, nulls } = order as { readonly sort: string; readonly nulls?: string }
  return nulls === undefined ? `${field} ${sort}` : `${field} ${sort} nulls ${nulls}`
}
