import type { BypassedQuery } from '../reads/bypassed-queries.js'
import type { ClientQueries, ModelQueries } from '../reads/client-queries.js'

/** The queries of several processes together. Of different versions of an application, the caches of the first count. */
export function mergeQueries(all: readonly ClientQueries[]): ClientQueries {
  const models = Map.groupBy(
    all.flatMap((each) => each.models),
    ({ model }) => model,
  )
  return {
    composed: all[0]?.composed ?? [],
    takesAnyRow: all[0]?.takesAnyRow ?? false,
    models: [...models.values()].map(([first, ...others]) => others.reduce(merged, first!)),
  }
}

function merged(one: ModelQueries, other: ModelQueries): ModelQueries {
  const counts = new Map<string, BypassedQuery>()
  for (const query of [...one.bypassed, ...other.bypassed]) {
    const key = JSON.stringify([query.action, query.reason, query.args])
    counts.set(key, { ...query, count: query.count + (counts.get(key)?.count ?? 0) })
  }
  return {
    ...one,
    answered: one.answered + other.answered,
    bypassed: [...counts.values()].toSorted((a, b) => b.count - a.count),
  }
}
