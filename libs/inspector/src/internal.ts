/**
 * `@model-cache/inspector/internal`: for packages of the same version, such as `@model-cache/cli`. Loads no Nest. Changes without notice; an
 * application imports `@model-cache/inspector`.
 *
 * @module @model-cache/inspector/internal
 */

// What to declare, and which results do not pay
export type { SuggestedAddition, SuggestionsReport } from './suggestions/describe-suggestions.js'
export {
  areSeldomFound,
  findResultFaults,
  leastReads,
  type ResultFault,
} from './suggestions/find-result-faults.js'
export { mergeQueries } from './suggestions/merge-queries.js'
export { type PossibleLookups, possibleLookupsOf, printedKeyOf } from './suggestions/possible-lookups.js'
export { queriesIn } from './suggestions/queries-in.js'
export { suggestDefinitions } from './suggestions/suggest-definitions.js'
