import {
  type BypassedQuery,
  type ClientQueries,
  type ModelQueries,
  queryText,
  type ResultCounts,
  type SchemaFacts,
  type ShapedArgs,
} from 'model-cache/internal'
import { suggestionRules } from './suggestion-rules.js'
import { describeSuggestions, type SuggestionsReport } from './describe-suggestions.js'
import { findResultFaults, type ResultFault } from './find-result-faults.js'
import { mergeQueries } from './merge-queries.js'
import { queriesIn } from './queries-in.js'
import { suggest } from './suggest.js'

/** What became of the queries of all processes, and what to declare. */
export interface QueriesWithSuggestions extends Omit<ClientQueries, 'models'> {
  readonly models: readonly ShownModelQueries[]
  readonly suggestions: SuggestionsReport
  /** Why results that are kept do not pay. */
  readonly resultFaults: readonly ResultFault[]
}

export interface ShownModelQueries extends ModelQueries {
  readonly bypassed: readonly ShownQuery[]
  readonly results?: readonly ShownResult[]
}

/** A query as people write it, with `?` for values. */
export interface ShownQuery extends BypassedQuery {
  readonly query: string
}

export interface ShownResult extends ResultCounts {
  readonly query: string
}

/**
 * Adds the queries of several processes, and finds what would answer those that went to the database.
 *
 * @param answers of processes, or of the inspector; what is neither is left out
 * @param most the number of queries that are planned, the most frequent ones: each takes about a millisecond. @default all
 * @returns undefined if nothing is left
 */
export function suggestDefinitions(
  answers: readonly unknown[],
  facts: SchemaFacts,
  most = Infinity,
): QueriesWithSuggestions | undefined {
  const all = answers.flatMap(queriesIn)
  if (all.length === 0) return undefined
  const queries = mergeQueries(all)
  const rules = suggestionRules(facts)
  return {
    ...queries,
    models: queries.models.map(({ bypassed, results, ...model }) => ({
      ...model,
      bypassed: bypassed.map(shown),
      ...(results && { results: results.map(shown) }),
    })),
    resultFaults: findResultFaults(queries),
    suggestions: describeSuggestions(suggest(facts, queries, rules, most), queries, facts, rules),
  }
}

function shown<Query extends { readonly action: string; readonly args?: ShapedArgs }>(
  query: Query,
): Query & { readonly query: string } {
  const { action, args } = query
  return { ...query, query: args ? queryText(action, args) : `${action}(…)` }
}
