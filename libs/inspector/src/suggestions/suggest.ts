import {
  answerableActions,
  type BypassedQuery,
  type ClientQueries,
  type SchemaFacts,
} from 'model-cache/internal'
import type { SuggestionRules } from './suggestion-rules.js'
import { type Candidate, candidateText } from './candidate.js'
import { findCandidates, type TypedQuery } from './find-candidates.js'
import { extendedCacheOf, Hypothesis } from './hypothesis.js'
import { typedArguments } from './typed-arguments.js'

/** What to declare, and what comes of it. */
export interface Suggestions {
  /** Queries of the client that were counted. */
  readonly total: number
  /** Queries that caches and results answer, as the definitions are. */
  readonly answered: number
  /** Queries that caches answer with all of the suggested caches, keys and lists, whatever rows there are. */
  readonly answeredThen: number
  /** Queries by findFirst without an order that they answer with `reads: { findFirst: 'any' }` as well; 0 if that is set. */
  readonly anyRow: number
  /** The suggestions that most queries need come first. */
  readonly suggestions: readonly Suggestion[]
  /** The queries that the suggested definitions answer with rows of several lookups. */
  readonly joined: readonly BypassedQuery[]
  /** The queries that still go to the database. The most frequent ones first. */
  readonly rest: readonly BypassedQuery[]
}

export interface Suggestion {
  readonly candidate: Candidate
  /** Queries that go to the database without it, if all others are declared. */
  readonly queries: number
  /** Further ones, for which it depends on the rows: they take some of a list without an order. */
  readonly perhaps: number
  /** The most frequent of all these. */
  readonly example: BypassedQuery
}

interface CountedQuery extends TypedQuery {
  readonly query: BypassedQuery
}

/**
 * Finds the caches, keys, lists and fields which answer queries that went to the database. A candidate is suggested if planning the
 * queries shows that some need it, whatever else is declared. The numbers are those of planning the queries with what is suggested.
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
  const answered = queries.models.reduce((sum, each) => sum + each.answered + sumOf(each.results ?? []), 0)
  const declared = new Hypothesis(facts, queries, rules, [])
  const counted: CountedQuery[] = all.slice(0, most).flatMap((query) => {
    const { action, args, model } = query
    if (!args || !answerableActions.has(action)) return []
    const typed = { model, action, args: typedArguments(facts, model, args) }
    // What is declared would answer it: another reason than its shape keeps it from that.
    return declared.answerTo(typed)?.isCertain ? [] : [{ ...typed, query }]
  })
  const candidates = possible(facts, queries, counted, rules)
  const fields = candidates.filter(({ kind }) => kind === 'field')
  const definitions = candidates.filter(({ kind }) => kind !== 'field')
  const needed = neededOf(new Hypothesis(facts, queries, rules, definitions), definitions, counted)
  const suggested = new Hypothesis(
    facts,
    queries,
    rules,
    needed.map(({ candidate }) => candidate),
  )
  const then = new Set(counted.filter((each) => suggested.answerTo(each)?.isCertain))
  const rest = counted.filter((each) => !then.has(each))
  const anyRows = queries.takesAnyRow ? [] : rest.filter((each) => suggested.answerTo(each, true)?.isCertain)
  // Nothing that can be pasted: which fields a cache may have, and which a query needs, is up to people.
  const neededFields = neededOf(new Hypothesis(facts, queries, rules, candidates), fields, rest)
  const answeredThen = new Set([...then].map(({ query }) => query))
  return {
    total: answered + sumOf(all),
    answered,
    answeredThen: answered + sumOf(answeredThen),
    anyRow: sumOf(anyRows.map(({ query }) => query)),
    suggestions: [...needed, ...neededFields].toSorted(
      (one, other) => other.queries - one.queries || other.perhaps - one.perhaps,
    ),
    joined: [...then].flatMap((each) => (suggested.answerTo(each)!.isJoined ? [each.query] : [])),
    rest: all.filter((query) => !answeredThen.has(query)),
  }
}

/** A query that caches answer. */
interface Answered {
  readonly counted: CountedQuery
  /** Whether they do whatever rows there are. */
  readonly isCertain: boolean
  /** The models of the caches. */
  models: ReadonlySet<string>
}

/** Removes the candidates without which all of the queries are answered that are with all of them, and returns the others. */
function neededOf(
  hypothesis: Hypothesis,
  candidates: readonly Candidate[],
  queries: readonly CountedQuery[],
): readonly Suggestion[] {
  const answered = queries.flatMap((counted): readonly Answered[] => {
    const answer = hypothesis.answerTo(counted)
    const isCertain = answer?.isCertain ?? false
    const models = (isCertain ? answer : hypothesis.answerTo(counted, true))?.models
    return models ? [{ counted, isCertain, models }] : []
  })
  /** Without the candidates that were removed. */
  const modelsThen = ({ counted, isCertain }: Answered): ReadonlySet<string> | undefined => {
    const answer = isCertain ? hypothesis.answerTo(counted) : hypothesis.answerTo(counted, true)
    return isCertain && !answer?.isCertain ? undefined : answer?.models
  }
  const using = ({ model }: Candidate): readonly Answered[] =>
    answered.filter(({ models }) => models.has(model))

  const needed = candidates.toSorted(byDispensability).filter((candidate) => {
    hypothesis.remove(candidate)
    const others = new Map<Answered, ReadonlySet<string>>()
    for (const each of using(candidate)) {
      const models = modelsThen(each)
      if (!models) {
        hypothesis.add(candidate)
        return true
      }
      others.set(each, models)
    }
    for (const [each, models] of others) each.models = models
    return false
  })
  return needed.map((candidate) => {
    hypothesis.remove(candidate)
    const some = using(candidate).filter((each) => !modelsThen(each))
    hypothesis.add(candidate)
    const [certain, perhaps] = [true, false].map((isCertain) =>
      sumOf(some.filter((each) => each.isCertain === isCertain).map(({ counted }) => counted.query)),
    )
    return { candidate, queries: certain!, perhaps: perhaps!, example: some[0]!.counted.query }
  })
}

function sumOf(queries: Iterable<Pick<BypassedQuery, 'count'>>): number {
  return [...queries].reduce((sum, { count }) => sum + count, 0)
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
    const extended = caches && extendedCacheOf(caches)
    return extended
      ? scalars.filter((field) => !extended.fields.includes(field) && !omitted.includes(field))
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
