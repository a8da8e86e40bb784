import {
  type BypassedQuery,
  capitalized,
  type ClientQueries,
  delegateNameOf,
  type Model,
  type ModelQueries,
  namesSecret,
  queryText,
  type SchemaFacts,
  sourceOf,
} from 'model-cache/internal'
import type { SuggestionRules } from './suggestion-rules.js'
import type { CandidateLookup } from './candidate.js'
import { extendedCacheOf } from './hypothesis.js'
import { requestedTimes } from './requested-times.js'
import type { Suggestion, Suggestions } from './suggest.js'
import { type SuggestedResults, suggestResults } from './suggest-results.js'

/** Suggestions as they are shown: plain JSON. */
export interface SuggestionsReport {
  /** Queries that were counted. */
  readonly total: number
  /** Queries that caches and results answer. */
  readonly answered: number
  /** Queries that caches answer with all lines of the suggested definitions, whatever rows there are. */
  readonly answeredThen: number
  /** Queries by findFirst without an order that they answer with `reads: { findFirst: 'any' }` as well; 0 if that is set. */
  readonly anyRow: number
  /** One definition per model; the model with the most answered queries comes first. */
  readonly definitions: readonly SuggestedDefinition[]
  /** What results of whole queries would answer beyond, or for less. */
  readonly results: SuggestedResults
  /** What no definition answers, the most frequent first. */
  readonly rest: readonly {
    readonly model: string
    readonly reason: string
    readonly queries: number
    readonly query: string
  }[]
}

export interface SuggestedDefinition {
  readonly model: string
  /** The name of the definition that gets the lines; null if there is none yet. */
  readonly cache: string | null
  readonly additions: readonly SuggestedAddition[]
  /** What to paste: into the definition, or as one. */
  readonly lines: readonly string[]
}

export interface SuggestedAddition {
  /** The option of the definition that gets it. `'omit'` loses it instead. */
  readonly option: 'unique' | 'lists' | 'omit' | 'definition'
  readonly name: string
  /** As in the definition: the fields of a key, or the options of a list. */
  readonly value: unknown
  /** Queries that go to the database without it. */
  readonly queries: number
  /** Further ones, for which it depends on the rows: they take some of a list without an order. */
  readonly perhaps: number
  /** The most frequent of them. */
  readonly query: string
  /** The writes that fence an entry of it. */
  readonly writes: string | null
  /** The line of the Prisma schema that its query needs; null if there is such an index. */
  readonly index: string | null
  /** What to consider before it is declared. */
  readonly cautions: readonly string[]
}

export function describeSuggestions(
  { answered, answeredThen, anyRow, joined, rest, suggestions, total }: Suggestions,
  queries: ClientQueries,
  facts: SchemaFacts,
  rules: SuggestionRules,
): SuggestionsReport {
  const byModel = Map.groupBy(suggestions, ({ candidate }) => candidate.model)
  const times = requestedTimes(facts, queries)
  return {
    total,
    answered,
    answeredThen,
    anyRow,
    definitions: [...byModel].map(([model, some]) =>
      definitionOf(facts.models.get(model)!, some, {
        known: queries.models.find((each) => each.model === model),
        id: rules.idOf(model)?.option,
        time: times.get(model),
      }),
    ),
    results: suggestResults(facts, queries, { rest, joined }),
    rest: rest.map(({ action, args, count, model, reason }) => ({
      model,
      reason,
      queries: count,
      query: args ? queryText(action, args) : `${action}(…)`,
    })),
  }
}

interface DefinedModel {
  /** The option `id` that a new definition needs. */
  readonly id: string | undefined
  readonly known: ModelQueries | undefined
  /** A field of time by which queries go. */
  readonly time: string | undefined
}

function definitionOf(
  model: Model,
  suggestions: readonly Suggestion[],
  { id, known, time }: DefinedModel,
): SuggestedDefinition {
  const cache = known?.caches && extendedCacheOf(known.caches)
  const names = new Set(cache?.lookups.map(({ name }) => name))
  const additions = suggestions.map((suggestion) => additionOf(model, suggestion, { names, time }))
  return {
    model: model.name,
    cache: cache?.name ?? null,
    additions,
    lines: cache ? optionLines(additions) : newLines(model, id, additions),
  }
}

function additionOf(
  model: Model,
  { candidate, example, perhaps, queries }: Suggestion,
  { names, time }: { readonly names: Set<string>; readonly time: string | undefined },
): SuggestedAddition {
  const common = {
    queries,
    perhaps,
    query: exampleText(model, example),
    writes: null,
    index: null,
    cautions: [],
  }
  if (candidate.kind === 'cache') return { ...common, option: 'definition', name: model.name, value: {} }
  if (candidate.kind === 'field') return { ...common, option: 'omit', name: candidate.field, value: true }
  const isList = candidate.kind === 'list'
  return {
    ...common,
    option: isList ? 'lists' : 'unique',
    name: uniqueName(model, candidate, names),
    value: valueOf(candidate),
    writes: writesOf(model, candidate),
    index: isList ? indexOf(model, candidate) : null,
    cautions: [...secretsOf(candidate), ...(isList ? cautionsOf(model, candidate, time) : [])],
  }
}

/** What should not be read in keys of the store. */
function secretsOf({ by }: CandidateLookup): readonly string[] {
  const secrets = by.filter(namesSecret)
  return secrets.length > 0
    ? [
        `${secrets.join(', ')} may be secret, and keys of the store have it in clear text without \`atRest.hashKeys\``,
      ]
    : []
}

/** What makes a list long, or its entries short-lived. */
function cautionsOf(
  { scalars }: Model,
  { by, limit, orderBy, through }: CandidateLookup,
  time: string | undefined,
): readonly string[] {
  const hasFewKeys =
    through === undefined && by.every((field) => /^(Enum|Boolean)$/.test(scalars.get(field)!.type))
  return [
    ...(hasFewKeys
      ? [
          `has few keys, of ${by.join(', ')}: each list has a large part of the table, and most writes end one`,
        ]
      : []),
    ...(limit === undefined && time !== undefined
      ? [
          `has no limit, and may hold a whole history, as queries go by ${time}: paste it if few rows share a key`,
        ]
      : []),
    ...(limit === undefined && orderBy
      ? ['has an order, in which queries without an `orderBy` then get their rows as well']
      : []),
  ]
}

function exampleText({ name }: Model, { action, args, model }: BypassedQuery): string {
  const text = queryText(action, args!)
  return model === name ? text : `${model}.${text}`
}

function valueOf({ by, fold, kind, limit, orderBy, through, where }: CandidateLookup): unknown {
  const fields = by.length === 1 ? by[0]! : by
  if (kind === 'unique') return fold ? { by: fields, fold } : fields
  return {
    ...(through === undefined ? { by: fields } : { through }),
    ...(where && { where }),
    ...(orderBy && { orderBy: orderBy.length === 1 ? orderBy[0]! : orderBy }),
    ...(limit !== undefined && { limit }),
    ...(fold && { fold }),
  }
}

function uniqueName(model: Model, candidate: CandidateLookup, names: Set<string>): string {
  const { by, kind, limit, orderBy = [], through } = candidate
  const owner = [...model.relations.values()].find(
    ({ fields, keyHolder }) => keyHolder === 'this' && fields.join() === by.join(),
  )
  const key =
    kind === 'unique'
      ? by.map((field, i) => (i === 0 ? field : capitalized(field))).join('')
      : through !== undefined
        ? `with${capitalized(through)}`
        : owner
          ? `of${capitalized(owner.field)}`
          : `by${by.map(capitalized).join('')}`
  const base = limit === undefined ? key : `first${limit}${capitalized(key)}`
  const ordered = `${base}In${orderBy
    .flatMap((each) => Object.keys(each))
    .map(capitalized)
    .join('')}Order`
  const tries = [base, ...(orderBy.length > 0 ? [ordered] : [])]
  const name = tries.find((each) => !names.has(each)) ?? numbered(base, names)
  names.add(name)
  return name
}

function numbered(base: string, names: ReadonlySet<string>): string {
  for (let n = 2; ; n++) if (!names.has(`${base}${n}`)) return `${base}${n}`
}

/** Which writes fence an entry of the lookup, besides those that name no rows. */
function writesOf({ name }: Model, { by, orderBy = [], through, where = {} }: CandidateLookup): string {
  const watched = [
    ...new Set([...by, ...Object.keys(where), ...orderBy.flatMap((each) => Object.keys(each))]),
  ]
  const updates = watched.length > 0 ? `, each update of ${watched.join(', ')}` : ''
  return through === undefined
    ? `each create of ${name}${updates}`
    : `each connect, disconnect and set of ${through}${updates}`
}

/** The line of an index which finds the rows of an entry in their order; null if there is one. */
function indexOf(model: Model, { by, limit, orderBy = [], through }: CandidateLookup): string | null {
  if (through !== undefined) return null
  const ordered = limit === undefined ? [] : orderBy.map((each) => Object.entries(each)[0]!)
  const wanted = ordered.map(([field]) => field)
  const indexes = [
    model.primaryKey,
    ...model.uniqueKeys.values(),
    ...model.nullableKeys.values(),
    ...model.indexes,
  ]
  const isEnough = (fields: readonly string[]): boolean =>
    by.every((field) => fields.indexOf(field) >= 0 && fields.indexOf(field) < by.length) &&
    wanted.every((field, i) => fields[by.length + i] === field)
  if (indexes.some(isEnough)) return null
  const sorted = ordered.map(([field, direction]) =>
    isDescending(direction) ? `${field}(sort: Desc)` : field,
  )
  return `@@index([${[...by, ...sorted].join(', ')}])`
}

function isDescending(direction: unknown): boolean {
  return direction === 'desc' || (direction as { sort?: unknown }).sort === 'desc'
}

/** What to add to a definition. */
function optionLines(additions: readonly SuggestedAddition[]): readonly string[] {
  return (['unique', 'lists'] as const).flatMap((option) => {
    const lines = additions
      .filter((each) => each.option === option)
      .map(({ name, value }) => `  ${name}: ${sourceOf(value)},`)
    return lines.length > 0 ? [`${option}: {`, ...lines, '},'] : []
  })
}

/** A definition as a whole. */
function newLines(
  { name }: Model,
  id: string | undefined,
  additions: readonly SuggestedAddition[],
): readonly string[] {
  const opening = `export const ${delegateNameOf(name)}Cache = defineModelCache('${name}', {`
  const options = [...(id === undefined ? [] : [`id: '${id}',`]), "ttl: '10m',"]
  const lookups = optionLines(additions)
  if (lookups.length === 0) return [`${opening} ${options.join(' ').replace(/,$/, '')} })`]
  return [opening, ...[...options, ...lookups].map((line) => `  ${line}`), '})']
}
