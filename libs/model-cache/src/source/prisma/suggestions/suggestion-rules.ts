import type { CandidateLookup } from './candidate.js'

/** What definitions allow, as far as suggestions have to know it. */
export interface SuggestionRules {
  /** The id of a definition without options, or with the option `id`; undefined for a model whose rows cannot be cached. */
  idOf(model: string): { readonly fields: readonly string[]; readonly option: string | undefined } | undefined
  /** Whether an application with the lookup would start. */
  isPossible(lookup: CandidateLookup): boolean
}
