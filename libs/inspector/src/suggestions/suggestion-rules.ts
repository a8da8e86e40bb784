import { defaultKeyOf, idKeysOf, type SchemaFacts } from 'model-cache/internal'
import type { CandidateLookup } from './candidate.js'
import { lookupTestOf, printedKeyOf } from './possible-lookups.js'

export type SuggestionRules = ReturnType<typeof suggestionRules>

/** Returns what definitions of the models of a schema allow, as far as suggestions have to know it. */
export function suggestionRules(facts: SchemaFacts) {
  const tests = new Map<string, ReturnType<typeof lookupTestOf>>()
  const testOf = (name: string): ReturnType<typeof lookupTestOf> => {
    let test = tests.get(name)
    if (!test) tests.set(name, (test = lookupTestOf(facts.models.get(name)!, facts)))
    return test
  }
  /** The id of a definition without options, or with the option `id`; undefined for a model whose rows cannot be cached. */
  const idOf = (name: string) => {
    const model = facts.models.get(name)
    if (!model || model.problem !== undefined) return undefined
    const option = printedKeyOf(model)
    const fields = idKeysOf(model).get(option ?? defaultKeyOf(model) ?? '')
    return fields && { option, fields }
  }
  return {
    idOf,
    /** Whether an application with the lookup would start. */
    isPossible({ by, kind, model, through, ...options }: CandidateLookup): boolean {
      if (!idOf(model)) return false
      const key = through === undefined ? { by } : { through }
      if (kind === 'unique') return testOf(model)({ unique: { suggested: { ...key, ...options } } })
      return testOf(model)({ lists: { suggested: { ...key, ...options } } })
    },
  }
}
