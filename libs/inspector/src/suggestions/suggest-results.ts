import {
  asGiven,
  type BypassedQuery,
  type ClientQueries,
  type Column,
  mayKeepResult,
  type Models,
  modelsRead,
  queryText,
  type SchemaFacts,
  scopesRead,
  sourceOf,
} from 'model-cache/internal'
import type { Suggestions } from './suggest.js'

/** Which models to list in `reads.results`, for the queries that no definition answers, or that cost less so: plain JSON. */
export interface SuggestedResults {
  /** Queries that no definition answers, and results of these models do, from the second one on. */
  readonly queries: number
  /** Queries that rows answer as well, for more, as they put rows of several lookups together. */
  readonly joined: number
  /** The models that most queries read come first. */
  readonly models: readonly SuggestedModel[]
  /** Models that are written too often for it: a result seldom lives to be read. */
  readonly writtenOften: readonly SuggestedModel[]
  /** What to paste into `reads`. */
  readonly lines: readonly string[]
}

export interface SuggestedModel {
  readonly model: string
  /** Queries that read the model, and that results would answer if all models were listed. */
  readonly queries: number
  /** Statements of the clients that have written it. */
  readonly writes: number
  /** The most frequent of the queries. */
  readonly query: string
  /** The field by whose values results have to end, as the model is written too often otherwise. @default none */
  readonly by?: string
}

interface Readable {
  readonly query: BypassedQuery
  readonly isJoined: boolean
  readonly models: ReadonlySet<string>
}

/** A result has to be read so many times between two writes of a model that it reads. */
const leastReadsPerWrite = 4

/**
 * Finds the models whose results would answer queries. How many queries have the same values is not known, so the ratio of reads to
 * writes decides.
 *
 * @param queries those that no definition answers, and those that definitions answer by rows of several lookups
 */
export function suggestResults(
  facts: SchemaFacts,
  { kept = [], models }: ClientQueries,
  { joined, rest }: Pick<Suggestions, 'joined' | 'rest'>,
): SuggestedResults {
  const writesOf = new Map(models.map(({ model, written }) => [model, written?.count ?? 0]))
  const readable = [...rest, ...joined].flatMap((query, index): readonly Readable[] => {
    const { action, args, model, reason } = query
    // The fields that caches lack may be secrets, which would be stored.
    if (!args || reason === 'fields' || !mayKeepResult(action, reason)) return []
    const read = modelsRead(facts.models, { action, args, model })
    return [...read].every((name) => facts.models.get(name)?.isView === false)
      ? [{ query, isJoined: index >= rest.length, models: read }]
      : []
  })
  const describe = (model: string, some: readonly Readable[]): SuggestedModel => {
    const own = some.filter((each) => each.models.has(model))
    const { query } = own[0]!
    const [queries, writes] = [countOf(own), writesOf.get(model) ?? 0]
    const by = queries < leastReadsPerWrite * writes ? scopeOf(facts.models, model, own) : undefined
    return {
      model,
      queries,
      writes,
      query: `${query.model}.${queryText(query.action, query.args!)}`,
      ...(by !== undefined && { by }),
    }
  }
  let answered: readonly Readable[] = readable
  const writtenOften: SuggestedModel[] = []
  for (;;) {
    const [worst] = namesIn(answered)
      .map((model) => describe(model, answered))
      .filter(({ by, queries, writes }) => by === undefined && queries < leastReadsPerWrite * writes)
      .toSorted((one, other) => one.queries / one.writes - other.queries / other.writes)
    if (!worst) break
    writtenOften.push(worst)
    answered = answered.filter((each) => !each.models.has(worst.model))
  }
  const listed = namesIn(answered)
    .map((model) => describe(model, answered))
    .toSorted((one, other) => other.queries - one.queries)
  const added = listed.filter(({ model }) => !kept.includes(model))
  return {
    queries: countOf(answered.filter(({ isJoined }) => !isJoined)),
    joined: countOf(answered.filter(({ isJoined }) => isJoined)),
    models: added,
    writtenOften,
    lines:
      added.length > 0
        ? [
            'results: {',
            ...added.map(
              ({ by, model }) => `  ${model}: ${sourceOf(by === undefined ? '10m' : { ttl: '10m', by })},`,
            ),
            '},',
          ]
        : [],
  }
}

/** The field whose value most queries of the model show: a write ends the results of one value only. */
function scopeOf(models: Models, name: string, own: readonly Readable[]): string | undefined {
  const readsOf = (field: string): number => {
    const by = new Map([[name, [field]]])
    const isRead = ({ query: { action, args, model } }: Readable): boolean =>
      scopesRead(models, by, { action, args: args as never, model }, asGiven).has(name)
    return countOf(own.filter(isRead))
  }
  const fields = [...models.get(name)!.scalars.values()].filter(isExact).map((column) => column.name)
  const [best] = fields
    .map((field) => ({ field, reads: readsOf(field) }))
    .toSorted((one, other) => other.reads - one.reads)
  return best && 2 * best.reads > countOf(own) ? best.field : undefined
}

/** Whether results may end by the values of a field. */
function isExact({ hasOneText, isList, isLoose, type }: Column): boolean {
  return !isList && !isLoose && hasOneText && ['String', 'Int', 'BigInt', 'Enum'].includes(type)
}

function namesIn(some: readonly Readable[]): readonly string[] {
  return [...new Set(some.flatMap(({ models }) => [...models]))]
}

function countOf(some: readonly Readable[]): number {
  return some.reduce((sum, { query }) => sum + query.count, 0)
}
