import type { BypassedQuery, ClientQueries, ModelQueries, ResultCounts } from 'model-cache/internal'

/**
 * The queries of several clients together, in one process or in many. Of different versions of an application, and of clients with other
 * `reads`, the caches of the first count that has some of the model.
 */
export function mergeQueries(all: readonly ClientQueries[]): ClientQueries {
  const models = Map.groupBy(
    all.flatMap((each) => each.models),
    ({ model }) => model,
  )
  const kept = all.find((each) => each.kept)?.kept
  return {
    composed: all[0]?.composed ?? [],
    takesAnyRow: all[0]?.takesAnyRow ?? false,
    ...(kept && { kept }),
    models: [...models.values()].map(([first, ...others]) => others.reduce(merged, first!)),
  }
}

function merged(one: ModelQueries, other: ModelQueries): ModelQueries {
  const counts = new Map<string, BypassedQuery>()
  for (const query of [...one.bypassed, ...other.bypassed]) {
    const key = JSON.stringify([query.action, query.reason, query.args])
    counts.set(key, { ...query, count: query.count + (counts.get(key)?.count ?? 0) })
  }
  const caches = one.caches ?? other.caches
  const results = mergedResults([...(one.results ?? []), ...(other.results ?? [])])
  const written = [one.written, other.written].filter((each) => each !== undefined)
  return {
    ...one,
    answered: one.answered + other.answered,
    ...(caches && { caches }),
    bypassed: [...counts.values()].toSorted((a, b) => b.count - a.count),
    ...(results.length > 0 && { results }),
    ...(written.length > 0 && {
      written: {
        count: written.reduce((sum, { count }) => sum + count, 0),
        agoMs: Math.min(...written.map(({ agoMs }) => agoMs)),
      },
    }),
  }
}

/** What several processes count of the results of one model. */
function mergedResults(all: readonly ResultCounts[]): readonly ResultCounts[] {
  const shapes = Map.groupBy(all, ({ action, args }) => JSON.stringify([action, args]))
  return [...shapes.values()]
    .map(([first, ...others]) => others.reduce(mergedResult, first!))
    .toSorted((a, b) => b.count - a.count)
}

function mergedResult(one: ResultCounts, other: ResultCounts): ResultCounts {
  const newest = (other.loadedAgoMs ?? Infinity) < (one.loadedAgoMs ?? Infinity) ? other : one
  return {
    ...one,
    models: [...new Set([...one.models, ...other.models])],
    count: one.count + other.count,
    loads: one.loads + other.loads,
    left: one.left + other.left,
    refused: one.refused + other.refused,
    length: newest.length ?? one.length ?? other.length,
    loadedAgoMs: newest.loadedAgoMs,
  }
}
