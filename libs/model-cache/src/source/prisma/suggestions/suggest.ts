import type { SchemaFacts } from '../../schema-facts.js'
import type { BypassedQuery } from '../reads/bypassed-queries.js'
import type { ClientQueries } from '../reads/client-queries.js'
import { type Candidate, candidateText } from './candidate.js'
import { findCandidates, type TypedQuery } from './find-candidates.js'
import { Hypothesis } from './hypothesis.js'
import type { SuggestionRules } from './suggestion-rules.js'
import { typedArguments } from './typed-arguments.js'

/** What to declare, and what comes of it. */
export interface Suggestions {
  /** Queries of the client that were counted. */
  readonly total: number
  /** Those that caches answer, as the definitions are. */
  readonly answered: number
  /** Those that caches answer with all of the suggestions. */
  readonly answeredThen: number
  /** Those of findFirst without an order that a list answers with `reads: { findFirst: 'any' }`; 0 if that is set. */
  readonly anyRow: number
  /** Those that need most queries first. */
  readonly suggestions: readonly Suggestion[]
  /** The queries that still go to the database. The most frequent ones first. */
  readonly rest: readonly BypassedQuery[]
}

export interface Suggestion {
  readonly candidate: Candidate
  /** Queries that go to the database without it, if all others are declared. */
  readonly queries: number
  /** The most frequent of these. */
  readonly example: BypassedQuery
}

interface CountedQuery extends TypedQuery {
  readonly query: BypassedQuery
  /** Models of whose caches the answer consists; undefined if the database answers. */
  models: ReadonlySet<string> | undefined
}

/**
 * Finds the caches, keys, lists and fields which answer queries that went to the database. A candidate is suggested if planning the
 * queries shows that some need it, whatever else is declared.
 *
 * @param most the number of queries that are planned, the most frequent ones
 */
export function suggest(
  facts: SchemaFacts,
  queries: ClientQueries,
  rules: SuggestionRules,
  most: number,
): Suggestions {
  const all = queries.models
    .flatMap(({ bypassed }) => bypassed)
    .toSorted((one, other) => other.count - one.count)
  const answered = queries.models.reduce((sum, each) => sum + each.answered, 0)
  const total = all.reduce((sum, { count }) => sum + count, answered)
  const declared = new Hypothesis(facts, queries, rules, [])
  const counted: CountedQuery[] = all.slice(0, most).flatMap((query) => {
    const { action, args, model } = query
    if (!args) return []
    const typed = { model, action, args: typedArguments(facts, model, args) }
    // What is declared would answer it: another reason than its shape keeps it from that.
    return typeof declared.answers(typed) === 'string' ? [{ ...typed, query, models: undefined }] : []
  })
  const candidates = possible(facts, queries, counted, rules)
  const hypothesis = new Hypothesis(facts, queries, rules, candidates)
  const plan = (each: CountedQuery): ReadonlySet<string> | undefined => {
    const models = hypothesis.answers(each)
    return typeof models === 'string' ? undefined : models
  }
  for (const each of counted) each.models = plan(each)
  const needing = ({ model }: Candidate): readonly CountedQuery[] =>
    counted.filter((each) => each.models?.has(model) && !plan(each))

  const needed = candidates.toSorted(byDispensability).filter((candidate) => {
    hypothesis.remove(candidate)
    if (needing(candidate).length === 0) return false
    hypothesis.add(candidate)
    return true
  })
  const suggestions = needed.map((candidate): Suggestion => {
    hypothesis.remove(candidate)
    const some = needing(candidate).map(({ query }) => query)
    hypothesis.add(candidate)
    const [example] = some
    return { candidate, queries: some.reduce((sum, { count }) => sum + count, 0), example: example! }
  })
  const areAny = all.filter(
    ({ action, args, reason }) =>
      reason === 'order' && action.startsWith('findFirst') && args && !('orderBy' in args),
  )
  const then = new Set(counted.filter(({ models }) => models).map(({ query }) => query))
  return {
    total,
    answered,
    anyRow: queries.takesAnyRow ? 0 : areAny.reduce((sum, { count }) => sum + count, 0),
    answeredThen: [...then].reduce((sum, { count }) => sum + count, answered),
    suggestions: suggestions.toSorted((one, other) => other.queries - one.queries),
    rest: all.filter((query) => !then.has(query)),
  }
}

function possible(
  facts: SchemaFacts,
  { models }: ClientQueries,
  counted: readonly CountedQuery[],
  rules: SuggestionRules,
): readonly Candidate[] {
  const known = new Map(models.map((each) => [each.model, each]))
  const omittedBy = (model: string): readonly string[] => {
    const { caches, omitted = [] } = known.get(model) ?? {}
    const scalars = [...(facts.models.get(model)?.scalars.keys() ?? [])]
    const hasAll = caches?.find(({ fields }) => scalars.every((field) => fields.includes(field)))
    const [most] = caches ?? []
    return most && !hasAll
      ? scalars.filter((field) => !most.fields.includes(field) && !omitted.includes(field))
      : []
  }
  const found = new Map<string, Candidate>()
  for (const each of counted) {
    for (const candidate of findCandidates(each, facts, omittedBy)) {
      if (candidate.kind === 'cache' ? known.get(candidate.model)?.caches : false) continue
      found.set(candidateText(candidate), candidate)
    }
  }
  return [...found.values()].filter(
    (candidate) => candidate.kind === 'cache' || candidate.kind === 'field' || rules.isPossible(candidate),
  )
}

/** What is left out first if others answer the same queries: whole lists before short ones, and a short one before a longer one. */
function byDispensability(one: Candidate, other: Candidate): number {
  return rankOf(one) - rankOf(other)
}

function rankOf(candidate: Candidate): number {
  if (candidate.kind === 'cache' || candidate.kind === 'field') return 4_000
  if (candidate.kind === 'unique') return 3_000
  const { limit, orderBy } = candidate
  return limit === undefined ? (orderBy ? 0 : 1) : 10 + limit
}
