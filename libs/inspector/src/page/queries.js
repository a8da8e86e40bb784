/** What the outcomes of queries of Prisma mean; docs/transparent-reads.md has more. */
export const QUERY_OUTCOMES = {
  answered: 'From the cache.',
  result: 'By the result of the same query, of which no model has been written since.',
  shadowed: 'By the database, as shadow mode has it. The cache was compared with the result.',
  transaction: 'The query was part of a transaction, or its caller was in one.',
  operation: 'It was an aggregate or a groupBy.',
  condition: 'Its where named no id, unique key or list, or had a condition that only the database decides.',
  id_value: 'An id or key was missing, of another type, or in another form than rows have it.',
  too_many_ids: 'It named more ids or keys than one statement has parameters for.',
  relations: 'It asked for relations that no caches have, or for a field that the schema does not have.',
  fields:
    'It asked for a field that the cache does not have, such as one in omit or with a schema in refine.',
  order: 'Only the database knows the order, or which row comes first.',
  paging: 'Its page could have other rows, or more than the list has; or it had distinct.',
  costs: 'It wanted a part of a long list, or its length, which the database has for less.',
  argument: 'It had another argument, or one that Prisma may refuse.',
  not_found: 'There was no row, and …OrThrow rejects with the error of Prisma.',
  apart: 'A row was gone to which another one leads: they were read before and after a write.',
  uncached: 'It was sent through $uncached.',
  not_registered: 'The cache cannot answer queries, did not exist yet, or loads from another client.',
  unsupported_client: 'Prisma behaves differently than expected, or an extension sends the queries.',
  error: 'The cache failed.',
}

/**
 * Sums up what became of the queries of a cache.
 *
 * @param queries of the figures of the cache
 * @returns `{ total, bypassed, share, reasons }`: the share of queries that the database answered, and why, the most frequent reason
 *   first; null without queries
 */
export function bypassesOf({ answered, bypassed, results, shadowed }) {
  const reasons = Object.entries(bypassed)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((one, other) => other.count - one.count)
  const sum = reasons.reduce((total, { count }) => total + count, 0)
  const total = answered + results + shadowed + sum
  return total === 0 ? null : { total, bypassed: sum, share: sum / total, reasons }
}

/**
 * Says why queries without `select` always go to the database; undefined if they do not.
 *
 * @param coverage of the cache in a process, or null
 */
export function missingFieldsOf(coverage) {
  if (!coverage || coverage.missing.length === 0) return undefined
  const named = (because) =>
    coverage.missing.filter((missing) => missing.because === because).map(({ field }) => field)
  const [omitted, reshaped] = [named('omitted'), named('reshaped')]
  const parts = [
    ...(omitted.length > 0 ? [`its rows do not have ${listed(omitted)} (omit, or not selected)`] : []),
    ...(reshaped.length > 0 ? [`its rows have only the named keys of ${listed(reshaped)} (refine)`] : []),
  ]
  return parts.join(', and ')
}

/** Names at most five. */
function listed(fields) {
  const shown = fields.slice(0, 5).join(', ')
  return fields.length > 5 ? `${shown} and ${fields.length - 5} others` : shown
}
